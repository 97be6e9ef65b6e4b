"""Imports ``module:attribute``: a callable of the user, or a factory that returns one."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from .error_text import blamed, describe_exception
from .formatting import one_line, type_name
from .nearest_name import did_you_mean


class ImportStringError(Exception):
    """An unusable import string; a one-line message that starts with the string."""


@dataclass(frozen=True)
class ExpectedCallable:
    """The expected callable: the names of its parameters, and the messages for other objects.

    ``takes`` describes the parameters, ``never_async`` what to do about an ``async`` factory, and
    ``remedy`` what to do about an invalid import string. Mistakes raise ``error`` with one line. An
    object for which ``also`` is true is accepted with any parameters.
    """

    names: tuple[str, ...]
    takes: str
    never_async: str
    remedy: str
    error: type[Exception]
    also: Callable[[Any], bool] = lambda _: False

    def fits(self, candidate: Callable[..., Any]) -> bool:
        """Whether an object is the expected callable and not a factory.

        A class is a factory. So is a callable whose parameters are all optional, as in
        ``build(model="…", temperature=0)``, unless one has the first expected name.
        """
        if self.also(candidate):
            return True
        if inspect.isclass(candidate) or not accepts(candidate, *self.names):
            return False
        parameters = inspect.signature(candidate).parameters
        variadic = any(p.kind is p.VAR_POSITIONAL for p in parameters.values())
        return variadic or self.names[0] in parameters or not accepts(candidate)


def import_callable(reference: str, expected: ExpectedCallable) -> Any:
    """Import ``module:attribute``, where the attribute may contain dots.

    A fitting callable is returned. A factory, such as a class, is called without arguments, and its
    result must fit. Modules are found as ``python -m`` finds them.
    """
    return made_of(import_object(reference, expected), reference, expected)


def import_object(reference: str, expected: ExpectedCallable) -> Any:
    """Import the object that ``module:attribute`` names."""
    module, _, attribute = reference.partition(":")
    if not (module and all(map(str.isidentifier, attribute.split(".")))):
        raise expected.error(f"{reference!r} {expected.remedy}")
    try:
        return _attribute(_module(module, reference), attribute, reference)
    except ImportStringError as error:
        raise expected.error(str(error)) from error


def made_of(imported: Any, reference: str, expected: ExpectedCallable) -> Any:
    """Return the imported object or, if it is a factory, the object that it returns."""
    try:
        usable = expected.fits(imported) or accepts(imported)
        _check(imported, usable, f"{reference} is", f"{reference} takes", expected)
        return imported if expected.fits(imported) else _made(imported, reference, expected)
    except ImportStringError as error:
        raise expected.error(str(error)) from error


def _check(candidate: Any, usable: bool, is_: str, takes: str, expected: ExpectedCallable) -> None:
    if not (callable(candidate) or usable):
        problem = f"{is_} {type_name(candidate)}, which cannot be called"
        raise ImportStringError(f"{problem}; {expected.takes}")
    if not usable:
        raise ImportStringError(f"{takes} {_signature(candidate)}; {expected.takes}")


def accepts(function: Callable[..., Any], *arguments: object) -> bool:
    """Whether a callable accepts exactly these positional arguments."""
    try:
        inspect.signature(function).bind(*arguments)
    except (TypeError, ValueError):  # ValueError: some built-in functions have no signature
        return False
    return True


def _module(name: str, reference: str) -> ModuleType:
    def converted(error: BaseException) -> ImportStringError:
        if isinstance(error, ModuleNotFoundError):
            return ImportStringError(f"{reference}: {_not_found(name, error)}")
        problem = f"importing {name} raised {describe_exception(error)}"
        return ImportStringError(f"{reference}: {problem}")

    with blamed(converted):
        return _import(name)


def _import(name: str) -> ModuleType:
    """Import a module, also from the current directory, which then stays in ``sys.path``."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        here = str(Path.cwd())
        if not _is_itself(name, error) or here in sys.path or "" in sys.path:
            raise
    sys.path.insert(0, here)
    importlib.invalidate_caches()
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if _is_itself(name, error):
            sys.path.remove(here)
        raise


def _is_itself(name: str, error: ModuleNotFoundError) -> bool:
    """Whether the missing module is the requested one or one of its parent packages."""
    return error.name is not None and f"{name}.".startswith(f"{error.name}.")


def _not_found(name: str, error: ModuleNotFoundError) -> str:
    if not _is_itself(name, error):
        return f"{name} imports {error.name}, which is not installed"
    if "is not a package" in str(error):
        return f"{error.name} is not found: {name.partition('.')[0]} is a module, not a package"
    return f"there is no module {error.name}, neither installed nor in the current directory"


def _attribute(module: ModuleType, path: str, reference: str) -> Any:
    owner: Any = module
    walked = module.__name__
    for name in path.split("."):
        try:
            owner = getattr(owner, name)
        except AttributeError as error:
            hint = did_you_mean(name, [n for n in dir(owner) if not n.startswith("_")])
            problem = f"{walked} has no {name!r}{hint}"
            raise ImportStringError(f"{reference}: {problem}") from error
        except Exception as error:
            problem = f"{walked}.{name} raised {describe_exception(error)}"
            raise ImportStringError(f"{reference}: {problem}") from error
        walked = f"{walked}.{name}"
    return owner


def _made(factory: Callable[[], Any], reference: str, expected: ExpectedCallable) -> Any:
    with blamed(lambda e: ImportStringError(f"{reference} raised {describe_exception(e)}")):
        made = factory()
    if inspect.iscoroutine(made):
        made.close()  # otherwise Python warns that it was never awaited
        raise ImportStringError(f"{reference} is {expected.never_async}")
    usable = expected.fits(made)
    _check(made, usable, f"{reference} returned", f"{reference} returned what takes", expected)
    return made


def _signature(function: Callable[..., Any]) -> str:
    try:
        return one_line(str(inspect.signature(function)))
    except (TypeError, ValueError):
        return "unknown arguments"
