"""Tools that a JSON Schema of somebody else describes."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_toolsandbox.calls.faults import feedback
from pytest_toolsandbox.calls.tool_call import ToolCall
from pytest_toolsandbox.worlds.context import WorldError
from pytest_toolsandbox.worlds.foreign_schemas import SchemaReader
from pytest_toolsandbox.worlds.schema_tool import SchemaTool, api_name, schema_tool
from pytest_toolsandbox.worlds.tool_view import tool_views

TREE = {"type": "object", "properties": {"next": {"$ref": "#/definitions/Tree"}}}


def made(schema: Any, name: str = "find", text: str = "Find things.") -> SchemaTool:
    return schema_tool(name, text, schema, module="shop", place="shop", action=True)


def of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


@pytest.mark.parametrize(
    ("schema", "arguments", "problem"),
    [
        (of(name={"type": "string"}), {"name": 3}, "Parameter 'name' is of type 'integer', but"),
        ({**of(name={}), "required": ["name"]}, {}, "missing a required argument: 'name'"),
        (of(name={}), {"other": 1}, None),
        ({**of(name={}), "additionalProperties": False}, {"other": 1}, "got an unexpected keyword"),
        ({**of(), "additionalProperties": {"type": "integer"}}, {"x": "1"}, "'1' is not of type"),
        ({**of(a={}, b={}), "minProperties": 1}, {}, "{} should be non-empty"),
        ({**of(a={}, b={}), "oneOf": [{"required": ["a"]}, {"required": ["b"]}]}, {}, "not valid"),
        (of(name={"type": ["string", "null"]}), {"name": None}, None),
        (of(name={"type": ["string", "null"]}), {"name": 4}, "but expected 'string or null'"),
        (of(name={"type": "string", "nullable": True}), {"name": None}, None),
        (of(size={"minimum": 0, "exclusiveMinimum": True}), {"size": 0}, "0 is less than or equal"),
        (of(pair={"items": [{"type": "string"}]}), {"pair": [1]}, "1 is not of type 'string'"),
        (of(name={"enum": ["a", "b"]}), {"name": "c"}, "'c' is not one of ['a', 'b']"),
        (of(name={"type": "anything"}), {"name": 4}, None),
        (of(name={"pattern": r"^\p{L}+$"}), {"name": "4"}, None),
        (of(name={"pattern": "^[a-z]+$"}), {"name": "4"}, "does not match"),
        (of(name=True, none=False), {"name": 4}, None),
        (of(name={"$ref": "https://example.org/name"}), {"name": 4}, None),
        (of(name={"$ref": "#/properties/name"}), {"name": 4}, None),
        ({**of(t={"$ref": "#/definitions/Tree"}), "definitions": {"Tree": TREE}}, {"t": {}}, None),
        (
            {**of(t={"$ref": "#/definitions/Tree"}), "definitions": {"Tree": TREE}},
            {"t": {"next": {"next": 1}}},
            "1 is not of type 'object'",
        ),
        (of(t={"$ref": "#"}), {"t": {"t": {"t": 1}}}, "1 is not of type 'object'"),
        ({"type": "object"}, {}, None),
    ],
)
def test_arguments_are_checked_as_the_schema_says(
    schema: Any, arguments: dict[str, Any], problem: str | None
) -> None:
    tool = made(schema)
    if problem is None:
        assert tool.bind(arguments) == arguments
        return
    with pytest.raises(TypeError) as caught:
        tool.bind(arguments)
    assert problem in str(caught.value)


def test_agents_see_the_schema_as_it_is() -> None:
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {"name": {"type": ["string", "null"], "default": None}, "item": True},
        "required": ["name"],
        "additionalProperties": False,
    }
    view = tool_views({"find": made(schema)})["find"]
    assert view.schema["function"] == {
        "name": "find",
        "description": "Find things.",
        "parameters": {
            "type": "object",
            "properties": {
                "name": {"type": ["string", "null"], "default": None, "description": ""},
                "item": {"description": ""},
            },
            "required": ["name"],
            "additionalProperties": False,
        },
    }


def test_references_lead_to_definitions_at_the_root() -> None:
    schema = {**of(t={"$ref": "#/definitions/Tree"}), "definitions": {"Tree": TREE, "Other": {}}}
    parameters = made(schema).schema["function"]["parameters"]
    assert parameters["properties"] == {"t": {"$ref": "#/$defs/Tree", "description": ""}}
    tree = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Tree"}}}
    assert parameters["$defs"] == {"Tree": tree}


def test_references_that_lead_nowhere_are_known() -> None:
    reader = SchemaReader({"definitions": {"A": {"$ref": "#/definitions/A"}}})
    names = ("#/definitions/A", "#/definitions/B", "other.json#/C")
    assert [reader.read({"$ref": name}) for name in names] == [{}, {}, {}]
    assert reader.unresolved == [*names]


def test_feedback_names_the_types_of_such_a_schema() -> None:
    schema = of(name={"type": ["string", "null"]}, tree={"$ref": "#"})
    views = tool_views({"find": made(schema)})
    text = feedback(ToolCall("1", "find", '{"name": 4}'), views)
    assert text is not None
    assert "- name (string or null)" in text
    assert "- tree (object)" in text


@pytest.mark.parametrize(
    ("name", "taken", "expected"),
    [
        ("list_orders", (), "list_orders"),
        ("orders.list/all", (), "orders_list_all"),
        ("orders.list", ("orders_list",), "orders_list_9b7d9b3e"),
        ("x" * 65, (), "x" * 55 + "_9537c5fd"),
    ],
)
def test_names_are_those_of_chat_apis(name: str, taken: tuple[str, ...], expected: str) -> None:
    made_name = api_name(name, taken)
    assert made_name[:-9] == expected[:-9]
    assert len(made_name) == len(expected) <= 64


def test_a_tool_has_both_names() -> None:
    tool = made(of(), "orders.list/all")
    assert (tool.name, tool.original_name) == ("orders_list_all", "orders.list/all")


def test_a_tool_without_a_schema_is_an_error() -> None:
    with pytest.raises(WorldError, match="shop: the tool 'find' has no schema of its arguments"):
        made(None)
