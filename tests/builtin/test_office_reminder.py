from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_toolsandbox.builtin.office import logged_in, world
from pytest_toolsandbox.calls.tool_call import ToolCall
from pytest_toolsandbox.conversation.environment import ExecutionEnvironment
from pytest_toolsandbox.conversation.messages import Response
from pytest_toolsandbox.worlds.state import State

NOBODY = world.start(world.now)
MARIAN = logged_in(NOBODY, "mbell")
ADA = logged_in(NOBODY, "lowell_survey")  # has no reminders
OFFICE = ExecutionEnvironment(world, world.now, world.shown())
TASKS = [
    "Water the plants in the hall",
    "Get a key for Samuel",
    "Order coffee",
    "Order coffee filters",
    "Tell everybody about the fire drill",
]
KEY, COFFEE = "a4-3bc5", "27-625a"
SUCCESS = {"status": "success"}


def call(tool: str, state: State = MARIAN, /, **arguments: Any) -> Response:
    return OFFICE.run(ToolCall("", tool, json.dumps(arguments)), state, "")


def reminders(state: State = MARIAN, /) -> list[dict[str, Any]]:
    response = call("GetReminders", state)
    assert response.error is None
    assert response.state is state
    found = json.loads(response.content)["reminders"]
    assert isinstance(found, list)
    return found


def test_all_reminders_are_listed_whatever_their_status() -> None:
    assert [reminder["task"] for reminder in reminders()] == TASKS
    assert reminders()[2] == {
        "reminder_id": COFFEE,
        "task": "Order coffee",
        "due_date": "2025-09-10 00:00:00",
        "status": "complete",
    }
    assert reminders(ADA) == []


@pytest.mark.parametrize(
    ("arguments", "due_date"),
    [
        ({}, None),
        ({"due_date": None}, None),
        ({"due_date": "2025-09-16 12:00:00"}, "2025-09-16 12:00:00"),
        ({"due_date": "2020-1-1 0:0:0"}, "2020-1-1 0:0:0"),
    ],
)
def test_a_reminder_is_added_at_the_end(arguments: dict[str, Any], due_date: str | None) -> None:
    response = call("AddReminder", task="", **arguments)
    assert json.loads(response.content) == {"reminder_id": "5b-dd80"}
    added = {"reminder_id": "5b-dd80", "task": "", "due_date": due_date, "status": "pending"}
    assert reminders(response.state) == [*reminders(), added]
    assert response.state.changes_since(MARIAN) == {
        "reminder": {"added": [{"username": "mbell", **added}], "removed": []},
        "identifier": {"added": [{"tool": "AddReminder", "drawn": 1}], "removed": []},
    }


def test_a_reminder_is_completed_in_its_place() -> None:
    response = call("CompleteReminder", reminder_id=KEY)
    assert json.loads(response.content) == SUCCESS
    assert [reminder["task"] for reminder in reminders(response.state)] == TASKS
    assert reminders(response.state)[1]["status"] == "complete"
    assert response.state["reminder"].minus(MARIAN["reminder"])[0]["reminder_id"] == KEY
    again = call("CompleteReminder", response.state, reminder_id=KEY)
    assert again.error == f"ValueError: Reminder {KEY} already completed"


def test_a_reminder_is_deleted() -> None:
    response = call("DeleteReminder", reminder_id=COFFEE)
    assert json.loads(response.content) == SUCCESS
    assert COFFEE not in [reminder["reminder_id"] for reminder in reminders(response.state)]
    assert len(reminders(response.state)) == 4
    assert set(response.state.changes_since(MARIAN)) == {"reminder"}


@pytest.mark.parametrize(
    ("state", "tool", "arguments", "error"),
    [
        (
            MARIAN,
            "AddReminder",
            {"task": "t", "due_date": "tomorrow"},
            "ValueError: Invalid due_date: tomorrow",
        ),
        (MARIAN, "AddReminder", {"task": "t", "due_date": ""}, "ValueError: Invalid due_date:"),
        (
            MARIAN,
            "CompleteReminder",
            {"reminder_id": COFFEE},
            f"ValueError: Reminder {COFFEE} already completed",
        ),
        (
            MARIAN,
            "CompleteReminder",
            {"reminder_id": "nope"},
            "NoDataError: Reminder nope not found in database",
        ),
        (
            MARIAN,
            "DeleteReminder",
            {"reminder_id": "nope"},
            "NoDataError: Reminder nope not found in database",
        ),
        # in our words, also for whom the published code has none of its own
        (
            ADA,
            "CompleteReminder",
            {"reminder_id": KEY},
            f"NoDataError: Reminder {KEY} not found in database",
        ),
        (
            ADA,
            "DeleteReminder",
            {"reminder_id": KEY},
            f"NoDataError: Reminder {KEY} not found in database",
        ),
    ],
)
def test_what_is_refused_changes_nothing(
    state: State, tool: str, arguments: dict[str, Any], error: str
) -> None:
    response = call(tool, state, **arguments)
    assert response.error == error
    assert response.state is state
