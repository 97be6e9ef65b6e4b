"""JSON Schemas of arguments: types in words, shared definitions, and values that do not fit.

A value is compared with the alternative of its schema that it fits best: with several types in an
``anyOf``, the message is about the type that was probably meant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pytest_toolsandbox.text.formatting import format_value, join_words

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

Schema = Mapping[str, Any]
SIMPLE_TYPES: Final = {str: "string", bool: "boolean", int: "integer", float: "number"}
ANY_TYPE: Final = "any"
_TYPE_NAMES: Final = {**SIMPLE_TYPES, type(None): "null", list: "array"}
_ROOT: Final = "#/$defs/"
_BY_NAME: Final = ("$defs", "properties", "patternProperties")
"""Keywords whose values are schemas by name."""
_VALUES: Final = ("const", "default", "enum", "examples", "required")
"""Keywords whose values are not schemas, even if they look like one."""
_ALTERNATIVES: Final = ("type", "enum", "const", "anyOf", "oneOf")
"""Keywords that list the allowed values and do not look inside them."""
_Path = tuple[str | int, ...]


class Problem(NamedTuple):
    """What is wrong with a value inside an argument.

    ``allowed`` are the alternatives, if the value fits none of them.
    """

    path: _Path
    found: Any
    text: str
    allowed: tuple[Schema, ...] = ()


def with_shared_definitions(
    schemas: Mapping[str, Schema],
) -> tuple[dict[str, Schema], dict[str, Schema]]:
    """Return the schemas of arguments without their definitions, and all definitions.

    References then lead to the root of the tool's schema. If two different definitions have the
    same name, the later one is renamed.
    """
    definitions: dict[str, Schema] = {}
    arguments = {}
    for argument, schema in schemas.items():
        schema_definitions: Mapping[str, Schema] = schema.get("$defs", {})
        names = {
            _ROOT + name: _ROOT + _free(name, schema_definitions[name], definitions)
            for name in schema_definitions
        }
        linked = with_keyword(schema, "$ref", names.get)
        for name, definition in linked.pop("$defs", {}).items():
            definitions[names[_ROOT + name].removeprefix(_ROOT)] = definition
        arguments[argument] = linked
    return arguments, definitions


def _free(name: str, schema: Schema, definitions: Mapping[str, Schema]) -> str:
    free, count = name, 1
    while definitions.get(free, schema) != schema:
        count += 1
        free = f"{name}_{count}"
    return free


def with_keyword(schema: Any, keyword: str, change: Callable[[str], str | None]) -> Any:
    """Return a schema with other values of a keyword at every depth, or without it (``None``)."""
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
            changed[key] = {name: with_keyword(part, keyword, change) for name, part in parts}
        else:
            changed[key] = value if key in _VALUES else with_keyword(value, keyword, change)
    return changed


def allowed_types(schema: Schema, root: Schema | None = None) -> list[str]:
    """Return the names of the types that a schema allows; none if it allows any."""
    types = [member.get("type") for member in _flat(schema, schema if root is None else root)]
    return [] if None in types else list(dict.fromkeys(map(str, types)))


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


def allowed_words(schemas: Iterable[Schema], types: Mapping[str, str]) -> str:
    """Return the values or the types that schemas allow; ``types`` has words for the types."""
    words: list[str] = []
    for schema in schemas:
        values = schema.get("enum", [schema["const"]] if "const" in schema else [])
        kind = schema.get("type", ANY_TYPE)
        words += list(map(format_value, values)) or [types.get(kind, kind)]
    return join_words(list(dict.fromkeys(words)))


def has_type(value: Any, schema: Schema, root: Schema | None = None) -> bool:
    """Whether a JSON value has the types that a JSON Schema asks for, at every depth.

    Enumerations, limits and required keys do not count, unless they tell which of several types is
    meant. ``root`` is the schema that holds the definitions, if it is not this one.
    """
    root = schema if root is None else root
    schema = _resolved(schema, root)
    if "anyOf" in schema or "oneOf" in schema:
        members = _flat(schema, root)
        candidates = [member for member in members if not _other_tags(value, member)] or members
        return any(has_type(value, member, root) for member in candidates)
    if schema.get("type") not in (None, *_types_of(value)):
        return False
    return all(has_type(item, inner, root) for _, item, inner in _parts_of(value, schema))


def completed(value: Any, schema: Schema, root: Schema) -> Any:
    """Return a JSON value with the defaults of the objects that are in it."""
    match = _best_match(value, schema, root)
    if match is None:
        return value
    parts = [completed(item, inner, root) for _, item, inner in _parts_of(value, match)]
    if not isinstance(value, Mapping):
        return parts if isinstance(value, list) else value
    properties = _properties(match).items()
    defaults = {key: inner["default"] for key, inner in properties if "default" in inner}
    return {**defaults, **dict(zip(value, parts, strict=True))}


def unknown_keys(value: Any, schema: Schema, root: Schema) -> Iterator[tuple[_Path, list[str]]]:
    """Yield the path of each key that its object does not know, with the keys that it knows."""
    match = _best_match(value, schema, root)
    if match is None:
        return
    yield from (((key,), [*_properties(match)]) for key in _unknown(value, match))
    for key, item, inner in _parts_of(value, match):
        yield from (((key, *path), known) for path, known in unknown_keys(item, inner, root))


def mistyped(value: Any, schema: Schema, root: Schema) -> tuple[_Path, str, Any]:
    """Return the path of the first value of a wrong type, the right type in words, and the value.

    Items of a list have no name of their own: the path ends at the list.
    """
    match = _best_match(value, schema, root)
    for key, item, inner in _parts_of(value, match or {}):
        if not has_type(item, inner, root):
            path, expected, actual = mistyped(item, inner, root)
            if path or isinstance(key, str):
                return (key, *path), expected, actual
    return (), type_in_words(schema, root), value


def problems(validator: Validator, value: Any, root: Schema) -> Iterator[Problem]:
    """Yield what is wrong with a value, within the alternative that was probably meant."""
    for error in validator.iter_errors(value):
        path, actual = tuple(error.absolute_path), error.instance
        if error.validator not in _ALTERNATIVES:
            yield Problem(path, actual, error.message)
            continue
        schema: Schema = error.schema if isinstance(error.schema, Mapping) else {}
        inside = (
            _problems_inside(validator, actual, schema, root) if "Of" in error.validator else []
        )
        for problem in inside:
            yield problem._replace(path=(*path, *problem.path))
        if not inside:
            yield Problem(path, actual, error.message, tuple(_flat(schema, root)))


def _problems_inside(
    validator: Validator, value: Any, schema: Schema, root: Schema
) -> list[Problem]:
    """Return what is wrong within the best match; nothing if no alternative says more."""
    match = _best_match(value, schema, root)
    if match is None or "enum" in match or "const" in match:
        return []
    if tags := _other_tags(value, match):
        members = [_properties(member) for member in _members_for(value, schema, root)]
        allowed = {key: tuple(known[key] for known in members if key in known) for key in tags}
        return [Problem((key,), value[key], "", allowed[key]) for key in tags]
    return list(problems(validator.evolve(schema=match), value, root))


def _best_match(value: Any, schema: Schema, root: Schema) -> Schema | None:
    """Return the alternative that a value fits best, if it has the type of any."""
    members = _members_for(value, schema, root)
    return min(members, key=lambda member: _distance(value, member, root), default=None)


def _distance(value: Any, schema: Schema, root: Schema) -> tuple[int, int, int, bool]:
    """Return how badly a value fits: other tags, unknown keys, missing keys, types inside."""
    if not isinstance(value, Mapping):
        return 0, 0, 0, not has_type(value, schema, root)
    missing = sum(key not in value for key in schema.get("required", ()))
    tags, unknown = len(_other_tags(value, schema)), len(_unknown(value, schema))
    return tags, unknown, missing, not has_type(value, schema, root)


def _unknown(value: Any, schema: Schema) -> list[str]:
    is_open = schema.get("additionalProperties") or "patternProperties" in schema
    if is_open or not isinstance(value, Mapping) or "properties" not in schema:
        return []
    return [key for key in value if key not in schema["properties"]]


def _properties(schema: Schema) -> Mapping[str, Schema]:
    properties: Mapping[str, Schema] = schema.get("properties", {})
    return properties


def _flat(schema: Schema, root: Schema) -> list[Schema]:
    """Return the alternatives of a schema, with references resolved."""
    schema = _resolved(schema, root)
    members = schema.get("anyOf") or schema.get("oneOf")
    if not members:
        return [schema]
    return list(chain.from_iterable(_flat(member, root) for member in members))


def _members_for(value: Any, schema: Schema, root: Schema) -> list[Schema]:
    """Return the alternatives of a schema that have the type of a value."""
    types = (None, *_types_of(value))
    return [member for member in _flat(schema, root) if member.get("type") in types]


def _other_tags(value: Any, schema: Schema) -> list[str]:
    """Return the keys of an object whose constant says that it is of another type."""
    properties = _properties(schema).items() if isinstance(value, Mapping) else ()
    tags = {key: inner["const"] for key, inner in properties if "const" in inner}
    return [key for key, tag in tags.items() if key in value and value[key] != tag]


def _types_of(value: Any) -> tuple[str, ...]:
    name = type_name(value)
    return (name, "number") if name == "integer" else (name,)


def _resolved(schema: Schema, root: Schema) -> Schema:
    """Return a schema, or the definition to which it refers; a list of types as alternatives."""
    if "$ref" not in schema:
        types = schema.get("type")
        return (
            {"anyOf": [{**schema, "type": t} for t in types]} if isinstance(types, list) else schema
        )
    return _resolved(root["$defs"][schema["$ref"].removeprefix(_ROOT)], root)


def _parts_of(value: Any, schema: Schema) -> Iterator[tuple[str | int, Any, Schema]]:
    """Yield key, value and schema of each item of a list or an object."""
    parts: Iterable[tuple[str | int, Any, Any]] = ()
    if isinstance(value, list):
        first = schema.get("prefixItems", [])
        pairs = zip_longest(value, first[: len(value)], fillvalue=schema.get("items"))
        parts = ((index, item, inner) for index, (item, inner) in enumerate(pairs))
    elif isinstance(value, Mapping):
        known, further = _properties(schema), schema.get("additionalProperties")
        parts = ((name, item, known.get(name, further)) for name, item in value.items())
    for key, item, inner in parts:
        yield key, item, inner if isinstance(inner, Mapping) else {}
