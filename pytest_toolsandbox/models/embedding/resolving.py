"""From what the ini option ``sandbox_embedder`` says to an embedder."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, cast

from pytest_toolsandbox.matchers.embedding import CHOICES, Embedder, EmbedderError
from pytest_toolsandbox.models.aliases import model_name
from pytest_toolsandbox.wording.import_strings import Expected, ImportStringError, accepts, find

from .litellm_embedder import EmbeddingModel
from .sentence_transformer import PACKAGE, SentenceTransformer


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
    try:
        return cast("Embedder", find(text, EXPECTED))
    except ImportStringError as error:
        raise EmbedderError(str(error)) from error


def _takes_texts(found: Callable[..., Any]) -> bool:
    """Whether it is an embedder: what needs no arguments is a factory, unless it names texts."""
    if inspect.isclass(found) or not accepts(found, []):
        return False
    return not accepts(found) or "texts" in inspect.signature(found).parameters


EXPECTED = Expected(
    _takes_texts,
    "an embedder takes a list of texts, and a factory, which makes one, nothing",
    "async; make it a plain function",
)
