"""Arguments of tools: the JSON Schema of a type hint, and how JSON becomes what the hint says.

What is inside of an argument, such as a model: its defaults, and what is wrong with it.
"""

from __future__ import annotations

import enum
import inspect
import json
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, Union

from pytest_toolsandbox.text.formatting import format_value, join_words
from pytest_toolsandbox.text.regular_expression import RegularExpression

from .json_values import as_json
from .schemas import (
    ANY_TYPE,
    SIMPLE_TYPES,
    Schema,
    allowed_types,
    flat,
    has_type,
    members_for,
    other_tags,
    parts_of,
    type_in_words,
    type_name,
)
from .state import plain

if TYPE_CHECKING:
    from jsonschema import ValidationError
    from jsonschema.protocols import Validator
    from pydantic import TypeAdapter


Path = tuple[str | int, ...]
_OF_KIND: Final = ("type", "enum", "const", "anyOf", "oneOf")
"""Keywords that say which values there are, and nothing of what is inside of them."""


class Problem(NamedTuple):
    """What is wrong with a value inside of an argument.

    ``allowed`` are the schemas of which it fits none, where that is what is wrong.
    """

    path: Path
    found: Any
    text: str
    allowed: tuple[Schema, ...] = ()


def meant(value: Any, schema: Schema, root: Schema) -> Schema | None:
    """Return the schema that a value is most like, if it has the type of any that is allowed."""
    typed = members_for(value, schema, root)
    return min(typed, key=lambda one: _distance(value, one, root), default=None)


def completed(value: Any, schema: Schema, root: Schema) -> Any:
    """Return a JSON value with the defaults of the objects that are in it."""
    one = meant(value, schema, root)
    if one is None:
        return value
    parts = [completed(item, inner, root) for _, item, inner in parts_of(value, one)]
    if not isinstance(value, Mapping):
        return parts if isinstance(value, list) else value
    usual = {k: part["default"] for k, part in _properties(one).items() if "default" in part}
    return {**usual, **dict(zip(value, parts, strict=True))}


def unknown_keys(value: Any, schema: Schema, root: Schema) -> Iterator[tuple[Path, list[str]]]:
    """Yield the keys of objects that these do not know, each with the keys that they know."""
    one = meant(value, schema, root)
    if one is None:
        return
    yield from (((key,), [*_properties(one)]) for key in _unknown(value, one))
    for key, item, inner in parts_of(value, one):
        yield from (((key, *path), known) for path, known in unknown_keys(item, inner, root))


def mistyped(value: Any, schema: Schema, root: Schema) -> tuple[Path, str, Any]:
    """Return where an object has a value of a wrong type, the right one in words, and the value.

    What is no key of an object is told of the list that holds it, and the path ends there.
    """
    one = meant(value, schema, root)
    for key, item, inner in parts_of(value, one or {}):
        if not has_type(item, inner, root):
            path, expected, found = mistyped(item, inner, root)
            if path or isinstance(key, str):
                return (key, *path), expected, found
    return (), type_in_words(schema, root), value


def problems(validator: Validator, value: Any, root: Schema) -> Iterator[Problem]:
    """Yield what is wrong with a value, in the type that was meant where several are allowed."""
    for error in validator.iter_errors(value):
        path, found = tuple(error.absolute_path), error.instance
        if error.validator not in _OF_KIND:
            yield Problem(path, found, error.message)
            continue
        schema: Schema = error.schema if isinstance(error.schema, Mapping) else {}
        inside = _inside(validator, found, schema, root) if "Of" in error.validator else []
        for inner in inside:
            yield inner._replace(path=(*path, *inner.path))
        if not inside:
            yield Problem(path, found, error.message, tuple(flat(schema, root)))


def allowed_words(schemas: Iterable[Schema], types: Mapping[str, str]) -> str:
    """Return what schemas allow: their values, or their types, for which ``types`` has words."""
    words = (word for schema in schemas for word in _words(schema, types))
    return join_words(list(dict.fromkeys(words)))


def _words(schema: Schema, types: Mapping[str, str]) -> list[str]:
    values = schema.get("enum", [schema["const"]] if "const" in schema else [])
    kind = schema.get("type", ANY_TYPE)
    return list(map(format_value, values)) or [types.get(kind, kind)]


def _inside(validator: Validator, value: Any, schema: Schema, root: Schema) -> list[Problem]:
    """Return what is wrong in the type that was meant; none where no type says more."""
    one = meant(value, schema, root)
    if one is None or "enum" in one or "const" in one:
        return []
    if tags := other_tags(value, one):
        others = [_properties(member) for member in members_for(value, schema, root)]
        allowed = {key: tuple(known[key] for known in others if key in known) for key in tags}
        return [Problem((key,), value[key], "", allowed[key]) for key in tags]
    return list(problems(validator.evolve(schema=one), value, root))


def _distance(value: Any, schema: Schema, root: Schema) -> tuple[int, int, int, bool]:
    """Return how unlike an object a value is: tags that differ, unknown keys, missing keys."""
    if not isinstance(value, Mapping):
        return 0, 0, 0, not has_type(value, schema, root)
    missing = sum(key not in value for key in schema.get("required", ()))
    other, unknown = len(other_tags(value, schema)), len(_unknown(value, schema))
    return other, unknown, missing, not has_type(value, schema, root)


def _unknown(value: Any, schema: Schema) -> list[str]:
    is_open = schema.get("additionalProperties") or "patternProperties" in schema
    if is_open or not isinstance(value, Mapping) or "properties" not in schema:
        return []
    return [key for key in value if key not in schema["properties"]]


def _properties(schema: Schema) -> Mapping[str, Schema]:
    known: Mapping[str, Schema] = schema.get("properties", {})
    return known


class NotGiven:
    """The type of ``NOT_GIVEN``, the default of an argument that may be left out but not null."""

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "NOT_GIVEN"


NOT_GIVEN: Final = NotGiven()
REQUIRED: Final = inspect.Parameter.empty

_UNIONS: Final = (types.UnionType, Union)


@dataclass(frozen=True)
class Parameter:
    """One argument of a tool: ``python_default`` may be ``NOT_GIVEN`` or ``REQUIRED``."""

    name: str
    hint: Any
    description: str = ""
    python_default: Any = REQUIRED

    @cached_property
    def default(self) -> Any:
        """A JSON value, ``NOT_GIVEN``, or ``REQUIRED`` where a call must give the argument."""
        is_value = not any(self.python_default is one for one in (NOT_GIVEN, REQUIRED))
        has_adapter = is_value and self._adapter is not None
        return json.loads(as_json(self.python_default)) if has_adapter else self.python_default

    @property
    def required(self) -> bool:
        """Whether a call must give it."""
        return self.python_default is REQUIRED

    @cached_property
    def schema(self) -> Mapping[str, Any]:
        """The JSON Schema of what a call may give."""
        return _schema(self._hint)

    @cached_property
    def shown(self) -> Mapping[str, Any]:
        """The JSON Schema for agents: without the null of an optional type (ToolSandbox, A.2)."""
        kinds = [kind for kind in _members(self._hint) if kind is not type(None)] or [None]
        if float in kinds and all(kind in (int, float) for kind in kinds):
            kinds = [float]
        return _schema(Union[tuple(kinds)])  # noqa: UP007  # they are a list

    @property
    def may_be_left_out(self) -> bool:
        """Whether ``NOT_GIVEN`` may be its default."""
        return NotGiven in _members(self.hint)

    def read(self, value: Any) -> Any:
        """Return what the function gets for a JSON value. Raises pydantic's ValidationError."""
        if self._adapter is None:
            return value
        # As JSON, since strict validation takes a text for a date there, but none for a number.
        return self._adapter.validate_json(json.dumps(value), strict=True)

    def problem(self, value: Any, name: str) -> str | None:
        """Say why a JSON value cannot be the argument, which the caller knows as ``name``."""
        if type(value) in self._simple:  # most arguments, and jsonschema takes its time
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
        """Yield why a JSON value cannot be the argument, each with its place inside of it."""
        is_right = True
        for problem in problems(self._validator, value, self.schema):
            is_right = False
            yield problem
        if is_right and self._adapter is not None:
            yield from self._unread(value)

    def unknown_keys(self, value: Any) -> Iterator[tuple[Path, list[str]]]:
        """Yield the keys inside a JSON value that no model knows, each with those that it knows."""
        return unknown_keys(value, self.schema, self.schema)

    def completed(self, value: Any) -> Any:
        """Return a JSON value of the argument with the defaults inside of it, as of a model."""
        return completed(plain(value), self.schema, self.schema) if self._has_defaults else value

    def _unread(self, value: Any) -> Iterator[Problem]:
        """Yield why a value that fits the schema is not what the hint says, if it is not."""
        from pydantic import ValidationError

        try:
            self.read(value)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            yield Problem(_walked(value, first["loc"]), first["input"], first["msg"])

    @cached_property
    def _hint(self) -> Any:
        kinds = tuple(kind for kind in _members(self.hint) if kind is not NotGiven)
        return Union[kinds]  # noqa: UP007  # they are a tuple

    @cached_property
    def _simple(self) -> tuple[type, ...]:
        """The types whose values all fit."""
        return tuple(kind for kind in SIMPLE_TYPES if kind in _members(self._hint))

    @cached_property
    def _adapter(self) -> TypeAdapter[Any] | None:
        """What reads JSON as the hint says; ``None`` where JSON's own values are that already."""
        return None if _is_json(self._hint) else _adapter(self._hint)

    @cached_property
    def _has_defaults(self) -> bool:
        """Whether there may be defaults inside of a value."""
        return '"default":' in json.dumps(self.schema)

    @cached_property
    def _validator(self) -> Validator:
        return _validator_class()(dict(self.schema))


def _members(hint: Any) -> tuple[Any, ...]:
    return typing.get_args(hint) if typing.get_origin(hint) in _UNIONS else (hint,)


def _walked(value: Any, location: Iterable[str | int]) -> Path:
    """Follow a location into a value, which may name types of a union as well."""
    path: Path = ()
    for part in location:
        is_key = isinstance(value, dict) and part in value
        if is_key or (isinstance(value, list) and isinstance(part, int)):
            value, path = value[part], (*path, part)
    return path


def _invalid(name: str, problem: Problem) -> str:
    where = "".join(f"[{part!r}]" for part in problem.path)
    text = problem.text
    if len(problem.allowed) > 1:  # of several types, none of which says more
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
    return {} if hint is Any else _adapter(hint).json_schema()


def _adapter(hint: Any) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(hint)


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
