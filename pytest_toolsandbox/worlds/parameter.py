"""Parameters of tools: the JSON Schema of a type hint, and how JSON becomes what the hint says."""

from __future__ import annotations

import copy
import enum
import inspect
import json
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Union, cast

from pytest_toolsandbox.text.formatting import format_value
from pytest_toolsandbox.text.regular_expression import RegularExpression

from .json_values import as_json
from .schemas import (
    SIMPLE_TYPES,
    Problem,
    allowed_types,
    allowed_words,
    completed,
    problems,
    type_name,
    unknown_keys,
)
from .state import plain

if TYPE_CHECKING:
    from jsonschema import ValidationError
    from jsonschema.protocols import Validator
    from pydantic import TypeAdapter
    from pydantic.fields import FieldInfo
    from pydantic.json_schema import GenerateJsonSchema


class NotGiven:
    """The type of ``NOT_GIVEN``, the default of an argument that may be absent but not null."""

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "NOT_GIVEN"


NOT_GIVEN: Final = NotGiven()
REQUIRED: Final = inspect.Parameter.empty

_UNIONS: Final = (types.UnionType, Union)


@dataclass(frozen=True)
class Parameter:
    """A parameter of a tool: ``python_default`` may be ``NOT_GIVEN`` or ``REQUIRED``.

    ``name`` is that of the argument in calls; ``python_name`` is that of the function's parameter.
    """

    name: str
    hint: Any
    description: str = ""
    python_default: Any = REQUIRED
    python_name: str = ""

    @cached_property
    def default(self) -> Any:
        """A JSON value, ``NOT_GIVEN``, or ``REQUIRED`` if a call must give the argument."""
        default = self.python_default
        if default is NOT_GIVEN or default is REQUIRED or self._adapter is None:
            return default
        return json.loads(as_json(default))

    @property
    def required(self) -> bool:
        """Whether a call must give the argument."""
        return self.python_default is REQUIRED

    @cached_property
    def schema(self) -> Mapping[str, Any]:
        """The JSON Schema of the values that a call may give."""
        return _schema(self._hint)

    @cached_property
    def shown(self) -> Mapping[str, Any]:
        """The JSON Schema for agents: without the null of an optional type (ToolSandbox, A.2)."""
        members, metadata = _parts(self._hint)
        hints = tuple(hint for hint in members if hint is not type(None)) or (None,)
        if float in hints and all(hint in (int, float) for hint in hints):
            hints = (float,)
        return _schema(_joined(hints, metadata))

    @cached_property
    def shown_default(self) -> Mapping[str, Any]:
        """The default for the JSON Schema; none for null, which no shown type allows."""
        has_default = not self.required and self.default not in (None, NOT_GIVEN)
        return {"default": self.default} if has_default else {}

    @property
    def may_be_left_out(self) -> bool:
        """Whether ``NOT_GIVEN`` may be its default."""
        return NotGiven in _parts(self.hint)[0]

    def read(self, value: Any) -> Any:
        """Return what the function gets for a JSON value. Raises pydantic's ValidationError."""
        if self._adapter is None:
            return value
        # In JSON, strict validation accepts a text for a date, and still no text for a number.
        return self._adapter.validate_json(json.dumps(value), strict=True)

    def problem(self, value: Any, name: str) -> str | None:
        """Say why a JSON value cannot be the argument, which the caller knows as ``name``."""
        if type(value) in self._simple:
            return None
        problem = next(self.problems(value), None)
        if problem is None:
            return None
        allowed = allowed_types(self.schema)
        is_of_type = not problem.allowed or type_name(value) in allowed
        if problem.path or not allowed or is_of_type:
            return _invalid(name, problem)
        expected = " or ".join(allowed)
        return f"Parameter {name!r} is of type '{type_name(value)}', but expected '{expected}'."

    def problems(self, value: Any) -> Iterator[Problem]:
        """Yield why a JSON value cannot be the argument, each with its path inside the value."""
        if type(value) in self._simple:  # most are, and importing jsonschema takes 50 ms
            return
        is_valid = True
        for problem in problems(validator_of(self.schema), value, self.schema):
            is_valid = False
            yield problem
        if is_valid and self._adapter is not None:
            yield from self._unread(value)

    def unknown_keys(self, value: Any) -> Iterator[tuple[tuple[str | int, ...], list[str]]]:
        """Yield the path of each key inside a JSON value that its model does not know.

        With each comes the list of the keys that the model knows.
        """
        return unknown_keys(value, self.schema, self.schema)

    def completed(self, value: Any) -> Any:
        """Return a JSON value of the argument with the defaults inside it, such as a model's."""
        has_defaults = '"default":' in self._schema_as_json
        return completed(plain(value), self.schema, self.schema) if has_defaults else value

    def _unread(self, value: Any) -> Iterator[Problem]:
        """Yield why a value fits the schema and still not the hint, if so."""
        from pydantic import ValidationError

        try:
            self.read(value)
        except ValidationError as error:
            first, path, inner = error.errors(include_url=False)[0], [], value
            for part in first["loc"]:  # which names types of a union as well
                is_key = isinstance(inner, dict) and part in inner
                if is_key or (isinstance(inner, list) and isinstance(part, int)):
                    inner = inner[part]
                    path.append(part)
            yield Problem(tuple(path), first["input"], first["msg"])

    @cached_property
    def _hint(self) -> Any:
        """The hint without ``NotGiven``."""
        members, metadata = _parts(self.hint)
        return _joined(tuple(hint for hint in members if hint is not NotGiven), metadata)

    @cached_property
    def _simple(self) -> tuple[type, ...]:
        """The types whose values all fit."""
        return tuple(k for k in (*SIMPLE_TYPES, type(None)) if k in _members(self._hint))

    @cached_property
    def _adapter(self) -> TypeAdapter[Any] | None:
        """What reads JSON as the hint says; ``None`` if JSON's own values are that already."""
        return None if _is_json(self._hint) else _adapter(self._hint)

    @cached_property
    def _schema_as_json(self) -> str:
        return json.dumps(self.schema)


def named_for_agents(name: str, hint: Any) -> tuple[str, Any]:
    """Return the alias of a parameter in its hint, ``Field(alias=...)``, and the hint without it.

    An alias is the only way to names such as ``from``. Without one, name and hint are unchanged.
    """
    if typing.get_origin(hint) is not Annotated:
        return name, hint
    from pydantic.fields import FieldInfo

    members, metadata = _parts(hint)
    infos = [info for info in metadata if isinstance(info, FieldInfo)]
    aliases = (info.validation_alias or info.alias for info in infos)
    alias = next((alias for alias in aliases if isinstance(alias, str)), name)
    unnamed = (_unnamed(info) if info in infos else info for info in metadata)
    return alias, _joined(members, tuple(unnamed))


def _unnamed(info: FieldInfo) -> FieldInfo:
    """Return a field without its alias: pydantic warns about an alias outside of models."""
    unnamed = copy.copy(info)
    unnamed.alias = unnamed.validation_alias = unnamed.serialization_alias = None
    return unnamed


def _parts(hint: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return the members of a union, or the hint alone, and the metadata of ``Annotated``."""
    if typing.get_origin(hint) is Annotated:
        return _members(hint.__origin__), hint.__metadata__
    return _members(hint), ()


def _joined(members: tuple[Any, ...], metadata: tuple[Any, ...]) -> Any:
    hint: Any = Union[members]  # noqa: UP007  # they are a tuple
    return cast("Any", Annotated)[hint, *metadata] if metadata else hint


def _members(hint: Any) -> tuple[Any, ...]:
    return typing.get_args(hint) if typing.get_origin(hint) in _UNIONS else (hint,)


def _invalid(name: str, problem: Problem) -> str:
    where = "".join(f"[{part!r}]" for part in problem.path)
    text = problem.text
    if len(problem.allowed) > 1:
        text = f"expected {allowed_words(problem.allowed, {})}, found {format_value(problem.found)}"
    return f"Parameter {name!r} is not valid: {name}{where}: {text}"


def _is_json(hint: Any) -> bool:
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        return not any(isinstance(value, (enum.Enum, bytes)) for value in inner)
    if origin in (*_UNIONS, list, dict):
        return (origin is not dict or inner[0] is str) and all(map(_is_json, inner))
    return hint in (Any, None, type(None), list, dict, *SIMPLE_TYPES)


def _schema(hint: Any) -> dict[str, Any]:
    if hint in tuple(SIMPLE_TYPES):
        return {"type": SIMPLE_TYPES[hint]}
    return {} if hint is Any else _adapter(hint).json_schema(schema_generator=_schema_class())


@cache
def _schema_class() -> type[GenerateJsonSchema]:
    """Return pydantic's schemas for agents.

    Discriminated unions are ``anyOf``: not all providers read ``oneOf``, and none needs its
    ``discriminator``, since the models' own constants tell them apart. Types are refused that
    pydantic describes so loosely, as any text or as anything, that an agent cannot write them.
    """
    from pydantic.json_schema import GenerateJsonSchema

    class ForAgents(GenerateJsonSchema):
        def tagged_union_schema(self, schema: Any) -> dict[str, Any]:
            union = super().tagged_union_schema(schema)
            return {"anyOf": union["oneOf"]} if "oneOf" in union else union

        def complex_schema(self, schema: Any) -> dict[str, Any]:
            return self.handle_invalid_for_json_schema(schema, "complex")

        def is_subclass_schema(self, schema: Any) -> dict[str, Any]:
            return self.handle_invalid_for_json_schema(schema, "type[...]")

    return ForAgents


def _adapter(hint: Any) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(hint)


def validator_of(schema: Mapping[str, Any]) -> Validator:
    """Return what checks values against a JSON Schema, with regular expressions in bounded time."""
    return _validator_class()(dict(schema))


@cache
def _validator_class() -> type[Validator]:
    """JSON Schema with Python's numbers: no float is an integer, booleans are numbers."""
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
