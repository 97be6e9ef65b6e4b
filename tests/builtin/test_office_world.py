from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from lookups import arguments_shown
from rows import every

from pytest_toolsandbox.builtin.office import logged_in, world
from pytest_toolsandbox.builtin.office.formats import is_email, is_phone_number
from pytest_toolsandbox.builtin.office.identifiers import identifier
from pytest_toolsandbox.calls.tool_call import ToolCall
from pytest_toolsandbox.conversation.environment import ExecutionEnvironment
from pytest_toolsandbox.worlds.state import NO_DEFAULT, State
from pytest_toolsandbox.worlds.tool import CallComparison, FreeText, SupersetOf
from pytest_toolsandbox.worlds.world import find_world, known_worlds

ROOT = Path(__file__).parents[2]
PAGE = "".join(
    ROOT.joinpath("docs", page).read_text(encoding="utf-8")
    for page in ("office.md", "office-data.md")
)
START = world.start(world.now)

# Plugin → tool → its arguments as an agent sees them; a star marks those that it must give.
TOOLS: dict[str, dict[str, str]] = {
    "AccountTools": {
        "ChangePassword": "old_password:string* new_password:string*",
        "DeleteAccount": "password:string*",
        "GetAccountInformation": "",
        "LogoutUser": "",
        "QueryUser": "username:string email:string",
        "RegisterUser": (
            "username:string* password:string* email:string* name:string phone:string"
        ),
        "ResetPassword": "username:string* verification_code:string* new_password:string*",
        "SendVerificationCode": "username:string* email:string*",
        "UpdateAccountInformation": (
            "password:string* new_email:string new_phone_number:string new_name:string"
        ),
        "UserLogin": "username:string* password:string*",
    },
    "Alarm": {
        "AddAlarm": "time:string*",
        "DeleteAlarm": "alarm_id:string*",
        "FindAlarms": "start_range:string end_range:string",
    },
    "Calendar": {
        "CreateEvent": (
            "name:string* event_type:string* start_time:string* end_time:string* "
            "description:string location:string attendees:array"
        ),
        "DeleteEvent": "event_id:string*",
        "ModifyEvent": (
            "event_id:string* new_name:string new_start_time:string new_end_time:string "
            "new_description:string new_location:string new_attendees:array"
        ),
        "QueryCalendar": "start_time:string* end_time:string*",
    },
    "Email": {
        "SearchInbox": (
            "query:string match_type:string sender:string start_date:string end_date:string"
        ),
        "SendEmail": "to:array* subject:string* body:string*",
    },
    "Messages": {
        "SearchMessages": (
            "query:string match_type:string sender:string start_date:string end_date:string"
        ),
        "SendMessage": "receiver:string* message:string*",
    },
    "Reminder": {
        "AddReminder": "task:string* due_date:string",
        "CompleteReminder": "reminder_id:string*",
        "DeleteReminder": "reminder_id:string*",
        "GetReminders": "",
    },
    "Weather": {
        "CurrentWeather": "location:string*",
        "ForecastWeather": "location:string*",
        "HistoricWeather": "location:string* month:string*",
    },
}
NAMES = [name for tools in TOOLS.values() for name in tools]
NO_ACTIONS = {
    "GetAccountInformation",
    "QueryUser",
    "FindAlarms",
    "QueryCalendar",
    "SearchInbox",
    "SearchMessages",
    "GetReminders",
    "CurrentWeather",
    "ForecastWeather",
    "HistoricWeather",
}
CRITERIA = ("query", "match_type", "sender", "start_date", "end_date")
COMPARISONS = {
    "AddAlarm": CallComparison(result="ignored"),
    "CreateEvent": CallComparison(
        {
            "name": FreeText(is_title=True),
            "description": FreeText(0.9),
            "location": FreeText(is_title=True),
            "attendees": "attendees",
        },
        result="ignored",
    ),
    "ModifyEvent": CallComparison(
        {
            "new_name": FreeText(is_title=True),
            "new_description": FreeText(0.9),
            "new_location": FreeText(is_title=True),
            "new_attendees": "attendees",
        },
        merged_by="event_id",
    ),
    "UpdateAccountInformation": CallComparison(merged_by="password"),
    "SendEmail": CallComparison(
        {"to": "set", "subject": FreeText(is_title=True), "body": FreeText(0.8)}, result="ignored"
    ),
    "SendMessage": CallComparison({"message": FreeText(0.8)}, result="ignored"),
    "AddReminder": CallComparison(
        {"task": FreeText(is_title=True), "due_date": "date"}, result="ignored"
    ),
    "FindAlarms": CallComparison(
        {"start_range": "ignored", "end_range": "ignored"}, SupersetOf("alarms", "alarm_id")
    ),
    "QueryCalendar": CallComparison(
        {"start_time": "ignored", "end_time": "ignored"}, SupersetOf("events", "event_id")
    ),
    "SearchInbox": CallComparison(
        dict.fromkeys(CRITERIA, "ignored"), SupersetOf("emails", "email_id")
    ),
    "SearchMessages": CallComparison(
        dict.fromkeys(CRITERIA, "ignored"), SupersetOf("messages", "message_id")
    ),
    "GetReminders": CallComparison({}, SupersetOf("reminders", "reminder_id"), whole_request=True),
}

# A column that has a default is in brackets.
COLUMNS = {
    "account": (
        "username:str email:str [phone]:str|null [name]:str|null password:str "
        "[session_token]:str|null [verification_code]:str|null"
    ),
    "alarm": "username:str [alarm_id]:str time:str",
    "event": (
        "username:str [event_id]:str name:str~rouge_l event_type:str "
        "[description]:str|null~rouge_l start_time:str end_time:str "
        "[location]:str|null~rouge_l [attendees]:list|null"
    ),
    "email": (
        "username:str [email_id]:str date:str sender:str receivers:list "
        "subject:str~restates body:str~restates"
    ),
    "message": "username:str [message_id]:str timestamp:str sender:str message:str~restates",
    "reminder": (
        "username:str [reminder_id]:str task:str~restates [due_date]:str|null [status]:str"
    ),
    "weather": "location:str date:str high:int low:int conditions:str",
    "historic_weather": (
        "location:str month:str min_temp:int max_temp:int record_min_temp:int "
        "record_max_temp:int avg_rainfall:float snow_days:int"
    ),
    "session": "[username]:str|null [token]:str|null",
    "identifier": "tool:str drawn:int",
    "empty_entry": "table:str username:str",
}


def test_the_world_is_known_by_its_name() -> None:
    assert "office" in known_worlds()
    assert find_world("office") is world
    assert world.name == "office"
    assert world.summary.endswith(".")


def test_it_is_monday_morning_without_a_time_zone_to_speak_of() -> None:
    assert world.now == datetime(2025, 9, 15, 9, 0, tzinfo=UTC)
    assert world.now.isoweekday() == 1
    assert world.now.utcoffset() == timedelta(0)


def test_the_tables_have_their_columns_in_order() -> None:
    assert {
        table: " ".join(
            (name if column.default is NO_DEFAULT else f"[{name}]")
            + f":{column.type.__name__}"
            + "|null" * column.nullable
            + f"~{column.measure}" * (column.measure != "exact")
            for name, column in schema.columns.items()
        )
        for table, schema in world.tables.items()
    } == COLUMNS
    assert [table for table, schema in world.tables.items() if schema.single_row] == ["session"]


def test_every_tool_is_there_and_in_its_plugin() -> None:
    assert {name: tool.module for name, tool in world.tools.items()} == {
        name: plugin for plugin, tools in TOOLS.items() for name in tools
    }
    assert len(world.agent_tools) == len(tuple(world.toolset)) == 28


def test_which_tools_do_something() -> None:
    assert {name for name, tool in world.tools.items() if not tool.action} == NO_ACTIONS


@every("name", NAMES)
def test_how_calls_are_compared(name: str) -> None:
    assert world.tools[name].comparison == COMPARISONS.get(name, CallComparison())


@every("name", NAMES)
def test_only_arguments_of_the_tool_are_compared(name: str) -> None:
    tool = world.tools[name]
    assert set(tool.comparison.arguments) <= set(tool.parameters)


@every(("name", "arguments"), [item for tools in TOOLS.values() for item in tools.items()])
def test_an_agent_sees_the_arguments_and_which_are_needed(name: str, arguments: str) -> None:
    assert arguments_shown(world.tools[name]) == arguments


@every("name", NAMES)
def test_an_agent_reads_what_everything_is_for(name: str) -> None:
    tool = world.tools[name]
    function = tool.schema["function"]
    jsonschema.Draft202012Validator.check_schema(function["parameters"])
    assert re.fullmatch(r"[A-Z].*\.", tool.description)
    for shown in function["parameters"]["properties"].values():
        assert re.fullmatch(r"[A-Z].*\.", shown["description"])
        texts = {"items": {"type": "string"}} if shown["type"] == "array" else {}
        described = {"type": shown["type"], "description": shown["description"]}
        assert shown == described | texts


@every("name", NAMES)
def test_null_is_as_good_as_not_given_but_for_match_type(name: str) -> None:
    for argument, parameter in world.tools[name].parameters.items():
        takes_null = world.tools[name].problem(argument, None) is None
        assert takes_null == (not parameter.required and argument != "match_type")
        if takes_null:
            assert parameter.default is None


@every("name", NAMES)
def test_arguments_of_another_type_are_refused(name: str) -> None:
    tool = world.tools[name]
    for argument, parameter in tool.parameters.items():
        values: tuple[Any, ...] = (
            7,
            True,
            {},
            1.5,
            "x" if parameter.shown["type"] == "array" else ["x"],
        )
        for value in values:
            assert re.match(
                rf"Parameter '{argument}' is of type '\w+', but expected "
                rf"'{parameter.shown['type']}( or null)?'\.$",
                str(tool.problem(argument, value)),
            )


@every("name", NAMES)
def test_the_documentation_says_what_a_tool_takes_and_needs(name: str) -> None:
    page = PAGE.partition("## Tools")[2].partition("## How calls are compared")[0]
    ((arguments, marks),) = re.findall(rf"^\| `{name}` \|([^|]*)\|([^|]*)\|", page, re.MULTILINE)
    tool = world.tools[name]
    assert re.findall(r"(\[?)`(\w+)`", arguments) == [
        ("" if parameter.required else "[", argument)
        for argument, parameter in tool.parameters.items()
    ]
    needs_session = tool.precondition is not None and name not in ("UserLogin", "RegisterUser")
    wanted = ["action"] * tool.action + ["session"] * needs_session
    assert re.findall(r"\w+", marks) == wanted


def test_the_documentation_lists_columns_people_and_weather() -> None:
    for table, schema in world.tables.items():
        ((_, section),) = re.findall(
            rf"^### `{table}`(.*?)^(.*?)(?=^##)", PAGE, re.MULTILINE | re.DOTALL
        )
        rows = re.findall(r"^\| (`.*?`) \|", section, re.MULTILINE)
        assert rows[-len(schema.columns) :] == [f"`{column}`" for column in schema.columns]
    for row in START["account"]:
        number = row["phone"] or "none"
        cells = f"`{row['username']}`", row["name"], row["email"], number, f"`{row['password']}`"
        assert f"| {' | '.join(cells)} |" in PAGE
        tables = ("alarm", "event", "email", "message", "reminder")
        counts = [len(START[table].where(username=row["username"])) for table in tables]
        shown = " | ".join(str(count or "–") for count in counts)  # noqa: RUF001  # as a dash is
        assert f"| `{row['username']}` | {shown} |" in PAGE
    for place in ("duluth", "wellington"):
        days = START["weather"].where(location=place)[3:7]
        shown = " | ".join(f"{day['high']}, {day['low']}, {day['conditions']}" for day in days)
        assert f"| {place.title()} | {shown} |" in PAGE


def test_the_examples_of_the_documentation_run() -> None:
    first, second = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    exec(first, names)
    row = names["state"]["account"].where(username="mbell")[0]
    assert (row["session_token"], row["verification_code"]) == ("98a5a87a-7714-b404", "982003")
    assert 'office_world(folder, name="our_office")' in second
    for tool, values in re.findall(
        r"^\| (`\w+`.*?) \| (`[\w-]+`, `[\w-]+`) \|$", PAGE, re.MULTILINE
    ):
        for name in re.findall(r"\w+", tool):
            drawn = [identifier(name, place) for place in (0, 1)]
            assert re.findall(r"[\w-]+", values) == drawn


def test_a_scenario_author_may_leave_columns_out() -> None:
    event = world.complete(
        "event",
        {
            "username": "mbell",
            "name": "Swim",
            "event_type": "event",
            "start_time": "2025-09-16 10:00:00",
            "end_time": "2025-09-16 11:00:00",
        },
        "0",
    )
    assert [event[name] for name in ("description", "location", "attendees")] == [None] * 3
    reminder = world.complete("reminder", {"username": "mbell", "task": "Swim"}, "0")
    assert (reminder["due_date"], reminder["status"]) == (None, "pending")


# the initial data


def test_how_much_there_is() -> None:
    assert {table: len(rows) for table, rows in START.items()} == {
        "account": 11,
        "alarm": 10,
        "event": 30,
        "email": 20,
        "message": 15,
        "reminder": 30,
        "weather": 141,
        "historic_weather": 23,
        "session": 1,
        "identifier": 0,
        "empty_entry": 0,
    }
    assert [dict(row) for row in START["session"]] == [{"username": None, "token": None}]


def test_the_start_is_the_same_at_any_time() -> None:
    assert world.start(world.now + timedelta(days=400, hours=7)) == START


def test_accounts_are_in_order() -> None:
    for column in ("username", "email", "name", "password"):
        values = [row[column] for row in START["account"]]
        assert len(set(values)) == len(values)
    for row in START["account"]:
        assert is_email(row["email"])
        assert row["email"].endswith(".example")
        assert row["phone"] is None or re.fullmatch(r"\d{3}-555-01\d\d", row["phone"])
        assert row["phone"] is None or is_phone_number(row["phone"])
        assert row["session_token"] is row["verification_code"] is None


def test_rows_belong_to_somebody_and_have_an_identifier_of_their_own() -> None:
    users = {row["username"] for row in START["account"]}
    for table in ("alarm", "event", "email", "message", "reminder"):
        ids = [row[f"{table}_id"] for row in START[table]]
        assert len(set(ids)) == len(ids)
        assert {row["username"] for row in START[table]} <= users


def test_mails_and_messages_come_from_and_go_to_whom_they_say() -> None:
    addresses = {row["username"]: row["email"] for row in START["account"]}
    for row in START["email"]:
        assert addresses[row["username"]] in row["receivers"]
        assert is_email(row["sender"])
        assert row["sender"] in addresses.values() or "harrowfinch" not in row["sender"]
    for row in START["message"]:
        assert row["sender"] in addresses
        assert row["sender"] != row["username"]


def test_a_mail_to_several_is_in_the_inbox_of_each() -> None:
    users = {row["email"]: row["username"] for row in START["account"]}
    for row in START["email"]:
        for receiver in row["receivers"]:
            copies = START["email"].where(username=users[receiver], subject=row["subject"])
            assert [copy["body"] for copy in copies] == [row["body"]]


def test_events_make_sense() -> None:
    for row in START["event"]:
        assert row["start_time"] < row["end_time"]
        attendees = row["attendees"]
        assert (row["event_type"] == "meeting") == (attendees is not None)
        assert attendees is None or row["username"] in attendees
        assert attendees is None or len(attendees) > 1


def test_all_times_are_written_in_full() -> None:
    moment = re.compile(r"2025-\d\d-\d\d \d\d:\d\d:00")
    columns = {
        "event": ("start_time", "end_time"),
        "email": ("date",),
        "message": ("timestamp",),
        "reminder": ("due_date",),
    }
    for table, names in columns.items():
        for row in START[table]:
            assert all(row[name] is None or moment.fullmatch(row[name]) for name in names)
    assert all(re.fullmatch(r"\d\d:\d\d:00", row["time"]) for row in START["alarm"])


def test_the_weather_of_ten_places_is_known_for_two_weeks() -> None:
    days = Counter(row["location"] for row in START["weather"])
    assert set(days.values()) == {1, 14}
    assert list(days.values()).count(14) == 10
    assert {row["date"] for row in START["weather"]} == {f"2025-09-{day}" for day in range(12, 26)}
    assert all(row["low"] < row["high"] for row in START["weather"])
    for row in START["historic_weather"]:
        assert row["record_min_temp"] < row["min_temp"] < row["max_temp"] < row["record_max_temp"]


# a conversation in all plugins, on any machine

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("SearchInbox", {"query": "dentist appointment"}),
    ("QueryCalendar", {"start_time": "2025-09-16 00:00:00", "end_time": "2025-09-17 23:59:59"}),
    ("ForecastWeather", {"location": "Duluth"}),
    (
        "CreateEvent",
        {
            "name": "Dentist",
            "event_type": "event",
            "start_time": "2025-09-17 15:30:00",
            "end_time": "2025-09-17 16:15:00",
        },
    ),
    ("SendEmail", {"to": ["frontdesk@quaystreetdental.example"], "subject": "s", "body": "b"}),
    ("SendMessage", {"receiver": "rkeane", "message": "I am away on Wednesday afternoon."}),
    ("AddReminder", {"task": "Leave at three", "due_date": "2025-09-17 15:00:00"}),
    ("AddAlarm", {"time": "15:00:00"}),
    ("LogoutUser", {}),
]


def conversation() -> str:
    office = ExecutionEnvironment(world, world.now, world.shown())
    state: State = logged_in(world.start(world.now), "mbell")
    contents = []
    for tool, arguments in CALLS:
        response = office.run(ToolCall("", tool, json.dumps(arguments)), state, "")
        assert response.error is None
        contents.append(response.content)
        state = response.state
    return "\n".join(contents)


@pytest.mark.parametrize(("seed", "zone"), [("1", "Asia/Kathmandu"), ("2", "America/New_York")])
def test_the_same_calls_give_the_same_anywhere(seed: str, zone: str) -> None:
    environment = {**os.environ, "PYTHONHASHSEED": seed, "TZ": zone}
    folders = [ROOT, *Path(__file__).parents[:2]]
    environment["PYTHONPATH"] = os.pathsep.join(map(str, folders))
    script = "import test_office_world; print(test_office_world.conversation())"
    output = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    ).stdout
    assert output == conversation() + "\n"
