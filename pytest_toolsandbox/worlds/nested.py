"""What is inside of an argument, such as a model: its defaults, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pytest_toolsandbox.wording.phrases import listed, literal

from .schemas import (
    ANY_TYPE,
    Schema,
    flat,
    has_type,
    members_for,
    other_tags,
    parts_of,
    type_in_words,
)

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

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
    return listed(list(dict.fromkeys(words)))


def _words(schema: Schema, types: Mapping[str, str]) -> list[str]:
    values = schema.get("enum", [schema["const"]] if "const" in schema else [])
    kind = schema.get("type", ANY_TYPE)
    return list(map(literal, values)) or [types.get(kind, kind)]


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
