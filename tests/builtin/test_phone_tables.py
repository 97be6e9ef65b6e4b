"""Contacts, messages and reminders of the phone, beyond the calls in ``world_calls``."""

from __future__ import annotations

import math
from datetime import datetime
from typing import Any

from phone import PHONE, call, error, switched
from rows import every

from pytest_toolsandbox.builtin.phone import world
from pytest_toolsandbox.builtin.phone.initial import person_id
from pytest_toolsandbox.worlds.state import Table, plain

NEW: dict[str, Any] = {"name": "Ada Okafor", "phone_number": "+14155550123"}
REYES: dict[str, Any] = {
    "person_id": person_id("Daniel Reyes"),
    "name": "Daniel Reyes",
    "phone_number": "+15105550120",
    "relationship": "friend",
    "is_self": False,
}
OWNER = person_id("Robin Vance")


def row_about(word: str) -> dict[str, Any]:
    (row,) = (row for row in PHONE["reminder"] if word in row["content"])
    return dict(row)


PASSPORT = row_about("passport")
TWINS = PHONE.with_table("contact", PHONE["contact"].with_row(REYES | {"name": "Daniel R."}))
TWIN_REMINDERS = PHONE.with_table("reminder", PHONE["reminder"].with_row(PASSPORT))


def test_identifiers_belong_to_the_place_of_the_call() -> None:
    first, again, later = (call("add_contact", **NEW, place=f"0/{n}")[0] for n in (1, 1, 2))
    assert first == again
    assert first != later


def test_the_owner() -> None:
    """It may stay the owner, and is added when there is none."""
    assert call("modify_contact", person_id=OWNER, is_self=True)[1] == PHONE
    _, alone = call("remove_contact", person_id=OWNER)
    identifier, after = call("add_contact", **NEW, is_self=True, state=alone)
    (owner,) = after["contact"].where(is_self=True)
    assert owner["person_id"] == identifier


def test_an_identifier_that_two_rows_have() -> None:
    identifier = REYES["person_id"]
    assert error("modify_contact", person_id=identifier, name="x", state=TWINS) == (
        f"DuplicateError: 2 contacts have the person_id '{identifier}'"
    )
    _, after = call("remove_contact", person_id=identifier, state=TWINS)
    assert after["contact"].where(person_id=identifier) == ()
    identifier = PASSPORT["reminder_id"]
    assert error("modify_reminder", reminder_id=identifier, content="x", state=TWIN_REMINDERS) == (
        f"DuplicateError: 2 reminders have the reminder_id '{identifier}'"
    )
    _, after = call("remove_reminder", reminder_id=identifier, state=TWIN_REMINDERS)
    assert len(after["reminder"]) == len(PHONE["reminder"]) - 1


@every(
    ("table", "key", "row"),
    [("contact", "person_id", REYES), ("reminder", "reminder_id", PASSPORT)],
)
def test_a_row_is_removed(table: str, key: str, row: dict[str, Any]) -> None:
    result, after = call(f"remove_{table}", **{key: row[key]})
    assert result is None
    assert after.changes_since(PHONE) == {table: {"added": [], "removed": [row]}}
    assert error(f"remove_{table}", **{key: "p\n1"}) == (
        f"NoDataError: No {table} has the {key} 'p\\n1'"
    )


def test_contacts_that_are_found_are_whole_and_plain() -> None:
    rows, _ = call("search_contacts", phone_number="+15105550120")
    assert rows == [REYES]
    assert type(rows[0]) is dict
    assert call("search_contacts", relationship="None")[0] == []  # not the one without any


TEXT: dict[str, Any] = {"phone_number": "+14155550111", "content": "See you at eight"}


def test_a_message_is_sent_now() -> None:
    now = datetime(2025, 5, 20, 12, 0, 30, tzinfo=world.now.tzinfo)
    _, after = call("send_message_with_phone_number", **TEXT, now=now)
    assert after["messaging"].rows[-1]["creation_timestamp"] == now.timestamp()


def test_a_message_needs_one_sender() -> None:
    tool = "send_message_with_phone_number"
    problem = (
        "DuplicateError: The sender is unclear: the owner of the phone should have 1 contact "
        "(is_self), but has "
    )
    (owner,) = PHONE["contact"].where(is_self=True)
    two = PHONE.with_table("contact", PHONE["contact"].with_row(owner.changed(name="Robin")))
    _, none = call("remove_contact", person_id=OWNER)
    assert error(tool, **TEXT, state=two) == problem + "2"
    assert error(tool, **TEXT, state=none) == problem + "0"
    # The service is looked at before the sender.
    off = switched(cellular=False).with_table("contact", none["contact"])
    assert error(tool, **TEXT, state=off) == "ConnectionError: Cellular service is not enabled"


@every(
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
def test_contents_have_a_word_like_one_that_is_asked_for(content: str, *, is_found: bool) -> None:
    message = plain(PHONE["messaging"].rows[0].changed(content="Renew the passport"))
    for table, tool, row in (
        ("messaging", "search_messages", message),
        ("reminder", "search_reminder", PASSPORT),
    ):
        rows, _ = call(tool, content=content, state=PHONE.with_table(table, Table([row])))
        assert rows == ([row] if is_found else [])


SMALLER, LARGER = (
    "is smaller than its valid range minimum",
    "is larger than its valid range maximum",
)


@every(
    ("arguments", "problem"),
    [
        ({"reminder_timestamp": 315529199}, f"reminder_timestamp 315529199 {SMALLER} 315529200"),
        (
            {"reminder_timestamp": 2524604400.5},
            f"reminder_timestamp 2524604400.5 {LARGER} 2524604400",
        ),
        ({"reminder_timestamp": math.nan}, "reminder_timestamp is not a number"),
        ({"latitude": 90.1}, f"latitude 90.1 {LARGER} 90"),
        ({"latitude": -91}, f"latitude -91 {SMALLER} -90"),
        ({"longitude": 181}, f"longitude 181 {LARGER} 180"),
        ({"longitude": -math.inf}, f"longitude -inf {SMALLER} -180"),
        # The time is looked at first, then the latitude.
        (
            {"reminder_timestamp": 0, "latitude": 100, "longitude": 200},
            f"reminder_timestamp 0 {SMALLER} 315529200",
        ),
        ({"latitude": 100, "longitude": 200}, f"latitude 100 {LARGER} 90"),
    ],
)
def test_reminders_out_of_range(arguments: dict[str, Any], problem: str) -> None:
    """A reminder is modified after its arguments are checked, so this one need not exist."""
    new: dict[str, Any] = {"content": "Water the plants", "reminder_timestamp": 1747300000}
    assert error("add_reminder", **new | arguments) == f"ValueError: {problem}"
    assert error("modify_reminder", reminder_id="r1", **arguments) == f"ValueError: {problem}"


@every(
    ("fields", "changed"),
    [
        ({"content": "Pick up the car"}, {"content": "Pick up the car"}),
        ({"reminder_timestamp": 1747300000}, {"reminder_timestamp": 1747300000.0}),
        ({"latitude": 1}, {"latitude": 1.0}),
        ({"latitude": None}, {"latitude": None}),
        ({"latitude": None, "longitude": None}, {"latitude": None, "longitude": None}),
        ({"longitude": 7.5, "content": "x"}, {"longitude": 7.5, "content": "x"}),
    ],
)
def test_modify_reminder(fields: dict[str, Any], changed: dict[str, Any]) -> None:
    now = datetime(2025, 5, 14, 11, 45, tzinfo=world.now.tzinfo)
    before = row_about("Vinnie")
    result, after = call("modify_reminder", reminder_id=before["reminder_id"], now=now, **fields)
    assert result is None
    expected = before | changed | {"creation_timestamp": now.timestamp()}
    assert plain(after["reminder"].rows[-1]) == expected
    assert len(after["reminder"]) == len(PHONE["reminder"])
    assert set(after.changes_since(PHONE)) == {"reminder"}
