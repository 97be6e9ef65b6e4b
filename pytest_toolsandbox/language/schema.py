"""The JSON Schema of a scenario file, for editors.

It knows neither the tables nor the tools of a world, so that it allows more than the language
does; it refuses nothing that the language allows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from pytest_toolsandbox import matchers

from . import models
from .categories import CATEGORIES
from .protocol import protocols
from .readers.blocks import KINDS, RELATIVE
from .readers.user_script import ROLES

MERGED = ("Block", "Call", "Changes", "Value")
"""What may be a mapping, and then only a part of one, where it is merged with defaults."""

Schema = dict[str, Any]


def language_schema() -> Schema:
    """Return the JSON Schema (draft 2020-12) of a file: one scenario, or several with defaults.

    Matchers that a project has registered are in it.
    """
    shapes: dict[str, Any] = {}
    usual, *others = protocols()
    for protocol in (usual, *others):
        shape = _linked(protocol.model.model_json_schema(schema_generator=_Generator))
        shapes |= shape.pop("$defs", {}) | {protocol.model.__name__: shape}
    parts = {f"{name}Part": _part(shape, shapes) for name, shape in shapes.items()}
    either = _ref(usual.model.__name__)
    for protocol in reversed(others):
        key = {"required": [protocol.key]}
        either = {"if": key, "then": _ref(protocol.model.__name__), "else": either}
    names = [f"{protocol.model.__name__}Part" for protocol in (usual, *others)]
    scenarios = _several(names, parts)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Scenarios of pytest-toolsandbox",
        "type": "object",
        "if": {"required": ["scenarios"]},
        "then": _ref("Scenarios"),
        "else": either,
        "$defs": shapes | parts | {"Scenarios": scenarios} | _definitions(),
    }


class _Generator(GenerateJsonSchema):
    """Leaves out the titles that repeat the names of keys."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        del schema
        return False


def _ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _linked(schema: Any) -> Any:
    """Return a schema with references to the definitions that its models name."""
    if isinstance(schema, list):
        return [_linked(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    linked = {key: _linked(item) for key, item in schema.items() if key != models.DEFINED}
    return linked | (_ref(schema[models.DEFINED]) if models.DEFINED in schema else {})


def _several(names: Sequence[str], parts: Mapping[str, Schema]) -> Schema:
    """Return the schema of a file of several scenarios, around which their defaults stand."""
    either = [*map(_ref, names), {"type": "null"}]
    part, *others = (parts[name] for name in names)
    properties = {key: item for one in (*others, part) for key, item in one["properties"].items()}
    scenarios = {
        "description": "Name → scenario. What stands beside this is a default for each: mappings "
        "merge, lists replace, null deletes.",
        "type": "object",
        "minProperties": 1,
        "propertyNames": {"pattern": r"^(?!__)[^\s/:\[\]]+$"},
        "additionalProperties": {"anyOf": either},
    }
    return {
        **part,
        "description": "Several scenarios.",
        "properties": {**properties, "scenarios": scenarios},
    }


def _part(schema: Schema, shapes: Mapping[str, Any]) -> Schema:
    """Return the schema of one side of a merge: whatever is needed may stand on the other."""
    name = schema.get("$ref", "").rpartition("/")[2]
    part = {key: item for key, item in schema.items() if key not in ("required", "default")}
    if name in shapes:
        part |= _ref(f"{name}Part")
    elif name in MERGED:
        part.pop("$ref")
        part["anyOf"] = [schema_without(schema, "default", "description"), {"type": "object"}]
    if "anyOf" in schema:
        part["anyOf"] = [_part(item, shapes) for item in schema["anyOf"]]
    if "properties" in schema:
        properties = schema["properties"].items()
        part["properties"] = {key: _deleted(_part(item, shapes)) for key, item in properties}
    if isinstance(schema.get("additionalProperties"), dict):
        part["additionalProperties"] = _deleted(_part(schema["additionalProperties"], shapes))
    return part


def schema_without(schema: Schema, *keys: str) -> Schema:
    """Return a schema without some of its keys."""
    return {key: item for key, item in schema.items() if key not in keys}


def _deleted(schema: Schema) -> Schema:
    """Return a schema that also takes the null which deletes a default."""
    described = {key: item for key, item in schema.items() if key == "description"}
    return described | {"anyOf": [schema_without(schema, "description"), {"type": "null"}]}


def _definitions() -> Schema:
    return {
        "Word": _word("A word that can be a pytest mark."),
        "Category": {"anyOf": [{"enum": list(CATEGORIES)}, _ref("Word")]},
        "Mark": _mark(),
        "Line": _line(),
        "At": _at(),
        "Result": _result("milestone", "Which milestone matched the call."),
        "LatestResult": _result("call", "Which tool; its latest call counts."),
        "Value": _value(),
        "Argument": _argument(),
        "Row": _row("Value"),
        "PlainRow": _row("PlainValue"),
        "PlainValue": _only("at", _ref("At")),
        "Changes": _changes(),
        "Block": _block(),
        "Call": _call(),
        "Arguments": _object(_ref("Value")),
        "Step": _step(),
        "ToolStep": _one_of_a_kind(_object(_ref("Argument"))),
        "Turn": _turn(),
    }


def _word(description: str) -> Schema:
    return {"description": description, "type": "string", "pattern": r"^[^\s\d_-][^\s-]*$"}


def _mark() -> Schema:
    named = {"type": "object", "minProperties": 1, "maxProperties": 1}
    return {
        "description": "A pytest mark; arguments as a list, or by name as a mapping.",
        "anyOf": [_ref("Word"), {**named, "propertyNames": _ref("Word")}],
    }


def _line() -> Schema:
    roles = sorted(ROLES)
    either = {"anyOf": [{"enum": roles}, {"type": "array", "items": {"enum": roles}}]}
    visible = {"description": "Who sees it: sender and recipient unless given.", **either}
    spoken = {role: {"type": "string"} for role in roles}
    return {
        "description": "A message, written as {user: text} or {role: user, content: text}.",
        "type": "object",
        "if": {"required": ["role"]},
        "then": {
            "properties": {
                "role": {"enum": roles},
                "content": {"type": "string"},
                "visible_to": visible,
            },
            "required": ["role", "content"],
            "additionalProperties": False,
        },
        "else": {
            "properties": {**spoken, "visible_to": visible},
            "oneOf": [{"required": [role]} for role in roles],
            "additionalProperties": False,
        },
    }


def _at() -> Schema:
    return {
        "description": "A moment in the world's time zone, as the timestamp that tools use: "
        "2025-03-15 17:00, now+2h, tomorrow 09:00.",
        "type": "string",
    }


def _result(key: str, description: str) -> Schema:
    properties = {
        key: {"type": "string", "description": description},
        "path": {"type": "string", "description": "A JMESPath into the result."},
        "format": {"type": "string", "description": "How it is written, such as {:.0f}."},
    }
    return {
        "description": "A value out of the result of an earlier call.",
        "type": "object",
        "properties": properties,
        "required": [key],
        "additionalProperties": False,
    }


def _only(key: str, schema: Schema, **more: Schema) -> Schema:
    """Return a schema of any value, in which mappings with just one of some keys are special."""
    special = {key: schema, **more}
    described = {
        name: {"description": one["description"]} if "description" in one else one
        for name, one in special.items()
    }
    return {
        "properties": described,
        "if": {
            "type": "object",
            "minProperties": 1,
            "maxProperties": 1,
            "propertyNames": {"enum": list(special)},
        },
        "then": {"properties": special},
    }


def _value() -> Schema:
    shapes = {name: _with_worked_out(matchers.shape(name)) for name in matchers.names()}
    return {
        "description": "A value, or a matcher.",
        **_only("at", _ref("At"), **{"from": _ref("Result")}, **shapes),
    }


def _argument() -> Schema:
    return {
        "description": "A value for a tool.",
        **_only("at", _ref("At"), **{"from": _ref("LatestResult")}),
    }


def _with_worked_out(shape: Any) -> Any:
    """Return the schema of a matcher's argument, in which values may be worked out as well."""
    if not isinstance(shape, dict) or "$ref" in shape:
        return shape
    whole = {
        key: [_with_worked_out(item) for item in part] if isinstance(part, list) else part
        for key, part in shape.items()
    }
    if "items" in shape:
        whole["items"] = _with_worked_out(shape["items"])
    if "properties" in shape:
        properties = shape["properties"].items()
        whole["properties"] = {key: _with_worked_out(item) for key, item in properties}
    if "type" not in shape or shape["type"] == "object":
        return whole
    description = {key: whole.pop(key) for key in ("description",) if key in whole}
    worked_out = {"type": "object", "properties": {"at": _ref("At"), "from": _ref("Result")}}
    only = {"minProperties": 1, "maxProperties": 1, "additionalProperties": False}
    return description | {"anyOf": [whole, worked_out | only]}


def _row(value: str) -> Schema:
    return {"type": "object", "minProperties": 1, "additionalProperties": _ref(value)}


def _rows(description: str, row: str, least: int = 0) -> Schema:
    rows = {"description": description, "type": "array", "items": _ref(row)}
    return rows | ({"minItems": least} if least else {})


def _changes() -> Schema:
    return {
        "description": "How a table differs from the initial state; the fields themselves of a "
        "table with a single row.",
        "type": "object",
        "minProperties": 1,
        "properties": {
            "added": _rows("Rows that are there too.", "PlainRow"),
            "removed": _rows("Rows with these fields are not there.", "PlainRow"),
            "rows": _rows("The whole table.", "PlainRow"),
        },
        "additionalProperties": _ref("PlainValue"),
        "if": {"required": ["rows"]},
        "then": {"maxProperties": 1},
    }


def _block() -> Schema:
    properties = {
        "rows": _rows("The whole table is these rows.", "Row"),
        "includes": _rows("At least these rows are there.", "Row", 1),
        "excludes": _rows("No such row is there.", "Row", 1),
        "added": _rows("Just these rows have come since then.", "Row"),
        "removed": _rows("Just these rows have gone since then.", "Row"),
        "updated": _rows("Just so many rows have changed, and are so now.", "Row", 1),
        "unchanged": {"description": "Nothing has changed since then.", "const": True},
        "since": {"type": "string", "description": "An earlier event, or start (the default)."},
    }
    relative = [{"required": [kind]} for kind in RELATIVE]
    return {
        "description": "How a table is; the fields themselves of a table with a single row.",
        "type": "object",
        "minProperties": 1,
        "properties": properties,
        "additionalProperties": _ref("Value"),
        "if": {"anyOf": [{"required": [kind]} for kind in KINDS]},
        "then": {
            "oneOf": [{"required": [kind]} for kind in KINDS],
            "propertyNames": {"enum": list(properties)},
            "dependentSchemas": {"since": {"anyOf": relative}},
        },
    }


def _call() -> Schema:
    one = {"anyOf": [{"type": "string"}, _one_of_a_kind(_ref("Arguments"))]}
    several = {"description": "One of these calls.", "type": "array", "minItems": 1, "items": one}
    return {
        "description": "A tool and the arguments that matter.",
        "anyOf": [
            {"type": "string"},
            {**_one_of_a_kind(_ref("Arguments")), "properties": {"any_of": several}},
        ],
    }


def _step() -> Schema:
    said = {"anyOf": [{"type": "string"}, _one_of_a_kind({}, **{"from": _ref("LatestResult")})]}
    parallel = {"type": "array", "minItems": 1, "items": _ref("ToolStep")}
    return {
        "description": "A tool with its arguments; parallel: several of them; say: a message.",
        **_one_of_a_kind(
            _object(_ref("Argument")),
            say={"description": "What the agent says to the user.", **said},
            parallel={"description": "Calls that are made at once.", **parallel},
        ),
    }


def _turn() -> Schema:
    outcome = {
        "result": {"description": "What was recorded as its result; what the world gives if not."},
        "error": {"description": "What was recorded as its error.", "type": "string"},
    }
    call = {
        "description": "A tool with its arguments, and what was recorded of the call.",
        "type": "object",
        "minProperties": 1,
        "maxProperties": 2,
        "properties": outcome,
        "additionalProperties": _object(_ref("PlainValue")),
        "not": {"required": list(outcome)},
    }
    said = {"type": "string"}
    calls = {"description": "The calls that the agent should make.", "type": ["array", "null"]}
    properties = {
        "user": {"description": "What the user says.", **said},
        "calls": {**calls, "items": call},
        "assistant": {"description": "What the agent answered.", **said},
    }
    return {
        "description": "A turn of the user, or of the agent.",
        "type": "object",
        "minProperties": 1,
        "properties": properties,
        "additionalProperties": False,
        "dependentSchemas": {"user": {"maxProperties": 1}},
    }


def _object(values: Schema) -> Schema:
    return {"type": ["object", "null"], "additionalProperties": values}


def _one_of_a_kind(values: Schema, **special: Schema) -> Schema:
    """Return the schema of a mapping with one key."""
    return {
        "type": "object",
        "minProperties": 1,
        "maxProperties": 1,
        "properties": special,
        "additionalProperties": values,
    }
