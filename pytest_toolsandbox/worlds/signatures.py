"""What a tool's function says of itself; what an agent could not use is refused."""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pytest_toolsandbox.wording.error_text import place_in, place_of_caller, type_and_text
from pytest_toolsandbox.wording.nearest_name import did_you_mean

from .context import Context
from .errors import WorldError
from .hints import NOT_GIVEN, ArgumentType, argument_type
from .json_values import as_json

if TYPE_CHECKING:
    from docstring_parser import Docstring

EMPTY: Final = inspect.Parameter.empty
_API_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_OTHER_STYLES: Final = re.compile(r"^\s*(:param\b|@param\b|Parameters\s*\n\s*-{3})", re.MULTILINE)
_TYPES: Final = "a JSON type, Literal, Enum, a date, a pydantic model or a dataclass"


@dataclass(frozen=True)
class Parameter:
    """One argument of a tool. ``default`` is a JSON value, or ``NOT_GIVEN``."""

    name: str
    type: ArgumentType
    description: str
    default: Any = EMPTY

    @property
    def required(self) -> bool:
        """Whether a call must give it."""
        return self.default is EMPTY

    @property
    def schema(self) -> Mapping[str, Any]:
        """What calls are checked against."""
        return self.type.schema

    @property
    def shown(self) -> Mapping[str, Any]:
        """What an agent reads."""
        return self.type.shown


@dataclass(frozen=True)
class Signature:
    """What a function says of itself, in its signature and in its docstring.

    ``place`` is where it is written, as ``file:line``; ``raises`` has the names, without modules,
    of the exceptions under ``Raises:``.
    """

    place: str
    takes_context: bool
    description: str
    parameters: Mapping[str, Parameter]
    raises: frozenset[str]


def read_signature(function: Callable[..., Any]) -> Signature:
    """Return what a function says of itself.

    Raises :class:`WorldError` where agents could not call it, or would be told something wrong.
    """
    if not isinstance(function, (types.FunctionType, types.MethodType)):
        text = f"a tool is a function, not {type(function).__name__}; write one that calls it"
        raise WorldError(f"{place_of_caller()}: {text}")
    code = inspect.unwrap(function).__code__
    reader = _Reader(function, place_in(code.co_filename, code.co_firstlineno))
    try:
        return reader.read()
    except _Mistake as mistake:
        raise WorldError(f"{reader.place}: the tool {function.__name__!r}: {mistake}") from None


class _Mistake(Exception):  # noqa: N818  # it never leaves this module
    pass


@dataclass(frozen=True)
class _Reader:
    function: Callable[..., Any]
    place: str

    def read(self) -> Signature:
        from docstring_parser import DocstringStyle, parse

        name = self.function.__name__
        if not _API_NAME.fullmatch(name):
            raise _Mistake(f"its name must be {_NAMES}; rename the function")
        if inspect.isgeneratorfunction(self.function) or inspect.isasyncgenfunction(self.function):
            raise _Mistake("it yields, and agents read one result; return a list")
        parameters = list(inspect.signature(self.function).parameters.values())
        hints = self.hints()
        takes_context = bool(parameters) and hints.get(parameters[0].name) is Context
        docstring = parse(self.function.__doc__ or "", DocstringStyle.GOOGLE)
        texts = {one.arg_name: _paragraph(one.description) for one in docstring.params}
        parts = (docstring.short_description, docstring.long_description)
        arguments = {
            one.name: _parameter(one, hints, texts.get(one.name, ""))
            for one in parameters[takes_context:]
        }
        self.check_docstring(docstring, [parameter.name for parameter in parameters])
        return Signature(
            self.place,
            takes_context,
            " ".join(filter(None, map(_paragraph, parts))),
            arguments,
            frozenset(_exception_names(docstring)),
        )

    def hints(self) -> Mapping[str, Any]:
        try:
            return typing.get_type_hints(self.function, include_extras=True)
        except Exception as error:  # noqa: BLE001  # hints may be any code
            text = f"its type hints cannot be read: {type_and_text(error)}"
            remedy = "import or define what they name above it, and not under TYPE_CHECKING"
            raise _Mistake(f"{text}; {remedy}") from None

    def check_docstring(self, docstring: Docstring, parameters: list[str]) -> None:
        if not docstring.short_description:
            raise _Mistake("it has no docstring, which tells agents what it does; write one")
        if _OTHER_STYLES.search(self.function.__doc__ or ""):
            raise _Mistake("its docstring is not in Google's style; write Args: and name: text")
        for name in (one.arg_name for one in docstring.params):
            if name not in parameters:
                hint = did_you_mean(name, parameters) or "; leave that out"
                raise _Mistake(f"its docstring describes {name!r}, which it does not take{hint}")


_NAMES: Final = "1 to 64 letters (A to Z), digits, _ and -, as chat APIs take them"


def _paragraph(text: str | None) -> str:
    return " ".join((text or "").split())


def _exception_names(docstring: Docstring) -> Iterator[str]:
    for section in docstring.raises:
        written = re.sub(r":\w+:", "", section.type_name or "")
        yield from (name.rpartition(".")[2] for name in re.findall(r"[\w.]+", written))


def _parameter(
    parameter: inspect.Parameter, hints: Mapping[str, Any], description: str
) -> Parameter:
    name, default = parameter.name, parameter.default
    for problem in _problems(parameter, hints):
        raise _Mistake(problem)
    hint = _written(hints[name])
    try:
        kind = argument_type(hints[name])
    except Exception:  # noqa: BLE001  # pydantic has many for what it does not know
        text = f"parameter {name!r} is of type {hint}, which JSON cannot express"
        raise _Mistake(f"{text}; use {_TYPES}") from None
    if default is not EMPTY and (wrong := _wrong_default(default, kind)):
        text = f"parameter {name!r} is of type {hint}, and its default {default!r} {wrong}"
        raise _Mistake(text)
    given = default is not EMPTY and default is not NOT_GIVEN
    return Parameter(name, kind, description, kind.written(default) if given else default)


def _problems(parameter: inspect.Parameter, hints: Mapping[str, Any]) -> Iterator[str]:
    name = parameter.name
    match parameter.kind:
        case inspect.Parameter.POSITIONAL_ONLY:
            yield f"parameter {name!r} is positional-only, and agents give names; remove the /"
        case inspect.Parameter.VAR_POSITIONAL:
            yield f"*{name} has no names that agents could give; write {name}: list[...]"
        case inspect.Parameter.VAR_KEYWORD:
            yield f"**{name} tells agents of no argument; name them one by one"
    if name not in hints:
        remedy = "Context, if it is the world" if name == "context" else "str, or Any"
        yield f"parameter {name!r} has no type hint; write {name}: {remedy}"
    if hints[name] is Context:
        yield f"parameter {name!r} is the world, and must be the first"
    if not _API_NAME.fullmatch(name):
        yield f"the name of parameter {name!r} must be {_NAMES}; rename it"


def _wrong_default(default: Any, kind: ArgumentType) -> str | None:
    """Say why a default cannot be one, if it cannot."""
    if default is NOT_GIVEN:
        return None if kind.may_be_left_out else "needs NotGiven in the hint: write ... | NotGiven"
    if isinstance(default, (list, dict, set)):
        return "is one object for all calls, which may change it; write None, and ... | None"
    try:
        value = kind.written(default)
        as_json(value)
    except (TypeError, ValueError, RecursionError) as error:
        return f"cannot be written as JSON: {error}"
    if kind.problem(value, "") is None:
        return None
    return "does not fit it" + ("; write ... | None" if default is None else "")


def _written(hint: Any) -> str:
    return hint.__qualname__ if isinstance(hint, type) else str(hint).replace("typing.", "")
