"""What is inside of an argument: models, lists of them, and unions."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, Literal, TypedDict

import pytest
from pydantic import BaseModel, Field
from rows import every

from pytest_toolsandbox.calls.faults import feedback
from pytest_toolsandbox.calls.tool_call import ToolCall
from pytest_toolsandbox.worlds.context import WorldError
from pytest_toolsandbox.worlds.state import frozen
from pytest_toolsandbox.worlds.tool import tool
from pytest_toolsandbox.worlds.tool_view import tool_views


class Size(Enum):
    SMALL = "small"
    LARGE = "large"


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int = 9


class Dog(BaseModel):
    kind: Literal["dog"]
    tricks: list[str]
    name: str | None = None


@dataclass
class Basket:
    guest: Annotated[Cat | Dog, Field(discriminator="kind")]
    size: Size = Size.SMALL
    marks: dict[str, int] | None = None


@tool("pets")
def house(
    basket: Basket | None = None,
    pets: list[Cat | Dog] | None = None,
    size: Size | None = None,
    count: Annotated[int, Field(ge=1)] | Literal["all"] = "all",
    free: dict[str, Any] | None = None,
) -> None:
    """House pets."""


CAT, DOG = {"kind": "cat"}, {"kind": "dog", "tricks": ["sit"]}


@every(
    ("argument", "value", "whole"),
    [
        ("basket", None, None),
        ("basket", {"guest": CAT}, {"guest": CAT | {"lives": 9}, "size": "small", "marks": None}),
        (
            "basket",
            {"guest": DOG, "size": "large", "marks": {"a": 1}},
            {"guest": DOG | {"name": None}, "size": "large", "marks": {"a": 1}},
        ),
        ("pets", [CAT, DOG], [CAT | {"lives": 9}, DOG | {"name": None}]),
        ("pets", frozen([CAT]), [CAT | {"lives": 9}]),
        ("pets", [CAT | {"lives": 3}], [CAT | {"lives": 3}]),
        ("pets", "all", "all"),
        ("pets", [5], [5]),
        ("size", "small", "small"),
        ("free", {"kind": "cat"}, {"kind": "cat"}),
    ],
)
def test_defaults_inside(argument: str, value: Any, whole: Any) -> None:
    assert house.parameters[argument].completed(value) == whole


@every(
    ("argument", "value", "unknown"),
    [
        ("basket", {"guest": CAT, "sise": "large"}, {("sise",): ["guest", "size", "marks"]}),
        ("basket", {"guest": DOG | {"lives": 9}}, {("guest", "lives"): ["kind", "tricks", "name"]}),
        ("basket", {"guest": CAT, "marks": {"any": 1}}, {}),
        ("pets", [CAT, DOG | {"nme": "Rex"}], {(1, "nme"): ["kind", "tricks", "name"]}),
        ("free", {"any": {"thing": 1}}, {}),
        ("size", {"a": 1}, {}),
    ],
)
def test_unknown_keys_inside(argument: str, value: Any, unknown: Any) -> None:
    assert dict(house.parameters[argument].unknown_keys(value)) == unknown


@every(
    ("argument", "value", "problem"),
    [
        ("size", "huge", "size: expected 'small', 'large' or null, found 'huge'"),
        ("count", "none", "count: expected integer or 'all', found 'none'"),
        ("count", 0, "count: 0 is less than the minimum of 1"),
        ("basket", {}, "basket: 'guest' is a required property"),
        (
            "basket",
            {"guest": {"kind": "cow"}},
            "basket['guest']['kind']: expected 'cat' or 'dog', found 'cow'",
        ),
        ("basket", {"guest": {"kind": "dog"}}, "basket['guest']: 'tricks' is a required property"),
        (
            "basket",
            {"guest": DOG | {"tricks": [1]}},
            "basket['guest']['tricks'][0]: 1 is not of type 'string'",
        ),
        (
            "pets",
            [CAT, {"kind": "cat", "lives": "9"}],
            "pets[1]['lives']: '9' is not of type 'integer'",
        ),
        ("pets", [CAT, 5], "pets[1]: expected object, found 5"),
    ],
)
def test_what_is_wrong_inside(argument: str, value: Any, problem: str) -> None:
    with pytest.raises(TypeError) as caught:
        house.bind({argument: value})
    assert str(caught.value) == f"Parameter {argument!r} is not valid: {problem}"


@every(
    ("arguments", "fault"),
    [
        ('{"basket": {"guest": {"kind": "cat", "lives": "9"}}}', "basket.guest.lives|integer"),
        ('{"pets": [{"kind": "dog", "tricks": "sit"}]}', "pets[0].tricks|array of string"),
        ('{"pets": [{"kind": "dog", "tricks": ["a", 1]}]}', "pets[0].tricks|array of string"),
        ('{"pets": [5]}', "pets|array of object"),
        ('{"basket": 5}', "basket|object"),
        ('{"basket": {"guest": 5}}', "basket.guest|object"),
    ],
)
def test_feedback_says_where_a_type_is_wrong(arguments: str, fault: str) -> None:
    where, _, expected = fault.partition("|")
    told = feedback(ToolCall("", "house", arguments), tool_views({"house": house}))
    assert told is not None
    assert told.partition("\n")[0] == (
        f"ERROR | Invalid argument type for {where} for function house, "
        f"valid argument type is {expected!r}"
    )


class Marks(TypedDict):
    count: int


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="pydantic reads it there")
def test_a_typed_dict_that_pydantic_does_not_read_is_told_as_one() -> None:
    def mark(marks: Marks | None = None) -> None:
        """Mark."""

    mark.__annotations__["marks"] = Marks | None
    with pytest.raises(WorldError) as caught:
        tool("pets")(mark)
    assert str(caught.value).endswith(
        "Marks | None, which pydantic reads from Python 3.12 on; import it from typing_extensions"
    )
