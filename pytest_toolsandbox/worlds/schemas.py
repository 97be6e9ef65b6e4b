"""JSON Schemas of arguments, as parts of the schema of a tool."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain, zip_longest
from typing import Any

Schema = Mapping[str, Any]
_ROOT = "#/$defs/"
_BY_NAME = ("$defs", "properties", "patternProperties")
"""Keywords whose values are schemas by name."""
_VALUES = ("const", "default", "enum", "examples", "required")
"""Keywords whose values are no schemas, whatever they look like."""
SIMPLE_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number"}
ANY_TYPE = "any"
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


def allowed_types(schema: Schema, root: Schema | None = None) -> list[str]:
    """Return the names of the types that a schema allows; none where it does not tell."""
    types = [one.get("type") for one in flat(schema, schema if root is None else root)]
    return [] if None in types else list(dict.fromkeys(map(str, types)))


def flat(schema: Schema, root: Schema) -> list[Schema]:
    """Return the schemas of which a value has to fit one, without references."""
    schema = _resolved(schema, root)
    members = schema.get("anyOf") or schema.get("oneOf")
    if not members:
        return [schema]
    return list(chain.from_iterable(flat(member, root) for member in members))


def members_for(value: Any, schema: Schema, root: Schema) -> list[Schema]:
    """Return those of the schemas that a value may fit whose type it has."""
    return [one for one in flat(schema, root) if one.get("type") in (None, *_types_of(value))]


def has_type(value: Any, schema: Schema, root: Schema | None = None) -> bool:
    """Whether a JSON value has the types that a JSON Schema asks for, at every depth.

    What a schema says of values (enumerations, limits, keys that must be there) does not count,
    other than by which of several types is meant.
    ``root`` is the schema that holds the definitions, if not this one.
    """
    root = schema if root is None else root
    schema = _resolved(schema, root)
    if "anyOf" in schema or "oneOf" in schema:
        members = flat(schema, root)
        meant = [one for one in members if not other_tags(value, one)] or members
        return any(has_type(value, one, root) for one in meant)
    if schema.get("type") not in (None, *_types_of(value)):
        return False
    return all(has_type(item, inner, root) for _, item, inner in parts_of(value, schema))


def other_tags(value: Any, schema: Schema) -> list[str]:
    """Return the keys of an object by which it is of another type than this one."""
    known = schema.get("properties", {}).items() if isinstance(value, Mapping) else ()
    tags = {key: part["const"] for key, part in known if "const" in part}
    return [key for key, tag in tags.items() if key in value and value[key] != tag]


def type_in_words(schema: Schema, root: Schema | None = None) -> str:
    """Return the type of an argument as its schema has it: ``integer``, ``array of string``."""
    root = schema if root is None else root
    schema = _resolved(schema, root)
    if members := schema.get("anyOf") or schema.get("oneOf"):
        return " or ".join(dict.fromkeys(type_in_words(member, root) for member in members))
    name: str = schema.get("type", ANY_TYPE)
    inner = type_in_words(schema.get("items") or {}, root) if name == "array" else ANY_TYPE
    return name if inner == ANY_TYPE else f"{name} of {inner}"


def type_name(value: Any) -> str:
    """Return the name that JSON Schema has for the type of a value."""
    return _TYPE_NAMES.get(type(value), "object")


def _types_of(value: Any) -> tuple[str, ...]:
    found = type_name(value)
    return (found, "number") if found == "integer" else (found,)


def _resolved(schema: Schema, root: Schema) -> Schema:
    """Return a schema, or the definition to which it refers."""
    if "$ref" not in schema:
        return schema
    return _resolved(root["$defs"][schema["$ref"].removeprefix(_ROOT)], root)


def parts_of(value: Any, schema: Schema) -> Iterator[tuple[str | int, Any, Schema]]:
    """Yield what is in a list or an object: its key, itself and its schema."""
    for key, item, inner in _parts(value, schema):
        yield key, item, inner if isinstance(inner, Mapping) else {}


def _parts(value: Any, schema: Schema) -> Iterator[tuple[str | int, Any, Any]]:
    if isinstance(value, list):
        first = schema.get("prefixItems", [])
        pairs = zip_longest(value, first[: len(value)], fillvalue=schema.get("items"))
        yield from ((index, item, inner) for index, (item, inner) in enumerate(pairs))
    elif isinstance(value, Mapping):
        known, others = schema.get("properties", {}), schema.get("additionalProperties")
        yield from ((name, item, known.get(name, others)) for name, item in value.items())


def _free(name: str, schema: Schema, definitions: Mapping[str, Schema]) -> str:
    free, count = name, 1
    while definitions.get(free, schema) != schema:
        count += 1
        free = f"{name}_{count}"
    return free
