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


def lifted(schemas: Mapping[str, Schema]) -> tuple[dict[str, Schema], dict[str, Schema]]:
    """Return the schemas of arguments without definitions of their own, and all definitions.

    References lead to the root of a schema, which is that of the tool as soon as the argument is
    part of it. Of two definitions with one name that differ, the later one gets another name.
    """
    definitions: dict[str, Schema] = {}
    bare = {}
    for argument, schema in schemas.items():
        own: Mapping[str, Schema] = schema.get("$defs", {})
        names = {name: _free(name, own[name], definitions) for name in own}
        definitions |= {names[name]: _linked(own[name], names) for name in own}
        rest = {key: value for key, value in schema.items() if key != "$defs"}
        bare[argument] = _linked(rest, names)
    return bare, definitions


def with_descriptions(schema: Any, change: Callable[[str], str | None]) -> Any:
    """Return a schema with other descriptions, at every depth, or without (``None``)."""
    if isinstance(schema, list):
        return [with_descriptions(item, change) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    changed: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "description":
            text = change(value)
            changed |= {} if text is None else {key: text}
        elif key in _BY_NAME:
            changed[key] = {name: with_descriptions(one, change) for name, one in value.items()}
        else:
            changed[key] = value if key in _VALUES else with_descriptions(value, change)
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
    names = {
        bool: "boolean",
        int: "integer",
        float: "number",
        str: "string",
        type(None): "null",
        list: "array",
    }
    return names.get(type(value), "object")


def _free(name: str, schema: Schema, definitions: Mapping[str, Schema]) -> str:
    free, count = name, 1
    while definitions.get(free, schema) != schema:
        count += 1
        free = f"{name}_{count}"
    return free


def _linked(schema: Any, names: Mapping[str, str]) -> Any:
    """Return a schema whose references lead to definitions by their new names."""
    if isinstance(schema, list):
        return [_linked(item, names) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    linked = {key: _linked(value, names) for key, value in schema.items()}
    if isinstance(reference := linked.get("$ref"), str):
        name = reference.removeprefix(_ROOT)
        linked["$ref"] = f"{_ROOT}{names.get(name, name)}"
    return linked
