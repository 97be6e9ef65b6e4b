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
SAMUEL = logged_in(NOBODY, "samruiz")  # never had an event
OFFICE = ExecutionEnvironment(world, world.now, world.shown())

DENTIST = MARIAN["event"].where(username="mbell", name="Dentist")[0]
WHOLE = {"start_time": "2025-09-01 00:00:00", "end_time": "2025-09-30 23:59:59"}
FAIR = {
    "name": "Book fair",
    "event_type": "event",
    "start_time": "2025-09-20 10:00:00",
    "end_time": "2025-09-20 18:00:00",
}
NEW_TIMES = {"new_start_time": "2025-09-17 15:30:00", "new_end_time": "2025-09-17 16:15:00"}
SUCCESS = {"status": "success"}


def call(tool: str, state: State = MARIAN, /, **arguments: Any) -> Response:
    return OFFICE.run(ToolCall("", tool, json.dumps(arguments)), state, "")


def names(state: State = MARIAN, /, **arguments: Any) -> list[str]:
    response = call("QueryCalendar", state, **(WHOLE | arguments))
    assert response.error is None
    assert response.state is state
    return [event["name"] for event in json.loads(response.content)["events"]]


def event(state: State, event_id: str) -> dict[str, Any]:
    (found,) = [
        event
        for event in json.loads(call("QueryCalendar", state, **WHOLE).content)["events"]
        if event["event_id"] == event_id
    ]
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize(
    ("more", "stored"),
    [
        ({}, {}),
        ({"description": None, "location": None, "attendees": None}, {}),
        ({"description": "", "location": "Hall 2"}, {"description": "", "location": "Hall 2"}),
        ({"attendees": []}, {"attendees": ["mbell"]}),
        (
            {"event_type": "meeting", "attendees": ["jtran", "a stranger"]},
            {"event_type": "meeting", "attendees": ["jtran", "a stranger", "mbell"]},
        ),
        ({"attendees": ["mbell", "jtran"]}, {"attendees": ["mbell", "jtran"]}),
        ({"start_time": "2025-9-20 8:0:0"}, {"start_time": "2025-9-20 8:0:0"}),
        ({"start_time": FAIR["end_time"]}, {"start_time": FAIR["end_time"]}),
        # from now on
        ({"start_time": "2025-09-15 09:00:00"}, {"start_time": "2025-09-15 09:00:00"}),
    ],
)
def test_an_event_is_created(more: dict[str, Any], stored: dict[str, Any]) -> None:
    response = call("CreateEvent", **(FAIR | more))
    assert json.loads(response.content) == {"event_id": "e149636f-d9ca"}
    rest = {"description": None, "location": None, "attendees": None}
    created = {"event_id": "e149636f-d9ca", **FAIR, **rest, **stored}
    assert event(response.state, "e149636f-d9ca") == created
    assert response.state.changes_since(MARIAN) == {
        "event": {"added": [{"username": "mbell", **created}], "removed": []},
        "identifier": {"added": [{"tool": "CreateEvent", "drawn": 1}], "removed": []},
    }


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"event_type": "party", "start_time": "x"}, "Event type party not supported."),
        ({"event_type": "meeting", "start_time": "x"}, "Meeting must have attendees."),
        ({"event_type": "meeting", "attendees": []}, "Meeting must have attendees."),
        (
            {"start_time": "2025-09-20", "end_time": "x"},
            "'2025-09-20' is no date and time: write them like '2025-09-15 18:30:00'",
        ),
        ({"end_time": "x"}, "'x' is no date and time: write them like '2025-09-15 18:30:00'"),
        (
            {"start_time": "2025-09-14 10:00:00", "end_time": "2025-09-14 09:00:00"},
            "Start time must be before end time.",
        ),
        (
            {"start_time": "2025-09-15 08:59:59"},
            "Start time and end time must be in the future.",
        ),
    ],
)
def test_an_event_that_makes_no_sense_is_refused(wrong: dict[str, Any], error: str) -> None:
    response = call("CreateEvent", **(FAIR | wrong))
    assert response.error == f"ValueError: {error}"
    assert response.state is MARIAN


def test_an_event_is_deleted() -> None:
    response = call("DeleteEvent", event_id=DENTIST["event_id"])
    assert json.loads(response.content) == SUCCESS
    assert "Dentist" not in names(response.state)
    assert len(names(response.state)) == 5
    assert set(response.state.changes_since(MARIAN)) == {"event"}


@pytest.mark.parametrize(
    ("new", "changed"),
    [
        ({}, {}),
        ({"new_name": None, "new_attendees": None}, {}),
        ({"new_name": ""}, {"name": ""}),
        (
            NEW_TIMES,
            {"start_time": "2025-09-17 15:30:00", "end_time": "2025-09-17 16:15:00"},
        ),
        (
            {"new_description": "Checkup", "new_location": ""},
            {"description": "Checkup", "location": ""},
        ),
        ({"new_attendees": []}, {"attendees": ["mbell"]}),
        ({"new_attendees": ["jtran"]}, {"attendees": ["jtran", "mbell"]}),
    ],
)
def test_an_event_is_changed_in_its_place(new: dict[str, Any], changed: dict[str, Any]) -> None:
    response = call("ModifyEvent", event_id=DENTIST["event_id"], **new)
    assert json.loads(response.content) == SUCCESS
    before = event(MARIAN, DENTIST["event_id"])
    assert event(response.state, DENTIST["event_id"]) == before | changed
    ids = [row["event_id"] for row in MARIAN["event"]]
    assert [row["event_id"] for row in response.state["event"]] == ids
    assert (response.state is MARIAN) == (changed == {})


@pytest.mark.parametrize(
    ("new", "error"),
    [
        (
            {"new_start_time": "x"},
            "new_end_time must be provided if new_start_time is provided.",
        ),
        (
            {"new_end_time": "x"},
            "new_start_time must be provided if new_end_time is provided.",
        ),
        (
            NEW_TIMES | {"new_start_time": ""},
            "'' is no date and time: write them like '2025-09-15 18:30:00'",
        ),
        (
            NEW_TIMES | {"new_start_time": "2025-09-17 16:15:01"},
            "Start time must be before end time.",
        ),
        (
            NEW_TIMES | {"new_start_time": "2025-09-15 08:00:00"},
            "Start time and end time must be in the future.",
        ),
    ],
)
def test_a_change_that_makes_no_sense_changes_nothing(new: dict[str, Any], error: str) -> None:
    response = call("ModifyEvent", event_id=DENTIST["event_id"], new_name="Tooth", **new)
    assert response.error == f"ValueError: {error}"
    assert response.state is MARIAN


@pytest.mark.parametrize("tool", ["DeleteEvent", "ModifyEvent"])
@pytest.mark.parametrize("state", [MARIAN, SAMUEL])
def test_other_events_are_not_found(tool: str, state: State) -> None:
    """Neither somebody else's nor, for a user without a calendar, any."""
    other = MARIAN["event"].where(username="jtran")[0]["event_id"]
    assert call(tool, state, event_id=other).error == f"NoDataError: Event {other} not found."


@pytest.mark.parametrize(
    ("start", "end", "found"),
    [
        ("2025-09-16 00:00:00", "2025-09-16 23:59:59", ["Dentist"]),
        ("2025-09-16 15:00:00", "2025-09-16 15:05:00", ["Dentist"]),
        ("2025-09-16 15:15:00", "2025-09-16 18:00:00", ["Dentist"]),
        ("2025-09-16 09:00:00", "2025-09-16 14:30:00", ["Dentist"]),
        ("2025-09-16 14:45:00", "2025-09-16 14:45:00", ["Dentist"]),
        ("2025-9-16 15:15:1", "2025-9-16 18:0:0", []),
        (
            "2025-09-15 00:00:00",
            "2025-09-16 23:59:59",
            ["Weekly planning", "Office tour with Samuel", "Dentist"],
        ),
    ],
)
def test_events_are_found_that_touch_the_span(start: str, end: str, found: list[str]) -> None:
    assert names(MARIAN, start_time=start, end_time=end) == found


@pytest.mark.parametrize(
    ("span", "error"),
    [
        ({"start_time": "x"}, "'x' is no date and time: write them like '2025-09-15 18:30:00'"),
        ({"end_time": ""}, "'' is no date and time: write them like '2025-09-15 18:30:00'"),
        ({"end_time": "2025-08-31 00:00:00"}, "Start time must be before end time."),
    ],
)
def test_a_span_that_makes_no_sense_is_refused(span: dict[str, Any], error: str) -> None:
    assert call("QueryCalendar", **(WHOLE | span)).error == f"ValueError: {error}"


def test_who_never_had_an_event_is_told_so_before_anything_else() -> None:
    response = call("QueryCalendar", SAMUEL, start_time="x", end_time="x")
    assert response.error == "NoDataError: User samruiz has no events."


def test_who_had_an_event_is_told_of_none() -> None:
    created = call("CreateEvent", SAMUEL, **FAIR)
    assert names(created.state) == ["Book fair"]
    deleted = call("DeleteEvent", created.state, **json.loads(created.content)).state
    assert names(deleted) == []
    assert deleted.changes_since(SAMUEL)["empty_entry"] == {
        "added": [{"table": "event", "username": "samruiz"}],
        "removed": [],
    }
    assert call("CreateEvent", deleted, **FAIR).state["empty_entry"] == SAMUEL["empty_entry"]
