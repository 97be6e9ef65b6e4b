"""Tools: plain Python functions, as an agent sees them and as the world calls them."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from pytest_toolsandbox.wording.regular_expression import RegularExpression

from .call_rules import CallComparison
from .context import Context
from .schemas import allowed_types, lifted

if typing.TYPE_CHECKING:
    from jsonschema import ValidationError
    from jsonschema.protocols import Validator


class NotGiven:
    """The type of ``NOT_GIVEN``, the default of an argument that may be left out but not null."""

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "NOT_GIVEN"


NOT_GIVEN: Final = NotGiven()


@dataclass(frozen=True)
class Parameter:
    """One argument of a tool.

    ``schema`` is what calls are checked against; ``shown`` what an agent reads, in which an
    optional type stands without its null, as in ToolSandbox (appendix A.2).
    """

    name: str
    schema: Mapping[str, Any]
    shown: Mapping[str, Any]
    description: str
    default: Any = inspect.Parameter.empty

    @property
    def required(self) -> bool:
        """Whether a call must give it."""
        return self.default is inspect.Parameter.empty


@dataclass(frozen=True)
class Tool:
    """A function that agents, or the simulated user, may call.

    Its first parameter may be annotated as :class:`Context`: it is the world, and not shown.
    Name, description and parameters come from the function's name, docstring and type hints.
    ``module`` names the group that the tool belongs to. An ``action`` does something, where other
    tools only find something out; ``comparison`` says when a call of it is the expected one.
    A ``precondition`` raises where the tool cannot be called at all, whatever the arguments; the
    execution environment asks it before it looks at them.
    """

    function: Callable[..., Any]
    module: str = ""
    for_user: bool = False
    action: bool = field(default=False, kw_only=True)
    comparison: CallComparison = field(default=CallComparison(), kw_only=True, compare=False)
    precondition: Callable[[Context], None] | None = field(default=None, kw_only=True)
    name: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.function.__name__)

    @cached_property
    def description(self) -> str:
        """What the docstring says before its sections, as one paragraph."""
        parts = (self._docstring.short_description, self._docstring.long_description)
        return " ".join(" ".join(part.split()) for part in parts if part)

    @cached_property
    def parameters(self) -> Mapping[str, Parameter]:
        """Name → parameter, in the order of the signature, without the context."""
        described = {item.arg_name: item.description or "" for item in self._docstring.params}
        return {
            name: Parameter(
                name, *_schemas(hint), " ".join(described.get(name, "").split()), default
            )
            for name, hint, default in self._signature
        }

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The tool as a chat-completions API takes it."""
        shown = {name: parameter.shown for name, parameter in self.parameters.items()}
        properties, definitions = lifted(shown)
        return {
            "type": "function",
            "function": {
                "name": self.name,
                "description": self.description,
                "parameters": {
                    "type": "object",
                    "properties": {
                        name: {**schema, "description": self.parameters[name].description}
                        for name, schema in properties.items()
                    },
                    "required": [name for name, p in self.parameters.items() if p.required],
                    **({"$defs": definitions} if definitions else {}),
                },
            },
        }

    def bind(
        self, arguments: Mapping[str, Any], shown: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        """Check the arguments of a call and add the defaults, except those that are not given.

        ``shown`` maps the tool's names of its arguments to those of the call, where they differ;
        what is returned has the tool's. Raises ``TypeError`` for an argument that is missing,
        unknown or of the wrong type, in the names of the call.
        """
        names = shown or {name: name for name in self.parameters}
        for name, parameter in self.parameters.items():
            if parameter.required and names[name] not in arguments:
                raise TypeError(f"missing a required argument: {names[name]!r}")
        known = set(names.values())
        for name in arguments:
            if name not in known:
                raise TypeError(f"got an unexpected keyword argument {name!r}")
        given = {name: arguments[names[name]] for name in names if names[name] in arguments}
        for name, value in given.items():
            if problem := self.problem(name, value, names[name]):
                raise TypeError(problem)
        bound = {name: given.get(name, p.default) for name, p in self.parameters.items()}
        return {name: value for name, value in bound.items() if value is not NOT_GIVEN}

    def problem(self, name: str, value: Any, shown: str | None = None) -> str | None:
        """Say what is wrong with the type of an argument, if anything is.

        ``shown`` is what the argument is called there, if not by its name.
        """
        error = next(iter(self._validators[name].iter_errors(value)), None)
        if error is None:
            return None
        allowed = allowed_types(self.parameters[name].schema)
        where = "".join(f"[{part!r}]" for part in error.absolute_path)
        shown = shown or name
        if where or not allowed or type_name(value) in allowed:
            return f"Parameter {shown!r} is not valid: {shown}{where}: {error.message}"
        expected = " or ".join(allowed)
        return f"Parameter {shown!r} is of type '{type_name(value)}', but expected '{expected}'."

    def check_precondition(self, context: Context) -> None:
        """Raise what keeps the tool from being called now, if anything does."""
        if self.precondition is not None:
            self.precondition(context)

    def run(self, context: Context, arguments: Mapping[str, Any]) -> Any:
        """Call the function with bound arguments. What it raises is the call's error."""
        if self._takes_context:
            return self.function(context, **arguments)
        return self.function(**arguments)

    @cached_property
    def _hints(self) -> dict[str, Any]:
        return typing.get_type_hints(self.function)

    @cached_property
    def _takes_context(self) -> bool:
        first = next(iter(inspect.signature(self.function).parameters), None)
        return first is not None and self._hints.get(first) is Context

    @property
    def _signature(self) -> Iterator[tuple[str, Any, Any]]:
        signature = inspect.signature(self.function).parameters.values()
        for parameter in list(signature)[self._takes_context :]:
            yield parameter.name, self._hints.get(parameter.name, Any), parameter.default

    @cached_property
    def _docstring(self) -> Any:
        from docstring_parser import DocstringStyle, parse

        return parse(self.function.__doc__ or "", DocstringStyle.GOOGLE)

    @cached_property
    def _validators(self) -> dict[str, Validator]:
        validator = _validator_class()
        return {name: validator(dict(p.schema)) for name, p in self.parameters.items()}


def tool(
    module: str,
    *,
    for_user: bool = False,
    action: bool = False,
    comparison: CallComparison | None = None,
    precondition: Callable[[Context], None] | None = None,
) -> Callable[[Callable[..., Any]], Tool]:
    """Make a function a tool of the group ``module``."""
    compared = comparison or CallComparison()
    return lambda function: Tool(
        function, module, for_user, action=action, comparison=compared, precondition=precondition
    )


def type_name(value: Any) -> str:
    """Return the name that JSON Schema has for the type of a value."""
    names = {
        bool: "boolean",
        int: "integer",
        float: "number",
        str: "string",
        type(None): "null",
        list: "array",
    }
    return names.get(type(value), "object")


def _schemas(hint: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the JSON Schema of a type hint, to check calls by and to show."""
    union = typing.get_origin(hint) in (types.UnionType, typing.Union)
    members = [m for m in typing.get_args(hint) if m is not NotGiven] if union else [hint]
    whole = _schema(typing.Union[tuple(members)])  # noqa: UP007  # members are a tuple
    shown = [member for member in members if member is not type(None)]
    if set(shown) <= {int, float}:
        return whole, _schema(float if float in shown else int)
    return whole, _schema(typing.Union[tuple(shown)])  # noqa: UP007  # likewise


def _schema(hint: Any) -> dict[str, Any]:
    simple = {str: "string", bool: "boolean", int: "integer", float: "number"}
    if hint in simple:
        return {"type": simple[hint]}
    if hint is Any:
        return {}
    from pydantic import TypeAdapter

    return TypeAdapter(hint).json_schema()


def _validator_class() -> type[Validator]:
    """JSON Schema with Python's idea of numbers, as ToolSandbox checks them.

    A float is no integer even when it is whole, and a boolean may stand for a number.
    """
    from jsonschema import Draft202012Validator, validators

    checker = Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int)
    ).redefine("number", lambda _, value: isinstance(value, (int, float)))
    extend: Callable[..., type[Validator]] = validators.extend
    return extend(Draft202012Validator, {"pattern": _pattern}, type_checker=checker)


def _pattern(_: Any, pattern: str, instance: Any, __: Any) -> Iterator[ValidationError]:
    """Check the keyword ``pattern``, which jsonschema would do in unbounded time."""
    from jsonschema import ValidationError

    if isinstance(instance, str) and not RegularExpression(pattern).is_found_in(instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")
