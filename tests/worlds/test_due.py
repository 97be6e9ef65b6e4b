"""What happens in a world by itself when its clock moves."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from rows import every

from pytest_toolsandbox.worlds.context import Context, WorldError
from pytest_toolsandbox.worlds.due import Due, passed_time
from pytest_toolsandbox.worlds.state import Column, Row, State, Table, TableSchema

ZONE = ZoneInfo("America/New_York")
SCHEMAS = {
    "job": TableSchema({"name": Column(str), "at": Column(datetime, nullable=True)}),
    "log": TableSchema({"text": Column(str)}),
}
NIGHT = datetime(2025, 3, 9, 1, 30, tzinfo=ZONE)
"""Half an hour before the clocks skip an hour."""


def run(context: Context, row: Row) -> None:
    """Log a job with its local time; a job called "daily" is due again on the next day."""
    context.add("log", {"text": f"{row['name']} {context.now:%d %H:%M}"})
    context.remove("job", row)
    if row["name"] == "daily":
        context.add("job", {"name": "daily", "at": row["at"] + timedelta(days=1)})
    if row["name"] == "all":
        context.remove("job", *context.rows("job"))


def after(hours: float, *jobs: tuple[str, Any], due: Due | None = None) -> State:
    rows = [Row({"name": name, "at": at}) for name, at in jobs]
    start = State({"job": Table(rows), "log": Table()})
    end = datetime.fromtimestamp(NIGHT.timestamp() + hours * 3600, ZONE)
    return passed_time([due or Due("job", "at", run)], SCHEMAS, start, (NIGHT, end), "clock/1")


def at(day: int, hour: int, minute: int = 0) -> datetime:
    return datetime(2025, 3, day, hour, minute, tzinfo=ZONE)


@every(
    ("hours", "jobs", "log"),
    [
        (1, [("a", at(9, 3))], ["a 09 03:00"]),  # half an hour later on the time line
        (0.25, [("a", at(9, 3))], []),
        (0.5, [("a", at(9, 3))], ["a 09 03:00"]),  # the end is included,
        (9, [("a", NIGHT), ("b", at(8, 9))], []),  # and the beginning is not
        (9, [("a", at(9, 8)), ("b", at(9, 4)), ("c", None)], ["b 09 04:00", "a 09 08:00"]),
        (9, [("b", at(9, 4)), ("a", at(9, 4))], ["b 09 04:00", "a 09 04:00"]),
        (50, [("daily", at(9, 7))], ["daily 09 07:00", "daily 10 07:00"]),
        (9, [("all", at(9, 4)), ("a", at(9, 4))], ["all 09 04:00"]),
    ],
)
def test_things_happen_in_the_order_of_their_times(
    hours: float, jobs: list[tuple[str, Any]], log: list[str]
) -> None:
    state = after(hours, *jobs)
    assert [row["text"] for row in state["log"]] == log
    assert state.now is not None
    assert state.now.timestamp() == NIGHT.timestamp() + hours * 3600


def test_a_time_can_be_a_timestamp_and_be_worked_out() -> None:
    due = Due("job", lambda _, row: at(9, 4).timestamp() if row["name"] == "a" else None, run)
    assert [row["text"] for row in after(9, ("a", None), ("b", None), due=due)["log"]] == [
        "a 09 04:00"
    ]


@pytest.mark.parametrize(
    ("happen", "text"),
    [
        (lambda _, row: row["nobody"], r"test_due.py:\d+: what is due in the table 'job' raised"),
        (
            lambda context, row: context.update("job", row, at=row["at"] + timedelta(seconds=1e-6)),
            "more than 100000 rows were due",
        ),
    ],
)
def test_a_bug_is_an_error_of_the_world(happen: Any, text: str) -> None:
    with pytest.raises(WorldError, match=text):
        after(9, ("a", at(9, 4)), due=Due("job", "at", happen))
