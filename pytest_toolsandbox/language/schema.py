"""The JSON Schema of scenario files, for editors.

It accepts every valid file, and some invalid ones: names of tools and tables are only suggested.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from pytest_toolsandbox import matchers
from pytest_toolsandbox.language.categories import CATEGORIES
from pytest_toolsandbox.worlds.world import World

from . import models
from .protocol import protocols
from .schema_of_worlds import with_worlds
from .yaml12 import read_yaml

_DEFINITIONS = Path(__file__).with_name("definitions.yaml")

MERGED = ("Block", "Call", "Changes", "Questions", "Value")
"""Definitions that may be a mapping: merged with defaults, it may be only a part of one."""

_JsonSchema = dict[str, Any]


def language_schema(worlds: Iterable[World] = ()) -> _JsonSchema:
    """Return the JSON Schema (draft 2020-12) of a file, with the project's own matchers.

    It suggests the tools, arguments, tables and columns of ``worlds``.
    """
    shapes: dict[str, Any] = {}
    keys = {}
    for protocol in protocols():
        text = json.dumps(protocol.model.model_json_schema(schema_generator=_Generator))
        # ``UserDocument`` is called ``User``.
        shape = json.loads(text.replace('Document"', '"'), object_hook=_linked)
        shapes |= shape.pop("$defs", {}) | {shape["title"]: shape}
        keys[shape["title"]] = protocol.key
    default, *other_keys = keys
    parts = {f"{name}Part": _part(shape, shapes) for name, shape in shapes.items()}
    either = _ref(default)
    for name in reversed(other_keys):
        either = {"if": {"required": [keys[name]]}, "then": _ref(name), "else": either}
    scenarios = _several([f"{name}Part" for name in keys], parts)
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Scenarios of pytest-toolsandbox",
        "type": "object",
        "if": {"required": ["scenarios"]},
        "then": _ref("Scenarios"),
        "else": either,
        "$defs": shapes | parts | {"Scenarios": scenarios} | _definitions(),
    }
    return with_worlds(schema, worlds)


class _Generator(GenerateJsonSchema):
    """Omits the titles that repeat the names of keys."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        del schema
        return False


def _ref(name: str) -> _JsonSchema:
    return {"$ref": f"#/$defs/{name}"}


def _linked(part: _JsonSchema) -> _JsonSchema:
    """Replace the name of a definition by a reference to it."""
    name = part.pop(models.DEFINED, None)
    return part if name is None else part | _ref(name)


def _several(names: Sequence[str], parts: Mapping[str, _JsonSchema]) -> _JsonSchema:
    part, *other_parts = (parts[name] for name in names)
    properties = {
        key: item for schema in (*other_parts, part) for key, item in schema["properties"].items()
    }
    scenarios = {
        "description": "Name → scenario. What stands beside this is a default for each: mappings "
        "merge, lists replace, null deletes.",
        "type": "object",
        "minProperties": 1,
        "propertyNames": {"pattern": r"^(?!__)[^\s/:\[\]]+$"},
        "additionalProperties": {"anyOf": [*map(_ref, names), {"type": "null"}]},
    }
    properties["scenarios"] = scenarios
    return part | {"description": "Several scenarios.", "properties": properties}


def _part(schema: _JsonSchema, shapes: Mapping[str, Any]) -> _JsonSchema:
    """Return the schema of one side of a merge: required keys may be on the other side."""
    name = schema.get("$ref", "").rpartition("/")[2]
    part = _without(schema, "required", "default")
    if name in shapes:
        part |= _ref(f"{name}Part")
    elif name in MERGED:
        part.pop("$ref")
        part["anyOf"] = [_without(schema, "default", "description"), {"type": "object"}]
    if "anyOf" in schema:
        part["anyOf"] = [_part(item, shapes) for item in schema["anyOf"]]
    if "properties" in schema:
        properties = schema["properties"].items()
        part["properties"] = {key: _deleted(_part(item, shapes)) for key, item in properties}
    if isinstance(schema.get("additionalProperties"), dict):
        part["additionalProperties"] = _deleted(_part(schema["additionalProperties"], shapes))
    return part


def _without(schema: _JsonSchema, *keys: str) -> _JsonSchema:
    return {key: item for key, item in schema.items() if key not in keys}


def _deleted(schema: _JsonSchema) -> _JsonSchema:
    """Return a schema that also accepts null, which deletes a default."""
    described = {key: item for key, item in schema.items() if key == "description"}
    return described | {"anyOf": [_without(schema, "description"), {"type": "null"}]}


def _definitions() -> _JsonSchema:
    content = _DEFINITIONS.read_bytes()
    definitions: _JsonSchema = read_yaml(content, _DEFINITIONS.name)[0]
    definitions["Category"]["anyOf"].insert(0, {"enum": list(CATEGORIES)})
    shapes = {name: _with_references(matchers.shape(name)) for name in matchers.names()}
    at, result, latest = _ref("At"), _ref("Result"), _ref("LatestResult")
    definitions["Value"] |= _only({"at": at, "from": result, **shapes})
    definitions["Argument"] |= _only({"at": at, "from": latest})
    definitions["PlainValue"] |= _only({"at": at})
    return definitions


def _only(special: Mapping[str, _JsonSchema]) -> _JsonSchema:
    """Return the schema of any value; a mapping whose one key is ``special`` has its own."""
    described = {
        name: {"description": schema["description"]} if "description" in schema else schema
        for name, schema in special.items()
    }
    kinds = {"minProperties": 1, "maxProperties": 1, "propertyNames": {"enum": list(special)}}
    return {
        "properties": described,
        "if": {"type": "object", **kinds},
        "then": {"properties": special},
    }


def _with_references(shape: Any) -> Any:
    """Return the schema of a matcher's argument, extended by ``at`` and ``from`` for values."""
    if isinstance(shape, list):
        return [_with_references(item) for item in shape]
    if not isinstance(shape, dict) or "$ref" in shape:
        return shape
    whole = {
        key: _with_references(part) if key == "items" or isinstance(part, list) else part
        for key, part in shape.items()
    }
    if "properties" in shape:
        properties = shape["properties"].items()
        whole["properties"] = {key: _with_references(item) for key, item in properties}
    if "type" not in shape or shape["type"] == "object":
        return whole
    description = {key: whole.pop(key) for key in ("description",) if key in whole}
    reference = {"type": "object", "properties": {"at": _ref("At"), "from": _ref("Result")}}
    only = {"minProperties": 1, "maxProperties": 1, "additionalProperties": False}
    return description | {"anyOf": [whole, reference | only, _ref("ShortResult")]}
