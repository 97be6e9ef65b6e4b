"""JSON Schemas of arguments, as parts of the schema of a tool."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Schema = Mapping[str, Any]
_ROOT = "#/$defs/"
_BY_NAME = ("$defs", "properties", "patternProperties")
"""Keywords whose values are schemas by name."""
_VALUES = ("const", "default", "enum", "examples", "required")
"""Keywords whose values are no schemas, whatever they look like."""
SIMPLE_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number"}
_TYPE_NAMES = {**SIMPLE_TYPES, type(None): "null", list: "array"}


def lifted(schemas: Mapping[str, Schema]) -> tuple[dict[str, Schema], dict[str, Schema]]:
    """Return the schemas of arguments without definitions of their own, and all definitions.

    References lead to the root of a schema, which is that of the tool as soon as the argument is
    part of it. Of two definitions with one name that differ, the later one gets another name.
    """
    definitions: dict[str, Schema] = {}
    bare = {}
    for argument, schema in schemas.items():
        own: Mapping[str, Schema] = schema.get("$defs", {})
        names = {_ROOT + name: _ROOT + _free(name, own[name], definitions) for name in own}
        linked = with_keyword(schema, "$ref", names.get)
        for name, definition in linked.pop("$defs", {}).items():
            definitions[names[_ROOT + name].removeprefix(_ROOT)] = definition
        bare[argument] = linked
    return bare, definitions


def with_keyword(schema: Any, keyword: str, change: Callable[[str], str | None]) -> Any:
    """Return a schema with other values of a keyword, at every depth, or without (``None``)."""
    if isinstance(schema, list):
        return [with_keyword(item, keyword, change) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    changed: dict[str, Any] = {}
    for key, value in schema.items():
        if key == keyword:
            text = change(value)
            changed |= {} if text is None else {key: text}
        elif key in _BY_NAME:
            parts = value.items()
            changed[key] = {name: with_keyword(one, keyword, change) for name, one in parts}
        else:
            changed[key] = value if key in _VALUES else with_keyword(value, keyword, change)
    return changed


def allowed_types(schema: Schema, definitions: Mapping[str, Schema] | None = None) -> list[str]:
    """Return the names of the types that a schema allows; none where it does not tell."""
    known = definitions or schema.get("$defs", {})
    if "anyOf" in schema:
        members = [allowed_types(member, known) for member in schema["anyOf"]]
        return [name for member in members for name in member] if all(members) else []
    if "$ref" in schema:
        return allowed_types(known[schema["$ref"].removeprefix(_ROOT)], known)
    return [schema["type"]] if isinstance(schema.get("type"), str) else []


def type_name(value: Any) -> str:
    """Return the name that JSON Schema has for the type of a value."""
    return _TYPE_NAMES.get(type(value), "object")


def _free(name: str, schema: Schema, definitions: Mapping[str, Schema]) -> str:
    free, count = name, 1
    while definitions.get(free, schema) != schema:
        count += 1
        free = f"{name}_{count}"
    return free
