"""Schemas of arguments that are objects: their definitions, descriptions and types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given, strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field, TypeAdapter
from rows import every

from pytest_toolsandbox.text import regular_expression
from pytest_toolsandbox.worlds.schemas import (
    allowed_types,
    has_type,
    type_in_words,
    with_keyword,
    with_shared_definitions,
)
from pytest_toolsandbox.worlds.tool import Tool, tool
from pytest_toolsandbox.worlds.tool_view import ToolView


class Parcel(BaseModel):
    """What is sent; see to_whom."""

    weight: float = Field(description="In kilograms.")
    inside: list[Parcel] = []


class Receipt(BaseModel):
    description: str
    parcels: list[Parcel]


@tool("post")
def send(  # noqa: PLR0917  # one argument of each kind
    parcel: Parcel,
    more: list[Parcel],
    to_whom: str | None = None,
    receipt: Receipt | None = None,
    string: Literal[1, "one"] = 1,
    limit: Literal[1, "one"] | None = None,
) -> None:
    """Send parcels.

    Args:
        parcel: The first one.
        receipt: What was paid.
    """


def parameters(tool: Tool | ToolView) -> dict[str, Any]:
    parameters_schema = tool.schema["function"]["parameters"]
    assert isinstance(parameters_schema, dict)
    return parameters_schema


def test_references_of_a_tool_lead_somewhere() -> None:
    shown = parameters(send)
    assert set(shown["$defs"]) == {"Parcel"}
    assert not any("$defs" in schema for schema in shown["properties"].values())
    validator = Draft202012Validator(shown)
    good = {"parcel": {"weight": 1}, "more": [{"weight": 1, "inside": [{"weight": 2}]}]}
    assert validator.is_valid(good)
    assert not validator.is_valid({**good, "more": [{"weight": 1, "inside": [{}]}]})


def test_names_descriptions_and_types_are_scrambled_at_every_depth() -> None:
    shown = parameters(ToolView(send, "send", "argument_description"))
    assert "In kilograms." not in str(shown)
    assert "What is sent" not in str(shown)
    assert "description" in shown["properties"]["receipt"]["properties"]
    shown = parameters(ToolView(send, "send", "argument_name"))
    assert shown["$defs"]["Parcel"]["description"] == "What is sent; see argument_5."
    shown = parameters(ToolView(send, "send", "argument_type"))  # with what they refer to
    assert set(shown) == {"type", "properties", "required"}
    assert shown["properties"]["parcel"] == {"description": "The first one."}


def test_definitions_of_one_name_that_differ_stay_apart() -> None:
    def arguments(type_name: str) -> dict[str, Any]:
        return {"$defs": {"A": {"type": type_name}}, "items": {"$ref": "#/$defs/A"}}

    schemas = {"x": arguments("string"), "y": arguments("integer"), "z": arguments("string")}
    assert with_shared_definitions(schemas) == (
        {
            "x": {"items": {"$ref": "#/$defs/A"}},
            "y": {"items": {"$ref": "#/$defs/A_2"}},
            "z": {"items": {"$ref": "#/$defs/A"}},
        },
        {"A": {"type": "string"}, "A_2": {"type": "integer"}},
    )


class Card(BaseModel):
    kind: Literal["card"]
    number: str


class Cash(BaseModel):
    kind: Literal["cash"]


Payment = Annotated[Card | Cash, Field(discriminator="kind")]


@tool("post")
def pay(by: Payment, further: list[Payment], tip: Payment | None = None) -> None:
    """Pay for a parcel."""


def test_a_discriminated_union_is_shown_as_any_of() -> None:
    shown = parameters(pay)
    union = [{"$ref": "#/$defs/Card"}, {"$ref": "#/$defs/Cash"}]
    assert shown["properties"]["by"] == {"anyOf": union, "description": ""}
    assert shown["properties"]["further"]["items"] == {"anyOf": union}
    assert shown["properties"]["tip"]["anyOf"] == union
    card = {"kind": "card", "number": "1"}
    assert pay.problem("by", card) is None
    assert pay.problem("tip", None) is None
    assert pay.problem("by", {"kind": "cheque"}) == (
        "Parameter 'by' is not valid: by['kind']: expected 'card' or 'cash', found 'cheque'"
    )


def test_a_field_that_is_called_description_is_none() -> None:
    schema = {
        "description": "a",
        "properties": {"description": {"description": "b", "default": {"description": "c"}}},
        "anyOf": [{"description": "d"}],
    }
    assert with_keyword(schema, "description", str.upper) == {
        "description": "A",
        "properties": {"description": {"description": "B", "default": {"description": "c"}}},
        "anyOf": [{"description": "D"}],
    }
    assert with_keyword(schema, "description", lambda _: None) == {
        "properties": {"description": {"default": {"description": "c"}}},
        "anyOf": [{}],
    }


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string"}, ["string"]),
        ({"$ref": "#/$defs/A", "$defs": {"A": {"type": "object"}}}, ["object"]),
        (
            {
                "anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}],
                "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"type": "object"}},
            },
            ["object", "null"],
        ),
        ({"anyOf": [{"enum": [1, "one"]}, {"type": "null"}]}, []),
        ({"enum": [1, "one"]}, []),
        ({}, []),
    ],
)
def test_allowed_types(schema: dict[str, Any], expected: list[str]) -> None:
    assert allowed_types(schema) == expected


@pytest.mark.parametrize(
    ("argument", "value", "message"),
    [
        ("parcel", "a box", "of type 'string', but expected 'object'."),
        ("receipt", "paid", "of type 'string', but expected 'object or null'."),
        ("string", "two", "not valid: string: 'two' is not one of [1, 'one']"),
        ("limit", 2, "not valid: limit: expected 1, 'one' or null, found 2"),
    ],
)
def test_a_wrong_type_is_told_the_right_one(argument: str, value: Any, message: str) -> None:
    arguments = {"parcel": {"weight": 1}, "more": [], argument: value}
    with pytest.raises(TypeError) as caught:
        send.bind(arguments)
    assert str(caught.value) == f"Parameter {argument!r} is {message}"


class Label(BaseModel):
    text: str = Field(pattern="^(a+)+$")


@tool("post")
def label(label: Label) -> None:
    """Label a parcel.

    Args:
        label: What is on it.
    """


def test_patterns_are_searched_in_bounded_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regular_expression, "SECONDS", 0.05)
    assert label.problem("label", {"text": "aaa"}) is None
    assert label.problem("label", {"text": "b"}) == (
        "Parameter 'label' is not valid: label['text']: 'b' does not match '^(a+)+$'"
    )
    with pytest.raises(regular_expression.SlowSearchError):
        label.problem("label", {"text": "a" * 5_000 + "!"})


@dataclass
class Place:
    city: str
    floors: list[int]


@dataclass
class Tree:
    children: list[Tree]


def schema(hint: Any) -> dict[str, Any]:
    return TypeAdapter(hint).json_schema()


@every(
    ("value", "hint", "has"),
    [
        (3, int, True),
        (3.0, int, False),
        (True, int, False),
        (False, float, False),
        ([1, True], list[int], False),
        (True, bool | int, True),
        ("3", int, False),
        (None, int, False),
        (None, int | None, True),
        (3, float, True),
        (3, str, False),
        ("up", Literal["asc", "desc"], True),
        (1, Literal["asc", "desc"], False),
        ([1, 2], list[int], True),
        ([1, "2"], list[int], False),
        ("1", list[int], False),
        ({"a": 1.5}, dict[str, float], True),
        ({"a": "b"}, dict[str, float], False),
        ([1, "b"], tuple[int, str], True),
        ([1, 2], tuple[int, str], False),
        ({"city": "Rome"}, Place, True),
        ({"city": "Rome", "floors": ["one"]}, Place, False),
        ({"children": [{"children": []}]}, Tree, True),
        ({"children": [{"children": [1]}]}, Tree, False),
        ({"anything": 1}, Any, True),
    ],
)
def test_the_type_counts_and_no_more(value: Any, hint: Any, has: bool) -> None:
    assert has_type(value, schema(hint)) is has


@pytest.mark.parametrize(
    ("hint", "words"),
    [
        (int, "integer"),
        (float, "number"),
        (int | str, "integer or string"),
        (list[str], "array of string"),
        (list[int | str], "array of integer or string"),
        (list[Any], "array"),
        (Literal["asc", "desc"], "string"),
        (list[Place], "array of object"),
        (Any, "any"),
    ],
)
def test_a_type_in_words(hint: Any, words: str) -> None:
    assert type_in_words(schema(hint)) == words


def has_booleans(value: Any) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return isinstance(value, bool) or any(map(has_booleans, inner))


@given(
    st.recursive(
        st.one_of(
            st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text("a")
        ),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.dictionaries(
                st.sampled_from(["city", "floors", "children", "x"]), inner, max_size=3
            ),
        ),
        max_leaves=6,
    ),
    st.sampled_from(
        [
            *(int, float, str, bool, int | None, int | str, list[int], list[str] | None),
            *(dict[str, float], tuple[int, str], Literal["asc", "desc"], Place, Tree, Any),
        ]
    ),
)
def test_what_a_tool_takes_has_its_type(value: Any, hint: Any) -> None:
    def take(argument: Any) -> None:
        """Take it."""

    take.__annotations__["argument"] = hint
    tool = Tool(take)
    # As in ToolSandbox a boolean is executed where a number is asked for; it is none to SpecTool.
    if not has_booleans(value) and tool.problem("argument", value) is None:
        assert has_type(value, tool.parameters["argument"].schema)
