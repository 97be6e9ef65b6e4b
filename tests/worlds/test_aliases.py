"""Parameters that agents know by another name, ``Field(alias="from")``."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Annotated, Any

import pytest
from pydantic import Field

from pytest_toolsandbox.worlds.context import Context, WorldError
from pytest_toolsandbox.worlds.parameter import NOT_GIVEN, NotGiven
from pytest_toolsandbox.worlds.state import State
from pytest_toolsandbox.worlds.tool import CallComparison, FreeText, tool
from pytest_toolsandbox.worlds.tool_view import ToolView


@tool("trains", comparison=CallComparison({"from": FreeText()}))
def search(
    from_: Annotated[str, Field(alias="from", min_length=2)],
    on: Annotated[date | None, Field(alias="in", description="The day.")] = None,
    klass: Annotated[int | NotGiven, Field(alias="class", ge=1)] = NOT_GIVEN,
    page: int = 1,
) -> list[Any]:
    """Search for trains.

    Args:
        from_: Whence.
        class: Of the seats.
    """
    return [from_, on, klass, page]


def test_the_schema_has_the_alias() -> None:
    shown = search.schema["function"]["parameters"]
    assert shown["required"] == ["from"]
    assert shown["properties"] == {
        "from": {"type": "string", "minLength": 2, "description": "Whence."},
        "in": {"type": "string", "format": "date", "description": "The day."},
        "class": {"type": "integer", "minimum": 1, "description": "Of the seats."},
        "page": {"type": "integer", "default": 1, "description": ""},
    }
    view = ToolView(search, "search", "argument_name")
    assert view.world_names["argument_1"] == "from"


def test_calls_have_the_alias_and_the_function_its_own_name() -> None:
    bound = search.bind({"from": "Rome", "in": "2025-03-14"})
    assert bound == {"from": "Rome", "in": "2025-03-14", "page": 1}
    context = Context(State({}), datetime(2025, 3, 14, tzinfo=UTC))
    assert search.run(context, bound) == ["Rome", date(2025, 3, 14), NOT_GIVEN, 1]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"from_": "Rome"}, "missing a required argument: 'from'"),
        ({"from": "Rome", "from_": "x"}, "got an unexpected keyword argument 'from_'"),
        ({"from": "R"}, "Parameter 'from' is not valid: from: 'R' is too short"),
        (
            {"from": "Rome", "in": 3},
            "Parameter 'in' is of type 'integer', but expected 'string or null'.",
        ),
    ],
)
def test_mistakes_of_calls_name_the_alias(arguments: dict[str, Any], problem: str) -> None:
    with pytest.raises(TypeError) as caught:
        search.bind(arguments)
    assert str(caught.value) == problem


@pytest.mark.parametrize(
    ("alias", "problem"),
    [
        ("the day", "the name of parameter 'the day' must be 1 to 64 letters"),
        ("name", "two of its parameters are called 'name'; change an alias"),
    ],
)
def test_an_alias_is_a_name_of_its_own(alias: str, problem: str) -> None:
    def look(name: str, day: str) -> None:
        """Look."""

    look.__annotations__["day"] = Annotated[str, Field(alias=alias)]
    with pytest.raises(WorldError, match=rf"test_aliases.py:\d+: the tool 'look': {problem}"):
        tool("trains")(look)
