from __future__ import annotations

import math
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from pytest_toolsandbox.builtin.phone import world
from pytest_toolsandbox.worlds.state import State, Table, plain

NEW = {"content": "Water the plants", "reminder_timestamp": 1747300000}
LATER = datetime(2025, 5, 14, 11, 45, tzinfo=world.now.tzinfo)


def at(month: int, day: int, hour: int, minute: int = 0) -> float:
    return datetime(2025, month, day, hour, minute, tzinfo=world.now.tzinfo).timestamp()


def row_about(state: State, word: str) -> dict[str, Any]:
    (row,) = (row for row in state["reminder"] if word in row["content"])
    return dict(row)


OUT_OF_RANGE = [
    (
        {"reminder_timestamp": 315529199},
        (
            "ValueError: reminder_timestamp 315529199 is smaller than its valid range minimum "
            "315529200"
        ),
    ),
    (
        {"reminder_timestamp": 2524604400.5},
        (
            "ValueError: reminder_timestamp 2524604400.5 is larger than its valid range maximum "
            "2524604400"
        ),
    ),
    ({"reminder_timestamp": math.nan}, "ValueError: reminder_timestamp is not a number"),
    (
        {"latitude": 90.1},
        "ValueError: latitude 90.1 is larger than its valid range maximum 90",
    ),
    (
        {"latitude": -91},
        "ValueError: latitude -91 is smaller than its valid range minimum -90",
    ),
    (
        {"longitude": 181},
        "ValueError: longitude 181 is larger than its valid range maximum 180",
    ),
    (
        {"longitude": -math.inf},
        "ValueError: longitude -inf is smaller than its valid range minimum -180",
    ),
    # The time is looked at first, then the latitude.
    (
        {"reminder_timestamp": 0, "latitude": 100, "longitude": 200},
        "ValueError: reminder_timestamp 0 is smaller than its valid range minimum 315529200",
    ),
    (
        {"latitude": 100, "longitude": 200},
        "ValueError: latitude 100 is larger than its valid range maximum 90",
    ),
]


@pytest.mark.parametrize(("arguments", "text"), OUT_OF_RANGE)
def test_add_reminder_refuses(
    arguments: dict[str, Any], text: str, error: Callable[..., str]
) -> None:
    assert error("add_reminder", **NEW | arguments) == text


@pytest.mark.parametrize(
    ("given", "changed"),
    [
        ({"content": "Pick up the car"}, {"content": "Pick up the car"}),
        ({"reminder_timestamp": 1747300000}, {"reminder_timestamp": 1747300000.0}),
        ({"latitude": 1}, {"latitude": 1.0}),
        ({"latitude": None}, {"latitude": None}),
        ({"latitude": None, "longitude": None}, {"latitude": None, "longitude": None}),
        ({"longitude": 7.5, "content": "x"}, {"longitude": 7.5, "content": "x"}),
    ],
)
def test_modify_reminder(
    given: dict[str, Any], changed: dict[str, Any], call: Callable[..., Any], phone: State
) -> None:
    before = row_about(phone, "Vinnie")
    result, after = call("modify_reminder", reminder_id=before["reminder_id"], now=LATER, **given)
    assert result is None
    assert plain(after["reminder"].rows[-1]) == before | changed | {
        "creation_timestamp": LATER.timestamp()
    }
    assert len(after["reminder"]) == len(phone["reminder"])
    assert set(after.changes_since(phone)) == {"reminder"}


@pytest.mark.parametrize(("arguments", "text"), OUT_OF_RANGE)
def test_modify_reminder_looks_at_its_arguments_first(
    arguments: dict[str, Any], text: str, error: Callable[..., str]
) -> None:
    assert error("modify_reminder", reminder_id="r1", **arguments) == text


def test_a_reminder_id_that_two_reminders_have(
    call: Callable[..., Any], error: Callable[..., str], phone: State
) -> None:
    row = row_about(phone, "passport")
    twins = phone.with_table("reminder", phone["reminder"].with_row(row))
    identifier = row["reminder_id"]
    assert error("modify_reminder", reminder_id=identifier, content="x", state=twins) == (
        f"DuplicateError: 2 reminders have the reminder_id '{identifier}'"
    )
    _, after = call("remove_reminder", reminder_id=identifier, state=twins)
    assert len(after["reminder"]) == len(phone["reminder"]) - 1


def test_remove_reminder(call: Callable[..., Any], phone: State) -> None:
    row = row_about(phone, "passport")
    result, after = call("remove_reminder", reminder_id=row["reminder_id"])
    assert result is None
    assert after.changes_since(phone) == {"reminder": {"added": [], "removed": [row]}}


def test_remove_reminder_refuses(error: Callable[..., str]) -> None:
    assert error("remove_reminder", reminder_id="r1") == (
        "NoDataError: No reminder has the reminder_id 'r1'"
    )


@pytest.mark.parametrize(
    ("content", "is_found"),
    [
        ("renew the passport", True),
        ("passports", True),
        ("passprt", True),
        ("new", True),
        ("papers", False),  # 57 % similar
        ("ab", False),
    ],
)
def test_contents_have_a_word_like_one_that_is_asked_for(
    content: str, is_found: bool, call: Callable[..., Any], phone: State
) -> None:
    row = row_about(phone, "passport")
    alone = phone.with_table("reminder", Table([row]))
    rows, _ = call("search_reminder", content=content, state=alone)
    assert rows == ([row] if is_found else [])
