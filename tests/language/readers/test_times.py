"""Columns of times: what scenarios write as texts are moments in the world's time zone."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from pantry import judged, scenario
from rows import every

from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.worlds import world as registry
from pytest_toolsandbox.worlds.context import Context
from pytest_toolsandbox.worlds.state import Column, TableSchema
from pytest_toolsandbox.worlds.tool import tool
from pytest_toolsandbox.worlds.world import World

BERLIN = ZoneInfo("Europe/Berlin")
TEXT = """
world: dates
user: {opening: Meet me at five.}
protected: []
state: {meeting: {added: [{at: 2025-03-15 09:00}]}}
milestones: {made: {state: {meeting: {added: [{at: EXPECTED}]}}}}
solutions: {s: [{meet: {at: "2025-03-14T16:00:00Z"}}]}
"""


@tool("dates")
def meet(context: Context, at: datetime) -> None:
    """Meet.

    Args:
        at: When.
    """
    context.add("meeting", {"at": at})


@pytest.fixture(autouse=True)
def _world(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = {"meeting": TableSchema({"at": Column(datetime)})}
    now = datetime(2025, 3, 14, 9, tzinfo=BERLIN)
    world = World("dates", now, tables, [meet], lambda now: {"meeting": [{"at": now}]})
    monkeypatch.setitem(registry._registered, "dates", world)


@every(
    ("expected", "score"),
    [
        ("2025-03-14 17:00", 1),
        ("now+8h", 1),
        ("{at: today 17:00}", 1),
        ("{any_of: [now, 2025-03-14 17:00]}", 1),
        ("{not: now}", 1),
        ("2025-03-14 16:00", 0),
    ],
)
def test_a_time_that_is_expected(expected: str, score: float) -> None:
    scene = TEXT.replace("EXPECTED", expected)
    assert judged(scene).score == score
    now, nine = datetime(2025, 3, 14, 9, tzinfo=BERLIN), datetime(2025, 3, 15, 9, tzinfo=BERLIN)
    assert [row["at"] for row in scenario(scene).start["meeting"]] == [now, nine]


@every(
    ("expected", "mistake"),
    [
        ("soon", "'soon' is not a date or time; allowed are '2025-"),
        ("2025-02-30", "'2025-02-30' does not exist: the calendar has no"),
        ("[soon]", "expected a date or time such as 2025-03-15 17:00,"),
    ],
)
def test_what_is_no_time_is_a_mistake(expected: str, mistake: str) -> None:
    with pytest.raises(ScenarioError, match=mistake):
        scenario(TEXT.replace("EXPECTED", expected))
