"""Arguments reach a tool as its hints say, and results are written as JSON in one way."""

from __future__ import annotations

import enum
import json
import sys
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Annotated, Any, Literal, TypedDict
from uuid import UUID

import pytest
from pydantic import BaseModel, Field
from rows import every

from pytest_toolsandbox.calls.faults import feedback
from pytest_toolsandbox.calls.tool_call import ToolCall
from pytest_toolsandbox.worlds.context import Context, WorldError
from pytest_toolsandbox.worlds.json_values import as_json
from pytest_toolsandbox.worlds.state import Row, State, frozen
from pytest_toolsandbox.worlds.tool import Tool, tool
from pytest_toolsandbox.worlds.tool_view import tool_views

NOW = datetime(2025, 3, 14, 16, tzinfo=UTC)
WORLD = Context(State({}), NOW)


class Size(enum.Enum):
    SMALL = "small"
    LARGE = "large"


class Box(BaseModel):
    size: Size
    weight: float = 1.0


@dataclass(frozen=True)
class Person:
    name: str
    born: date


seen: list[dict[str, Any]] = []


@tool("post")
def send(  # noqa: PLR0917  # one argument of each kind
    box: Box,
    to: Person,
    sizes: list[Size],
    day: date,
    at: datetime,
    hour: time | None,
    number: UUID,
    price: Decimal,
    speed: Literal["slow", "fast"],
    copies: Annotated[int, Field(ge=1, le=5, description="How many.")] = 1,
    size: Size = Size.LARGE,
) -> None:
    """Send a box."""
    seen.append(locals())


GIVEN: dict[str, Any] = {
    "box": {"size": "small"},
    "to": {"name": "Ada", "born": "1815-12-10"},
    "sizes": ["large", "small"],
    "day": "2025-03-14",
    "at": "2025-03-14T16:00:00Z",
    "hour": "09:30:00",
    "number": "12345678-1234-5678-1234-567812345678",
    "price": "12.50",
    "speed": "slow",
}


def test_arguments_are_what_the_hints_say() -> None:
    bound = send.bind(GIVEN)
    assert bound == GIVEN | {"copies": 1, "size": "large"}
    send.run(WORLD, bound)
    assert seen.pop() == {
        "box": Box(size=Size.SMALL),
        "to": Person("Ada", date(1815, 12, 10)),
        "sizes": [Size.LARGE, Size.SMALL],
        "day": date(2025, 3, 14),
        "at": NOW,
        "hour": time(9, 30),
        "number": UUID("12345678-1234-5678-1234-567812345678"),
        "price": Decimal("12.50"),
        "speed": "slow",
        "copies": 1,
        "size": Size.LARGE,
    }


@every(
    ("argument", "value", "problem"),
    [
        ("day", "14 March", "not valid: day: Input should be a valid date in the"),
        ("day", 14, "of type 'integer', but expected 'string'."),
        ("number", "12", "not valid: number: Input should be a valid UUID"),
        ("box", {"size": "tiny"}, "not valid: box['size']: 'tiny' is not one of"),
        ("box", {"size": "small", "weight": "2"}, "not valid: box['weight']: '2' is not of type"),
        ("to", {"name": "Ada", "born": "-"}, "not valid: to['born']: Input should be a valid date"),
        ("copies", 7, "not valid: copies: 7 is greater than the maximum of 5"),
        ("copies", "2", "of type 'string', but expected 'integer'."),
        ("copies", True, "not valid: copies: Input should be a valid integer"),
    ],
)
def test_what_is_not_what_the_hint_says_is_refused(argument: str, value: Any, problem: str) -> None:
    with pytest.raises(TypeError) as caught:
        send.bind(GIVEN | {argument: value})
    assert str(caught.value).startswith(f"Parameter {argument!r} is {problem}")
    # Agents are shown the limits and descriptions of hints.
    shown = send.schema["function"]["parameters"]
    limits = {"type": "integer", "minimum": 1, "maximum": 5, "default": 1}
    assert shown["properties"]["copies"] == limits | {"description": "How many."}
    assert shown["properties"]["size"]["default"] == "large"
    assert "copies" not in shown["required"]
    assert shown["properties"]["day"]["format"] == "date"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Box(size=Size.SMALL), '{"size": "small", "weight": 1.0}'),
        (Person("Ada", date(1815, 12, 10)), '{"name": "Ada", "born": "1815-12-10"}'),
        ([Size.LARGE, NOW, time(9, 30)], '["large", "2025-03-14T16:00:00Z", "09:30:00"]'),
        ({"a": Row({"b": [Decimal("1.50")]})}, '{"a": {"b": ["1.50"]}}'),
        ({"pear", "apple", "fig"}, '["apple", "fig", "pear"]'),
        ([{"set": {3, 1, 2}}], '[{"set": [1, 2, 3]}]'),
    ],
)
def test_results_are_written_in_one_way(value: Any, text: str) -> None:
    assert as_json(value) == text


def test_async_tools_are_awaited() -> None:
    @tool("post")
    async def weigh(context: Context, box: Box) -> dict[str, Any]:
        """Weigh a box.

        Raises:
            ValueError: If it is too heavy.
        """
        import asyncio

        await asyncio.sleep(0)
        if box.weight > 9:
            raise ValueError("too heavy")
        return {"weight": box.weight, "now": context.now}

    light = weigh.bind({"box": {"size": "small"}})
    answers = {weigh.answer(WORLD, light) for _ in range(3)}
    assert answers == {'{"weight": 1.0, "now": "2025-03-14T16:00:00Z"}'}
    with pytest.raises(ValueError, match="too heavy"):
        weigh.run(WORLD, weigh.bind({"box": {"size": "small", "weight": 10}}))


def undeclared(how: str) -> Any:
    """Do something.

    Raises:
        OSError: If there is no network.
        json.JSONDecodeError: If there is no JSON.
    """
    if how == "missing":
        raise FileNotFoundError("nothing there")
    if how == "json":
        json.loads("{")
    return nothing  # type: ignore[name-defined]  # noqa: F821  # the mistake


def test_what_a_tool_declares_is_raised_and_anything_else_is_the_world_s() -> None:
    made = Tool(undeclared)
    with pytest.raises(FileNotFoundError):
        made.run(WORLD, {"how": "missing"})
    with pytest.raises(json.JSONDecodeError):
        made.run(WORLD, {"how": "json"})
    with pytest.raises(WorldError) as caught:
        made.run(WORLD, {"how": ""})
    line = undeclared.__code__.co_firstlineno + 11
    assert str(caught.value).endswith(
        f"test_parameter.py:{line}: the tool 'undeclared' raised NameError: name 'nothing' is not "
        "defined; fix it"
    )
    declared = Tool(undeclared, raises=(NameError,))
    with pytest.raises(NameError):
        declared.run(WORLD, {"how": ""})
    with pytest.raises(NameError):
        made.in_world((NameError,), show_defaults=True).run(WORLD, {"how": ""})


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
    feedback_text = feedback(ToolCall("", "house", arguments), tool_views({"house": house}))
    assert feedback_text is not None
    assert feedback_text.partition("\n")[0] == (
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
