"""Tools of the office at other times, and in states that no single call leads to."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from rows import every

from pytest_toolsandbox.builtin.office import logged_in, world
from pytest_toolsandbox.calls.tool_call import ToolCall
from pytest_toolsandbox.conversation.environment import ExecutionEnvironment
from pytest_toolsandbox.conversation.messages import Response
from pytest_toolsandbox.worlds.state import State

START = world.start(world.now)
MARIAN = logged_in(START, "mbell")
ILSE = logged_in(START, "ilsem")  # has no alarms and no messages
SUBJECTS = [row["subject"] for row in MARIAN["email"].where(username="mbell")]
ORDER, INTERN, DRILL, LUNCH, DENTIST, DELAY = SUBJECTS


def call(
    tool: str, state: State = MARIAN, now: datetime = world.now, /, **arguments: Any
) -> Response:
    office = ExecutionEnvironment(world, now, world.shown())
    return office.run(ToolCall("", tool, json.dumps(arguments)), state, "")


def subjects(state: State = MARIAN, now: datetime = world.now, /, **criteria: Any) -> list[str]:
    response = call("SearchInbox", state, now, **criteria)
    assert response.state is state
    return [email["subject"] for email in json.loads(response.content)["emails"]]


@every(("minute", "has_arrived"), [(19, False), (20, True)])
def test_an_email_arrives_at_its_time(minute: int, *, has_arrived: bool) -> None:
    now = world.now.replace(hour=16, minute=minute)
    assert (DELAY in subjects(MARIAN, now, query="77120")) == has_arrived


def test_the_latest_five_emails_are_found_equal_ones_in_their_order() -> None:
    now = world.now.replace(day=16)
    assert subjects(MARIAN, now, query="") == [DELAY, DENTIST, LUNCH, DRILL, INTERN]
    (order,) = MARIAN["email"].where(subject=ORDER)
    twin = order.changed(email_id="twin", subject="Twin")
    twins = MARIAN.with_table("email", MARIAN["email"].with_row(twin))
    assert subjects(twins, world.now, sender=order["sender"]) == [ORDER, "Twin"]


def test_a_search_for_messages_is_checked_even_if_there_are_none() -> None:
    empty = START["empty_entry"].with_row({"table": "message", "username": "ilsem"})
    state = ILSE.with_table("empty_entry", empty)
    assert json.loads(call("SearchMessages", state, query="a").content)["messages"] == []
    error = "ValueError: At least one of query, sender, start_date, end_date must be provided."
    assert call("SearchMessages", state).error == error


def test_equal_alarms_make_equal_states() -> None:
    added = call("AddAlarm", ILSE, time="07:00:00")
    deleted = call("DeleteAlarm", added.state, **json.loads(added.content))
    assert deleted.state["alarm"] == ILSE["alarm"]
    again = call("AddAlarm", deleted.state, time="07:00:00")
    assert json.loads(again.content) == {"alarm_id": "20d0-d9ca"}
    twice = call("AddAlarm", added.state, time="07:00:00").state
    assert call("DeleteAlarm", twice, alarm_id="5bff-dd80").state == again.state


def test_current_weather_is_that_of_the_day() -> None:
    response = call("CurrentWeather", START, world.now.replace(day=23, hour=23), location="denver")
    assert json.loads(response.content)["weather"]["conditions"] == "Snow Showers"


@every(
    ("tool", "day", "date"),
    [
        ("CurrentWeather", 11, "2025-09-11"),
        ("CurrentWeather", 26, "2025-09-26"),
        ("ForecastWeather", 10, "2025-09-11"),
        ("ForecastWeather", 23, "2025-09-26"),
    ],
)
def test_weather_is_known_for_two_weeks(tool: str, day: int, date: str) -> None:
    response = call(tool, START, world.now.replace(day=day), location="oslo")
    assert response.error == f"NoDataError: No weather is known for oslo on {date}"


def test_what_is_sent_is_kept_but_not_found() -> None:
    mail = {"to": ["a@b.example"], "subject": "Drill", "body": "At 11."}
    state = call("SendEmail", **mail).state
    state = call("SendMessage", state, receiver="okafor", message="The drill is at 11.").state
    (email,), (message,) = state["sent_email"], state["sent_message"]
    assert email["date"] == message["timestamp"] == "2025-09-15 09:00:00"
    assert (email["username"], email["receivers"]) == ("mbell", ("a@b.example",))
    assert message["receiver"] == "okafor"
    assert subjects(state, query="drill") == [DRILL]
