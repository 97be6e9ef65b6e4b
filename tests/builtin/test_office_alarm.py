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
SAMUEL = logged_in(NOBODY, "samruiz")  # has one alarm
ILSE = logged_in(NOBODY, "ilsem")  # never had one
OFFICE = ExecutionEnvironment(world, world.now, world.shown())


def call(tool: str, state: State = MARIAN, /, **arguments: Any) -> Response:
    return OFFICE.run(ToolCall("", tool, json.dumps(arguments)), state, "")


def times(state: State = MARIAN, /, **arguments: Any) -> list[str]:
    response = call("FindAlarms", state, **arguments)
    assert response.error is None
    assert response.state is state
    return [alarm["time"] for alarm in json.loads(response.content)["alarms"]]


def test_an_alarm_is_added_at_the_end() -> None:
    response = call("AddAlarm", time="05:00:00")
    assert json.loads(response.content) == {"alarm_id": "5bff-dd80"}
    assert response.state.changes_since(MARIAN) == {
        "alarm": {
            "added": [{"username": "mbell", "alarm_id": "5bff-dd80", "time": "05:00:00"}],
            "removed": [],
        },
        "identifier": {"added": [{"tool": "AddAlarm", "drawn": 1}], "removed": []},
    }
    assert times(response.state) == ["06:15:00", "06:45:00", "13:15:00", "21:30:00", "05:00:00"]


def test_the_time_is_kept_as_it_was_written() -> None:
    state = call("AddAlarm", time="7:5:0").state
    assert times(state, start_range="07:05:00", end_range="07:05:00") == ["7:5:0"]


def test_an_alarm_is_deleted() -> None:
    response = call("DeleteAlarm", alarm_id="600e-2620")
    assert json.loads(response.content) == {"status": "success"}
    assert times(response.state) == ["06:15:00", "13:15:00", "21:30:00"]
    assert set(response.state.changes_since(MARIAN)) == {"alarm"}


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["06:15:00", "06:45:00", "13:15:00", "21:30:00"]),
        ({"start_range": None, "end_range": None}, None),
        ({"start_range": "06:45:00"}, ["06:45:00", "13:15:00", "21:30:00"]),
        ({"end_range": "06:45:00"}, ["06:15:00", "06:45:00"]),
        ({"start_range": "6:45:0", "end_range": "13:14:59"}, ["06:45:00"]),
        ({"start_range": "13:15:00", "end_range": "13:15:00"}, ["13:15:00"]),
        ({"start_range": "22:00:00"}, []),
    ],
)
def test_alarms_are_found_within_a_range(
    arguments: dict[str, Any], found: list[str] | None
) -> None:
    assert times(MARIAN, **arguments) == (times() if found is None else found)


def test_a_found_alarm_has_its_identifier_and_time() -> None:
    alarms = json.loads(call("FindAlarms", SAMUEL).content)["alarms"]
    assert [list(alarm) for alarm in alarms] == [["alarm_id", "time"]]


NO_TIME = "ValueError: '{}' is no time of day: write it like '18:30:00'"


@pytest.mark.parametrize(
    ("tool", "arguments", "error"),
    [
        ("AddAlarm", {"time": "24:00:00"}, NO_TIME.format("24:00:00")),
        ("AddAlarm", {"time": "23:59:60"}, NO_TIME.format("23:59:60")),
        ("AddAlarm", {"time": "07:30"}, NO_TIME.format("07:30")),
        ("AddAlarm", {"time": ""}, NO_TIME.format("")),
        ("DeleteAlarm", {"alarm_id": "x"}, "NoDataError: Alarm x not found."),
        # somebody else's
        ("DeleteAlarm", {"alarm_id": "b052-a421"}, "NoDataError: Alarm b052-a421 not found."),
        ("FindAlarms", {"start_range": "7pm", "end_range": "8pm"}, NO_TIME.format("7pm")),
        ("FindAlarms", {"end_range": ""}, NO_TIME.format("")),
        (
            "FindAlarms",
            {"start_range": "13:00:01", "end_range": "13:00:00"},
            "ValueError: Start range must be earlier than end range.",
        ),
    ],
)
def test_what_is_refused_changes_nothing(tool: str, arguments: dict[str, Any], error: str) -> None:
    response = call(tool, **arguments)
    assert response.error == error
    assert response.state is MARIAN


def test_who_never_had_an_alarm_is_not_asked_for_a_good_range() -> None:
    assert times(ILSE, start_range="soon", end_range="later") == []


def test_who_had_an_alarm_is() -> None:
    (alarm,) = SAMUEL["alarm"].where(username="samruiz")
    state = call("DeleteAlarm", SAMUEL, alarm_id=alarm["alarm_id"]).state
    assert times(state) == []
    assert call("FindAlarms", state, start_range="soon").error == NO_TIME.format("soon")
    assert call("AddAlarm", state, time="07:00:00").state["empty_entry"] == NOBODY["empty_entry"]


def test_equal_alarms_make_equal_states() -> None:
    added = call("AddAlarm", ILSE, time="07:00:00")
    deleted = call("DeleteAlarm", added.state, **json.loads(added.content))
    assert deleted.state["alarm"] == ILSE["alarm"]
    again = call("AddAlarm", deleted.state, time="07:00:00")
    assert json.loads(again.content) == {"alarm_id": "20d0-d9ca"}
    twice = call("AddAlarm", added.state, time="07:00:00").state
    assert call("DeleteAlarm", twice, alarm_id="5bff-dd80").state == again.state
