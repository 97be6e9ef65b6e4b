"""The JSON Schema of a scenario file, for editors.

It knows neither the tables nor the tools of a world, so that it allows more than the language
does; it refuses nothing that the language allows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from pytest_toolsandbox import matchers

from . import models
from .categories import CATEGORIES
from .protocol import protocols
from .yaml12 import read_yaml

_DEFINITIONS = Path(__file__).with_name("definitions.yaml")

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
    content = _DEFINITIONS.read_bytes()
    definitions: Schema = read_yaml(content, _DEFINITIONS.name)[0]
    definitions["Category"]["anyOf"].insert(0, {"enum": list(CATEGORIES)})
    shapes = {name: _with_worked_out(matchers.shape(name)) for name in matchers.names()}
    at, result, latest = _ref("At"), _ref("Result"), _ref("LatestResult")
    definitions["Value"] |= _only({"at": at, "from": result, **shapes})
    definitions["Argument"] |= _only({"at": at, "from": latest})
    definitions["PlainValue"] |= _only({"at": at})
    return definitions


def _only(special: Mapping[str, Schema]) -> Schema:
    """Return the schema of any value, in which a mapping with just one of some keys is special."""
    described = {
        name: {"description": one["description"]} if "description" in one else one
        for name, one in special.items()
    }
    kinds = {"minProperties": 1, "maxProperties": 1, "propertyNames": {"enum": list(special)}}
    return {
        "properties": described,
        "if": {"type": "object", **kinds},
        "then": {"properties": special},
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
