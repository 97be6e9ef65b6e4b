"""Type hints of arguments: their JSON Schema, and how JSON becomes what the hint says."""

from __future__ import annotations

import enum
import json
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal, Union

from pytest_toolsandbox.wording.regular_expression import RegularExpression

from .json_values import as_json
from .schemas import allowed_types, type_name

if TYPE_CHECKING:
    from jsonschema import ValidationError
    from jsonschema.protocols import Validator
    from pydantic import TypeAdapter


class NotGiven:
    """The type of ``NOT_GIVEN``, the default of an argument that may be left out but not null."""

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "NOT_GIVEN"


NOT_GIVEN: Final = NotGiven()

_SIMPLE: Final = {str: "string", bool: "boolean", int: "integer", float: "number"}
_UNIONS: Final = (types.UnionType, Union)


@dataclass(frozen=True)
class ArgumentType:
    """What a type hint says of an argument.

    Calls are checked against ``schema``; an agent reads ``shown``, in which an optional type
    stands without its null, as in ToolSandbox (appendix A.2). ``adapter`` reads JSON as the hint
    has it; it is ``None`` where JSON's own values are that already.
    """

    schema: Mapping[str, Any]
    shown: Mapping[str, Any]
    adapter: TypeAdapter[Any] | None
    may_be_left_out: bool

    def read(self, value: Any) -> Any:
        """Return what the function gets for a JSON value. Raises pydantic's ValidationError."""
        if self.adapter is None:
            return value
        # As JSON, since strict validation takes a text for a date there, but none for a number.
        return self.adapter.validate_json(json.dumps(value), strict=True)

    @cached_property
    def validator(self) -> Validator:
        """What checks JSON values against the schema."""
        return _validator_class()(dict(self.schema))

    def problem(self, value: Any, name: str) -> str | None:
        """Say why a JSON value cannot be the argument ``name``, if it cannot."""
        error = next(iter(self.validator.iter_errors(value)), None)
        if error is None:
            return None if self.adapter is None else self._unread(value, name)
        allowed = allowed_types(self.schema)
        where = "".join(f"[{part!r}]" for part in error.absolute_path)
        if where or not allowed or type_name(value) in allowed:
            return f"Parameter {name!r} is not valid: {name}{where}: {error.message}"
        expected = " or ".join(allowed)
        return f"Parameter {name!r} is of type '{type_name(value)}', but expected '{expected}'."

    def _unread(self, value: Any, name: str) -> str | None:
        """Say why a value that fits the schema is not what the hint says, if it is not."""
        from pydantic import ValidationError

        try:
            self.read(value)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = "".join(f"[{part!r}]" for part in first["loc"])
            return f"Parameter {name!r} is not valid: {name}{where}: {first['msg']}"
        return None

    def written(self, value: Any) -> Any:
        """Return the JSON value of a default."""
        return value if self.adapter is None else json.loads(as_json(value))


def argument_type(hint: Any) -> ArgumentType:
    """Return what a type hint says. Raises whatever pydantic does where JSON cannot express it."""
    try:
        hash(hint)
    except TypeError:  # limits in Annotated may be lists
        return _argument_type(hint)
    return _remembered(hint, repr(hint))


@lru_cache(maxsize=1024)
def _remembered(hint: Any, written: str) -> ArgumentType:
    """Return a type that was worked out before; unions that are written differently are equal."""
    del written
    return _argument_type(hint)


def _argument_type(hint: Any) -> ArgumentType:
    members = typing.get_args(hint) if typing.get_origin(hint) in _UNIONS else (hint,)
    given = tuple(member for member in members if member is not NotGiven)
    shown = tuple(member for member in given if member is not type(None))
    if set(map(id, shown)) <= {id(int), id(float)}:
        shown = (float,) if float in shown else (int,)
    whole: Any = Union[given]  # noqa: UP007  # members are a tuple
    return ArgumentType(
        _schema(whole),
        _schema(Union[shown]),  # noqa: UP007  # likewise
        None if _is_json(whole) else _adapter(whole),
        NotGiven in members,
    )


def _is_json(hint: Any) -> bool:
    """Whether JSON's values are what the hint says, so that nothing has to be read."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        return not any(isinstance(value, (enum.Enum, bytes)) for value in inner)
    if origin in _UNIONS or origin is list:
        return all(map(_is_json, inner))
    if origin is dict:
        return inner[0] is str and _is_json(inner[1])
    return hint in (Any, None, type(None), list, dict, *_SIMPLE)


def _schema(hint: Any) -> dict[str, Any]:
    if hint in tuple(_SIMPLE):
        return {"type": _SIMPLE[hint]}
    return {} if hint is Any else _adapter(hint).json_schema()


def _adapter(hint: Any) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(hint)


@cache
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
