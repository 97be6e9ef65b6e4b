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
        "price": {"type": "number", "default": 1.5, "description": ""},
        "outside": {"type": "boolean", "default": False, "description": ""},
        "note": {"type": "string", "description": ""},
        "phone": {"type": "string", "description": ""},
        "tip": {"type": "number", "description": ""},
        "guests": {"type": "array", "items": {"type": "string"}, "description": ""},
        "meal": {
            "type": "string",
            "enum": ["lunch", "dinner"],
            "default": "dinner",
            "description": "",
        },
        "extra": {"description": ""},
    }


def test_a_world_may_hide_the_defaults() -> None:
    shown = BOOK.in_world((), show_defaults=False)
    properties = shown.schema["function"]["parameters"]["properties"]
    assert not any("default" in schema for schema in properties.values())
    assert shown.bind(NEEDED) == BOOK.bind(NEEDED)


@every(
    "arguments",
    [
        {},
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
def test_values_of_the_right_type_and_defaults_are_bound_as_they_are(
    arguments: dict[str, Any],
) -> None:
    """What is not given is left out."""
    defaults = {"price": 1.5, "outside": False, "note": None, "meal": "dinner", "extra": None}
    bound = BOOK.bind(NEEDED | arguments)
    assert bound == {**NEEDED, **defaults, **arguments}
    for name, value in arguments.items():
        assert bound[name] is value
    assert not NOT_GIVEN
    assert repr(NOT_GIVEN) == "NOT_GIVEN"


@every(
    ("arguments", "message"),
    [
        ({"table": "1"}, "missing a required argument: 'seats'"),
        ({"seats": "x", "colour": 1}, "missing a required argument: 'table'"),
        (NEEDED | {"colour": 1}, "got an unexpected keyword argument 'colour'"),
        (NEEDED | {"context": 1}, "got an unexpected keyword argument 'context'"),
        (NEEDED | {"seats": "2", "colour": 1}, "got an unexpected keyword argument 'colour'"),
    ],
)
def test_missing_and_unknown_arguments_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError) as caught:
        BOOK.bind(arguments)
    assert str(caught.value) == message


@every(
    ("name", "value", "problem"),
    [
        ("table", 1, "of type 'integer', but expected 'string'."),
        ("table", None, "of type 'null', but expected 'string'."),
        ("seats", 2.0, "of type 'number', but expected 'integer'."),
        ("price", "2", "of type 'string', but expected 'number'."),
        ("outside", 1, "of type 'integer', but expected 'boolean'."),
        ("note", 1, "of type 'integer', but expected 'string or null'."),
        ("phone", None, "of type 'null', but expected 'string'."),
        ("guests", {"a": 1}, "of type 'object', but expected 'array'."),
        ("guests", ["Ann", 1], "not valid: guests[1]: 1 is not of type 'string'"),
        ("meal", "brunch", "not valid: meal: 'brunch' is not one of ['lunch', 'dinner']"),
    ],
)
def test_arguments_of_a_wrong_type_are_refused(name: str, value: Any, problem: str) -> None:
    with pytest.raises(TypeError) as caught:
        BOOK.bind(
            NEEDED | {"tip": True, name: value} if name == "guests" else NEEDED | {name: value}
        )
    assert str(caught.value) == f"Parameter {name!r} is {problem}"


def test_a_tool_runs_in_a_context_if_it_asks_for_one() -> None:
    context = Context(world.start(world.now).with_table("bookings", Table()), world.now)
    result = BOOK.run(context, BOOK.bind(NEEDED | {"tip": None}))
    assert result["tip"] is None
    assert "phone" not in result
    assert [dict(row) for row in context.rows("bookings")] == [{"table": "A"}]

    @tool("numbers")
    def double(number: int) -> int:
        """Double a number."""
        return 2 * number

    assert double.run(context, double.bind({"number": 4})) == 8
    assert list(double.parameters) == ["number"]


@pytest.mark.parametrize("left", [None, {}, "delete"])
def test_a_tool_leaves_a_state(left: Any) -> None:
    @tool("numbers")
    def figures(context: Context) -> None:
        """Leave something else."""
        if left == "delete":
            del context.state
        else:
            context.state = left

    left_words = "a dict" if left == {} else "None"
    text = rf"test_tool.py:\d+: the tool 'figures': it left {left_words} as context.state; expected"
    with pytest.raises(WorldError, match=text):
        figures.answer(Context(world.start(world.now), world.now), {})


class Unwritable:
    def model_dump(self) -> None:
        raise ZeroDivisionError("no figures")


@every(
    ("value", "mistake"),
    [
        *((value, "its result cannot be written") for value in (math.nan, [-math.inf])),
        ({"half": "\ud83d"}, "its result cannot be written"),
        (MagicMock(), ".*JSON cannot express MagicMock"),  # it has every method, without end
        ({"all": Unwritable()}, "its result cannot be written as JSON: no figures"),
    ],
)
def test_a_result_that_is_no_json_is_a_mistake_of_the_world(value: Any, mistake: str) -> None:
    @tool("numbers")
    def figures() -> Any:
        """Return what JSON lacks."""
        return value

    with pytest.raises(WorldError, match=rf"test_tool.py:\d+: .*{mistake}"):
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


@every(
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
