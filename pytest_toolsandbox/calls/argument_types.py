"""Whether an argument has the type that it should have, whatever its value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_toolsandbox.worlds.schemas import type_name

Schema = Mapping[str, Any]

ANY_TYPE: Final = "any"

_ALSO: Final = {"integer": ("number",), "boolean": ("integer", "number")}
"""Types that stand for others, as calls are checked: a boolean is a number, too."""


def has_type(value: Any, schema: Schema, root: Schema | None = None) -> bool:
    """Whether a JSON value has the types that a JSON Schema asks for, at every depth.

    What a schema says of values (enumerations, limits, keys that must be there) does not count.
    ``root`` is the schema that holds the definitions, if not this one.
    """
    root = schema if root is None else root
    if "$ref" in schema:
        return has_type(value, _definition(schema, root), root)
    members = schema.get("anyOf") or schema.get("oneOf")
    if members and not any(has_type(value, member, root) for member in members):
        return False
    allowed, found = _types(schema), type_name(value)
    if allowed and not {found, *_ALSO.get(found, ())} & set(allowed):
        return False
    return all(
        has_type(item, inner, root)
        for item, inner in _members(value, schema)
        if isinstance(inner, Mapping)
    )


def type_in_words(schema: Schema, root: Schema | None = None) -> str:
    """Return the type of an argument as its schema has it: ``integer``, ``array of string``."""
    root = schema if root is None else root
    if "$ref" in schema:
        return type_in_words(_definition(schema, root), root)
    if members := schema.get("anyOf") or schema.get("oneOf"):
        return " or ".join(dict.fromkeys(type_in_words(member, root) for member in members))
    written = [_written(name, schema, root) for name in _types(schema)]
    return " or ".join(written) or ANY_TYPE


def _written(name: str, schema: Schema, root: Schema) -> str:
    items = schema.get("items")
    if name != "array" or not isinstance(items, Mapping):
        return name
    inner = type_in_words(items, root)
    return name if inner == ANY_TYPE else f"{name} of {inner}"


def _types(schema: Schema) -> list[str]:
    named = schema.get("type", [])
    return [named] if isinstance(named, str) else list(named)


def _definition(schema: Schema, root: Schema) -> Schema:
    definition: Schema = root.get("$defs", {}).get(schema["$ref"].rpartition("/")[2], {})
    return definition


def _members(value: Any, schema: Schema) -> Iterator[tuple[Any, Any]]:
    if isinstance(value, list):
        first = schema.get("prefixItems", [])
        yield from zip(value, first, strict=False)
        yield from ((item, schema.get("items")) for item in value[len(first) :])
    elif isinstance(value, Mapping):
        known, others = schema.get("properties", {}), schema.get("additionalProperties")
        yield from ((item, known.get(name, others)) for name, item in value.items())
