"""From what the ini option ``sandbox_embedder`` says to an embedder."""

from __future__ import annotations

import difflib
import importlib
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, cast

from pytest_toolsandbox.agents.aliases import model_name
from pytest_toolsandbox.agents.redaction import one_line, redacted
from pytest_toolsandbox.matchers.embedding import CHOICES, Embedder, EmbedderError

from .embedding_model import EmbeddingModel
from .sentence_transformer import PACKAGE, SentenceTransformer

WANTED: Final = "an embedder takes a list of texts, and a factory, which makes one, nothing"


def resolve_embedder(text: str) -> Embedder:
    """Return the embedder that ``text`` names.

    ``module:attribute`` is imported at once, and called where it is a factory; a model is loaded,
    or asked, when the first texts are compared. Raises :class:`EmbedderError`.
    """
    provider, _, name = text.partition("/")
    if provider == PACKAGE and name:
        return SentenceTransformer(name)
    if model_name(text, {}):
        return EmbeddingModel(text)
    module, _, attribute = text.partition(":")
    if not (module and attribute):
        raise EmbedderError(f"{text!r} names no embedder; write {CHOICES}")
    return _embedder(_attribute(module, attribute, text), text)


def _attribute(module: str, path: str, reference: str) -> Any:
    try:
        found: Any = _module(module)
    except ModuleNotFoundError as error:
        raise EmbedderError(f"{reference}: {_not_found(module, error)}") from error
    except (Exception, SystemExit) as error:
        raise EmbedderError(f"{reference}: importing {module} raised {_raised(error)}") from error
    for name in path.split("."):
        if not hasattr(found, name):
            raise EmbedderError(f"{reference}: {module} has no {name!r}{_nearest(name, found)}")
        found = getattr(found, name)
    return found


def _nearest(name: str, owner: Any) -> str:
    public = [known for known in dir(owner) if not known.startswith("_")]
    close = difflib.get_close_matches(name, public)
    return f"; did you mean {' or '.join(map(repr, close))}?" if close else ""


def _module(name: str) -> Any:
    """Import a module, also from the current directory, as ``python -m`` does."""
    here = str(Path.cwd())
    is_known = here in sys.path or "" in sys.path
    if not is_known:
        sys.path.append(here)
    try:
        return importlib.import_module(name)
    except BaseException:
        if not is_known:
            sys.path.remove(here)
        raise


def _not_found(module: str, error: ModuleNotFoundError) -> str:
    if f"{module}.".startswith(f"{error.name}."):
        return f"there is no module {error.name}, neither installed nor in the current directory"
    return f"{module} imports {error.name}, which is not installed"


def _embedder(found: Any, reference: str) -> Embedder:
    if not callable(found):
        raise EmbedderError(f"{reference} is {_kind(found)}, which cannot be called; {WANTED}")
    if _takes_texts(found):
        return cast("Embedder", found)
    if not _accepts(found):
        raise EmbedderError(f"{reference} takes {_signature(found)}; {WANTED}")
    return _made(found, reference)


def _made(factory: Callable[[], Any], reference: str) -> Embedder:
    try:
        made = factory()
    except EmbedderError:
        raise
    except (Exception, SystemExit) as error:
        raise EmbedderError(f"{reference} raised {_raised(error)}") from error
    if inspect.iscoroutine(made):
        made.close()  # else Python warns that nobody waited for it
        raise EmbedderError(f"{reference} is async; make it a plain function")
    if not callable(made):
        raise EmbedderError(f"{reference} returned {_kind(made)}, which cannot be called; {WANTED}")
    if not _takes_texts(made):
        raise EmbedderError(f"{reference} returned what takes {_signature(made)}; {WANTED}")
    return cast("Embedder", made)


def _takes_texts(found: Callable[..., Any]) -> bool:
    """Whether it is an embedder: what needs no arguments is a factory, unless it names texts."""
    if inspect.isclass(found) or not _accepts(found, []):
        return False
    return not _accepts(found) or "texts" in inspect.signature(found).parameters


def _accepts(found: Callable[..., Any], *arguments: object) -> bool:
    try:
        inspect.signature(found).bind(*arguments)
    except (TypeError, ValueError):  # ValueError: some built-in functions have no signature
        return False
    return True


def _signature(found: Callable[..., Any]) -> str:
    try:
        return one_line(str(inspect.signature(found)))
    except (TypeError, ValueError):
        return "arguments that Python does not tell"


def _kind(value: Any) -> str:
    if value is None:
        return "None"
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def _raised(error: BaseException) -> str:
    text = one_line(redacted(str(error)))
    return f"{type(error).__name__}{f': {text}' if text else ''}"
