"""Reads signature and docstring of a tool's function, and refuses what agents cannot use."""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pytest_toolsandbox.text.error_text import (
    message_of,
    place_in,
    place_of_caller,
    type_and_text,
)
from pytest_toolsandbox.text.nearest_name import did_you_mean

from .context import Checks, Context, WorldError, check
from .docstrings import Docstring, read_docstring
from .json_values import as_json
from .parameter import NOT_GIVEN, REQUIRED, Parameter, named_for_agents

_API_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_NAMES: Final = "1 to 64 letters (A to Z), digits, _ and -, as chat APIs take them"
_OTHER_STYLES: Final = re.compile(r"^\s*(:param\b|@param\b|Parameters\s*\n\s*-{3})", re.MULTILINE)
_UNUSABLE: Final[Mapping[object, str]] = {
    inspect.Parameter.POSITIONAL_ONLY: (
        "parameter {name!r} is positional-only, and agents give names; remove the /"
    ),
    inspect.Parameter.VAR_POSITIONAL: (
        "*{name} has no names that agents could give; write {name}: list[...]"
    ),
    inspect.Parameter.VAR_KEYWORD: "**{name} has no names for agents to give; name them one by one",
}
_TYPES: Final = "a JSON type, Literal, Enum, a date, a pydantic model or a dataclass"


@dataclass(frozen=True)
class Signature:
    """Signature and docstring of a function; ``place`` is ``file:line``, ``raises`` are names.

    ``returns`` is the hint of what it returns.
    """

    place: str
    takes_context: bool
    description: str
    parameters: Mapping[str, Parameter]
    raises: frozenset[str]
    returns: Any


def read_signature(function: Callable[..., Any], *, copied: bool = False) -> Signature:
    """Return the signature of a tool. Raises :class:`WorldError` if it cannot be a tool.

    If the arguments of each call are ``copied``, a default may be an object that calls can change.
    """
    if not isinstance(function, (types.FunctionType, types.MethodType)):
        text = f"a tool is a function, not {type(function).__name__}; write one that calls it"
        raise WorldError(f"{place_of_caller()}: {text}")
    plain = inspect.unwrap(function)
    code = plain.__code__
    place = place_in(code.co_filename, code.co_firstlineno)
    start = f"{place}: the tool {function.__name__!r}"
    yields = inspect.isgeneratorfunction(plain) or inspect.isasyncgenfunction(plain)
    is_name = _API_NAME.fullmatch(function.__name__)
    check([(is_name, f"its name must be {_NAMES}; rename the function")], start)
    check([(not yields, "it yields, and agents read one result; return a list")], start)
    hints = _hints(function, start)
    declared = inspect.signature(function).parameters
    takes_context = bool(declared) and hints.get(next(iter(declared))) is Context
    docstring = read_docstring(function)
    parameters: dict[str, Parameter] = {}
    for name, declaration in list(declared.items())[takes_context:]:
        check(_parameter_rules(declaration, hints), start)
        shown, hint = named_for_agents(name, hints[name])
        text = docstring.arguments.get(shown) or docstring.arguments.get(name, "")
        parameter = Parameter(shown, hint, text, declaration.default, name)
        check(_name_rules(parameter, parameters), start)
        check(_type_rules(parameter, copied=copied), start)
        parameters[shown] = parameter
    check(_docstring_rules(function, docstring, [*declared, *parameters]), start)
    returns = docstring.returns and f"Returns: {docstring.returns}"  # agents need units and order
    description = " ".join(filter(None, (docstring.description, returns)))
    hint = hints.get("return", Any)
    return Signature(place, takes_context, description, parameters, docstring.raises, hint)


def _hints(function: Callable[..., Any], start: str) -> Mapping[str, Any]:
    try:
        return typing.get_type_hints(function, include_extras=True)
    except Exception as error:  # noqa: BLE001  # hints may be any code
        text = f"{start}: its type hints cannot be read: {type_and_text(error)}"
        remedy = "import or define what they name above it, and not under TYPE_CHECKING"
        raise WorldError(f"{text}; {remedy}") from None


def _docstring_rules(
    function: Callable[..., Any], docstring: Docstring, parameters: list[str]
) -> Checks:
    in_google_style = not _OTHER_STYLES.search(function.__doc__ or "")
    yield (
        docstring.description,
        "it has no docstring, from which agents learn what it does; write one",
    )
    yield in_google_style, "its docstring is not in Google's style; write Args: and name: text"
    yield from ((False, problem) for problem in docstring.problems)
    for name in docstring.arguments:
        hint = did_you_mean(name, parameters) or "; leave that out"
        yield name in parameters, f"its docstring describes {name!r}, which it does not take{hint}"


def _parameter_rules(parameter: inspect.Parameter, hints: Mapping[str, Any]) -> Checks:
    name, kind = parameter.name, parameter.kind
    remedy = "Context, if it is the world" if name == "context" else "str, or Any"
    yield kind not in _UNUSABLE, _UNUSABLE.get(kind, "").format(name=name)
    yield name in hints, f"parameter {name!r} has no type hint; write {name}: {remedy}"
    yield hints[name] is not Context, f"parameter {name!r} is the world, and must be the first"


def _name_rules(parameter: Parameter, earlier: Mapping[str, Parameter]) -> Checks:
    name = parameter.name
    yield _API_NAME.fullmatch(name), f"the name of parameter {name!r} must be {_NAMES}; rename it"
    yield name not in earlier, f"two of its parameters are called {name!r}; change an alias"


def _type_rules(parameter: Parameter, *, copied: bool) -> Checks:
    hint, default = parameter.hint, parameter.python_default
    written = hint.__qualname__ if isinstance(hint, type) else str(hint).replace("typing.", "")
    about = f"parameter {parameter.name!r} is of type {written}"
    problem = _schema_problem(parameter)
    yield not problem, f"{about}, {problem}"
    about += f", and its default {default!r}"
    if default is NOT_GIVEN:
        remedy = "needs NotGiven in the hint: write ... | NotGiven"
        yield parameter.may_be_left_out, f"{about} {remedy}"
    elif default is not REQUIRED:
        remedy = "is one object for all calls, which may change it; write None, and ... | None"
        yield copied or not isinstance(default, (list, dict, set)), f"{about} {remedy}"
        yield from _value_rules(parameter, about)


def _schema_problem(parameter: Parameter) -> str:
    """Return why a type has no JSON Schema, or an empty text."""
    try:
        has_schemas = parameter.schema is not None and parameter.shown is not None
    except Exception as error:  # noqa: BLE001  # pydantic has many exceptions for unknown types
        if getattr(error, "code", None) == "typed-dict-version":
            return "which pydantic reads from Python 3.12 on; import it from typing_extensions"
        if isinstance(error, Warning):  # where warnings are errors
            return f"about which pydantic warns: {message_of(error)}"
        has_schemas = False
    return "" if has_schemas else f"which JSON cannot express; use {_TYPES}"


def _value_rules(parameter: Parameter, about: str) -> Checks:
    remedy = "; write ... | None" if parameter.python_default is None else ""
    try:
        as_json(parameter.default)
    except (TypeError, ValueError, RecursionError) as error:
        yield False, f"{about} cannot be written as JSON: {error}"
    yield parameter.problem(parameter.default, "") is None, f"{about} does not fit it{remedy}"
