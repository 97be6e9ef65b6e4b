from __future__ import annotations

import re
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from rows import every

from pytest_toolsandbox.builtin.office import world
from pytest_toolsandbox.builtin.office.formats import is_email, is_phone_number
from pytest_toolsandbox.builtin.office.identifiers import identifier

ROOT = Path(__file__).parents[2]
PAGE = "".join(
    ROOT.joinpath("docs", page).read_text(encoding="utf-8")
    for page in ("office.md", "office-data.md")
)
START = world.start(world.now)

NAMES = list(world.tools)


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


def test_a_company_is_an_argument_of_the_world() -> None:
    larkspur = world.with_arguments({"company": "larkspur"}).start(world.now)
    section = PAGE.partition("## A larger company")[2].partition("## Your own")[0]
    for table, count in re.findall(r"^\| (\w+)s \| (\d+)", section, re.MULTILINE):
        name = {"mail": "email"}.get(table, table)
        assert len(larkspur[name]) == int(count), table
    with pytest.raises(ValueError, match="did you mean 'larkspur'"):
        world.with_arguments({"company": "larkspurr"}).start(world.now)
