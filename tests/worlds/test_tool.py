from __future__ import annotations

import asyncio
import math
from typing import Any, Literal
from unittest.mock import MagicMock

import pytest
from rows import every

from pytest_toolsandbox.builtin.phone import world
from pytest_toolsandbox.worlds.context import Context, WorldError
from pytest_toolsandbox.worlds.parameter import NOT_GIVEN, NotGiven
from pytest_toolsandbox.worlds.schemas import type_name
from pytest_toolsandbox.worlds.state import Table
from pytest_toolsandbox.worlds.tool import Tool, tool


def book(  # noqa: PLR0917  # one parameter of each kind
    context: Context,
    table: str,
    seats: int,
    price: float = 1.5,
    outside: bool = False,
    note: str | None = None,
    phone: str | NotGiven = NOT_GIVEN,
    tip: float | NotGiven | None = NOT_GIVEN,
    guests: list[str] | NotGiven = NOT_GIVEN,
    meal: Literal["lunch", "dinner"] = "dinner",
    extra: Any = None,
) -> dict[str, Any]:
    """Book a table
    in a restaurant.

    It can be
    cancelled later.

    Args:
        table: Which table,
            by its name: A to F.
        seats: How many people come.

    Returns:
        What was booked.

    Raises:
        ValueError: If it is taken.
    """
    context.add("bookings", {"table": table})
    return (
        {"table": table, "seats": seats, "price": price, "outside": outside, "note": note}
        | {
            name: value
            for name, value in (("phone", phone), ("tip", tip), ("guests", guests))
            if value is not NOT_GIVEN
        }
        | {"meal": meal, "extra": extra}
    )


BOOK = tool("restaurant")(book)
NEEDED = {"table": "A", "seats": 2}


def test_name_module_and_description_come_from_the_function() -> None:
    assert isinstance(BOOK, Tool)
    assert (BOOK.name, BOOK.module, BOOK.for_user) == ("book", "restaurant", False)
    assert BOOK.description == (
        "Book a table in a restaurant. It can be cancelled later. Returns: What was booked."
    )
    assert tool("restaurant", for_user=True)(book).for_user


def test_the_schema_is_what_an_agent_is_shown() -> None:
    function = BOOK.schema["function"]
    assert BOOK.schema["type"] == "function"
    assert (function["name"], function["description"]) == ("book", BOOK.description)
    assert function["parameters"]["type"] == "object"
    assert function["parameters"]["required"] == ["table", "seats"]
    assert function["parameters"]["properties"] == {
        "table": {"type": "string", "description": "Which table, by its name: A to F."},
        "seats": {"type": "integer", "description": "How many people come."},
        "price": {"type": "number", "description": ""},
        "outside": {"type": "boolean", "description": ""},
        "note": {"type": "string", "description": ""},
        "phone": {"type": "string", "description": ""},
        "tip": {"type": "number", "description": ""},
        "guests": {"type": "array", "items": {"type": "string"}, "description": ""},
        "meal": {"type": "string", "enum": ["lunch", "dinner"], "description": ""},
        "extra": {"description": ""},
    }


def test_defaults_are_bound_and_what_is_not_given_is_left_out() -> None:
    assert BOOK.bind(NEEDED) == {
        "table": "A",
        "seats": 2,
        "price": 1.5,
        "outside": False,
        "note": None,
        "meal": "dinner",
        "extra": None,
    }


@every(
    "given",
    [
        {"price": 2},
        {"price": True},
        {"seats": True},
        {"note": "by the window"},
        {"note": None},
        {"tip": None},
        {"tip": 2.5},
        {"guests": []},
        {"guests": ["Ann"]},
        {"extra": {"any": ["thing"]}},
    ],
)
def test_values_of_the_right_type_are_bound_as_they_are(given: dict[str, Any]) -> None:
    bound = BOOK.bind(NEEDED | given)
    for name, value in given.items():
        assert bound[name] is value


@every(
    ("arguments", "message"),
    [
        ({}, "missing a required argument: 'table'"),
        ({"table": "A"}, "missing a required argument: 'seats'"),
        ({"seats": "x", "colour": 1}, "missing a required argument: 'table'"),
        (NEEDED | {"colour": 1}, "got an unexpected keyword argument 'colour'"),
        (NEEDED | {"context": 1}, "got an unexpected keyword argument 'context'"),
        (NEEDED | {"seats": "2", "colour": 1}, "got an unexpected keyword argument 'colour'"),
        (NEEDED | {"table": 1}, "Parameter 'table' is of type 'integer', but expected 'string'."),
        (NEEDED | {"table": None}, "Parameter 'table' is of type 'null', but expected 'string'."),
        (NEEDED | {"seats": 2.0}, "Parameter 'seats' is of type 'number', but expected 'integer'."),
        (NEEDED | {"price": "2"}, "Parameter 'price' is of type 'string', but expected 'number'."),
        (
            NEEDED | {"outside": 1},
            "Parameter 'outside' is of type 'integer', but expected 'boolean'.",
        ),
        (
            NEEDED | {"note": 1},
            "Parameter 'note' is of type 'integer', but expected 'string or null'.",
        ),
        (NEEDED | {"phone": None}, "Parameter 'phone' is of type 'null', but expected 'string'."),
        (
            NEEDED | {"tip": True, "guests": {"a": 1}},
            "Parameter 'guests' is of type 'object', but expected 'array'.",
        ),
        (
            NEEDED | {"guests": ["Ann", 1]},
            "Parameter 'guests' is not valid: guests[1]: 1 is not of type 'string'",
        ),
        (
            NEEDED | {"meal": "brunch"},
            "Parameter 'meal' is not valid: meal: 'brunch' is not one of ['lunch', 'dinner']",
        ),
    ],
)
def test_bad_arguments_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError) as caught:
        BOOK.bind(arguments)
    assert str(caught.value) == message


def test_a_tool_runs_in_a_context() -> None:
    context = Context(world.start(world.now).with_table("bookings", Table()), world.now)
    result = BOOK.run(context, BOOK.bind(NEEDED | {"tip": None}))
    assert result["tip"] is None
    assert "phone" not in result
    assert [dict(row) for row in context.rows("bookings")] == [{"table": "A"}]


def test_a_tool_without_a_context_runs_without_it() -> None:
    @tool("numbers")
    def double(number: int) -> int:
        """Double a number."""
        return 2 * number

    context = Context(world.start(world.now), world.now)
    assert double.run(context, double.bind({"number": 4})) == 8
    assert list(double.parameters) == ["number"]


class Unwritable:
    def model_dump(self) -> None:
        raise ZeroDivisionError("no figures")


def test_a_mock_is_no_json() -> None:
    @tool("numbers")
    def figures() -> Any:
        """Return what has every method, without end."""
        return MagicMock()

    with pytest.raises(WorldError, match="JSON cannot express MagicMock"):
        figures.answer(Context(world.start(world.now), world.now), {})


@pytest.mark.parametrize("left", [None, {}, "delete"])
def test_a_tool_leaves_a_state(left: Any) -> None:
    @tool("numbers")
    def figures(context: Context) -> None:
        """Leave something else."""
        if left == "delete":
            del context.state
        else:
            context.state = left

    found = "a dict" if left == {} else "None"
    text = rf"test_tool.py:\d+: the tool 'figures': it left {found} as context.state; expected"
    with pytest.raises(WorldError, match=text):
        figures.answer(Context(world.start(world.now), world.now), {})


def test_a_result_that_raises_when_it_is_written_is_a_mistake_of_the_world() -> None:
    @tool("numbers")
    def figures() -> Any:
        """Return what cannot be written."""
        return {"all": Unwritable()}

    with pytest.raises(WorldError, match="its result cannot be written as JSON: no figures"):
        figures.answer(Context(world.start(world.now), world.now), {})


@pytest.mark.parametrize("value", [math.nan, [-math.inf], {"half": "\ud83d"}])
def test_a_result_that_is_no_json_is_a_mistake_of_the_world(value: Any) -> None:
    @tool("numbers")
    def figures() -> Any:
        """Return what JSON lacks."""
        return value

    with pytest.raises(WorldError, match=r"test_tool.py:\d+: .* its result cannot be written"):
        figures.answer(Context(world.start(world.now), world.now), {})


class Own(BaseException):
    """What a world of one's own may raise."""


@pytest.mark.parametrize(
    "error", [GeneratorExit("early"), asyncio.CancelledError("early"), Own("early")]
)
def test_a_tool_that_breaks_out_is_a_mistake_of_the_world(error: BaseException) -> None:
    @tool("numbers")
    def leave() -> None:
        """Raise what is no Exception."""
        raise error

    with pytest.raises(WorldError, match=f"the tool 'leave' raised {type(error).__name__}: early"):
        leave.run(Context(world.start(world.now), world.now), {})


def test_not_given_is_false_and_has_a_name() -> None:
    assert not NOT_GIVEN
    assert repr(NOT_GIVEN) == "NOT_GIVEN"


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (True, "boolean"),
        (1, "integer"),
        (1.0, "number"),
        ("", "string"),
        (None, "null"),
        ([], "array"),
        ({}, "object"),
    ],
)
def test_types_have_the_names_of_json_schema(value: object, name: str) -> None:
    assert type_name(value) == name
