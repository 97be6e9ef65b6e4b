from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any

import phonenumbers
import pytest
from phone import PHONE, call
from rows import every

from pytest_toolsandbox.builtin.phone import world
from pytest_toolsandbox.builtin.phone.initial import MESSAGES, PEOPLE, REMINDERS, person_id

ROOT = Path(__file__).parents[2]

NAMES = list(world.tools)


@every("name", NAMES)
def test_the_documentation_lists_the_tool_and_its_arguments(name: str) -> None:
    text = (ROOT / "docs" / "phone.md").read_text(encoding="utf-8")
    page = text.partition("## The initial data")[0]
    (row,) = re.findall(rf"^\| `{name}` \|([^|]*)\|", page, re.MULTILINE)
    assert re.findall(r"(\[?)`(\w+)`", row) == [
        ("" if parameter.required else "[", argument)
        for argument, parameter in world.tools[name].parameters.items()
    ]


def test_the_user_ends_the_conversation() -> None:
    assert call("end_conversation") == (None, PHONE)


def test_a_scenario_author_may_leave_columns_out() -> None:
    contact = world.complete("contact", {"name": "Ada", "phone_number": "+14155550123"}, "0")
    assert contact | {"person_id": ""} == {
        "person_id": "",
        "name": "Ada",
        "phone_number": "+14155550123",
        "relationship": None,
        "is_self": False,
    }
    message = world.complete(
        "messaging",
        {
            "sender_phone_number": "+14155550123",
            "recipient_phone_number": "+14155550100",
            "content": "Hello",
            "creation_timestamp": 1747243800,
        },
        "0",
    )
    assert (message["sender_person_id"], message["recipient_person_id"]) == (None, None)
    assert isinstance(message["creation_timestamp"], float)
    reminder = world.complete(
        "reminder", {"content": "x", "creation_timestamp": 1.0, "reminder_timestamp": 2.0}, "0"
    )
    assert (reminder["latitude"], reminder["longitude"]) == (None, None)
    ids = {contact["person_id"], message["message_id"], reminder["reminder_id"]}
    assert len(ids) == 3


@pytest.mark.parametrize(
    ("table", "row", "message"),
    [
        ("contact", {"name": "Ada"}, "a row of table 'contact' needs a value for 'phone_number'"),
        (
            "contact",
            {"nickname": "Ada"},
            (
                "table 'contact' has no column 'nickname'; it has person_id, name, phone_number, "
                "relationship, is_self"
            ),
        ),
        (
            "reminder",
            {"content": "x", "reminder_timestamp": 2.0},
            "a row of table 'reminder' needs a value for 'creation_timestamp'",
        ),
        (
            "contact",
            {"name": None, "phone_number": "+14155550123"},
            "column 'name' of table 'contact' takes str, not None",
        ),
        (
            "contact",
            {"name": "Ada", "phone_number": "+14155550123", "is_self": 1},
            "column 'is_self' of table 'contact' takes bool, not 1",
        ),
    ],
)
def test_a_row_that_does_not_fit_is_refused(table: str, row: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=r"column|needs") as caught:
        world.complete(table, row, "0")
    assert str(caught.value) == message


def test_one_contact_is_the_owner() -> None:
    (owner,) = PHONE["contact"].where(is_self=True)
    assert owner["name"] == "Robin Vance"
    assert owner["person_id"] == person_id("Robin Vance")


def test_people_are_easily_taken_for_one_another() -> None:
    first_names = Counter(row["name"].split()[0] for row in PHONE["contact"])
    assert len(PHONE["contact"]) >= 18
    assert first_names["Daniel"] == first_names["Priya"] == 2
    relationships = {row["relationship"] for row in PHONE["contact"]}
    assert {"friend", "sister", "boss", "dentist", None} <= relationships


def test_phone_numbers_are_fictional_and_in_e164() -> None:
    numbers = [row["phone_number"] for row in PHONE["contact"]]
    assert len(set(numbers)) == len(numbers)
    for number in numbers:
        parsed = phonenumbers.parse(number)
        e164 = phonenumbers.format_number(parsed, phonenumbers.PhoneNumberFormat.E164)
        assert e164 == number
        assert re.fullmatch(r"\+1\d{3}55501\d\d|\+44207946\d{4}", number)
    assert sum(not number.startswith("+1") for number in numbers) == 1


def test_messages_join_the_owner_and_people_in_the_contacts() -> None:
    numbers = {row["person_id"]: row["phone_number"] for row in PHONE["contact"]}
    owner = person_id("Robin Vance")
    strangers = 0
    for row in PHONE["messaging"]:
        ends = {row["sender_person_id"], row["recipient_person_id"]}
        assert owner in ends
        assert len(ends) == 2
        strangers += None in ends
        for side in ("sender", "recipient"):
            if row[f"{side}_person_id"] is not None:
                assert numbers[row[f"{side}_person_id"]] == row[f"{side}_phone_number"]
    assert strangers == 1
    assert len(PHONE["messaging"]) >= 14
    assert len({row["content"] for row in PHONE["messaging"]}) == len(PHONE["messaging"])
    assert 8 <= len(PHONE["messaging"].where(sender_person_id=owner)) <= len(PHONE["messaging"]) - 8


@pytest.mark.parametrize(
    "now",
    [
        world.now,
        datetime(2025, 3, 9, 0, 0, tzinfo=world.now.tzinfo),
        datetime(2025, 11, 2, 23, 59, 59, tzinfo=world.now.tzinfo),
        datetime(2024, 2, 29, 6, 1, tzinfo=world.now.tzinfo),
    ],
)
def test_what_happened_happened_at_a_sensible_time(now: datetime) -> None:
    state = world.start(now)
    present = now.timestamp()
    created = [row["creation_timestamp"] for row in state["messaging"]]
    assert created == sorted(created)
    created += [row["creation_timestamp"] for row in state["reminder"]]
    due = [row["reminder_timestamp"] for row in state["reminder"]]
    for timestamp in (*created, *due):
        wall = datetime.fromtimestamp(timestamp, now.tzinfo)
        assert wall.second == wall.microsecond == 0
        assert 6 <= wall.hour < 22
    assert all(present - 15 * 86400 < timestamp < present for timestamp in created)
    assert sum(timestamp < present for timestamp in due) >= 3
    assert sum(timestamp > present for timestamp in due) >= 5
    assert len(due) >= 8


def test_some_reminders_have_a_place() -> None:
    with_place = [row for row in PHONE["reminder"] if row["latitude"] is not None]
    assert 3 <= len(with_place) <= len(PHONE["reminder"]) - 3
    for row in PHONE["reminder"]:
        assert (row["latitude"] is None) == (row["longitude"] is None)


def test_everything_is_on_but_low_battery_mode() -> None:
    (setting,) = PHONE["setting"].rows
    assert dict(setting) == {
        "device_id": "158e2bdf-e3c3-59c1-829f-e5717c9e4863",
        "cellular": True,
        "wifi": True,
        "location_service": True,
        "low_battery_mode": False,
        "latitude": 37.7955,
        "longitude": -122.3937,
    }


def test_another_time_moves_the_messages_and_nothing_else() -> None:
    later = world.start(datetime(2025, 6, 11, 8, 0, tzinfo=world.now.tzinfo))
    assert later["contact"] == PHONE["contact"]
    assert later["setting"] == PHONE["setting"]
    shifts = {
        new["creation_timestamp"] - old["creation_timestamp"]
        for new, old in zip(later["messaging"], PHONE["messaging"], strict=True)
    }
    assert shifts == {28 * 86400.0}


def test_importing_the_world_imports_nothing_heavy() -> None:
    names = "pint numpy holidays geographiclib phonenumbers rapidfuzz pydantic yaml"
    heavy = set(names.split())
    program = (
        "import sys; from pytest_toolsandbox.builtin.phone import world; world.start(world.now); "
        f"sys.exit(repr({heavy} & set(sys.modules)) if {heavy} & set(sys.modules) else 0)"
    )
    subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True
    )


def test_the_page_has_the_initial_rows() -> None:
    rows = [
        [cell.strip().strip("`") for cell in line.strip("|").split("|")]
        for line in (ROOT / "docs" / "phone.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("|")
    ]
    for name, number, relationship in PEOPLE:
        assert [name, number, relationship or ""] in rows
    for direction, other, when, content in MESSAGES:
        assert [direction, other, when, content] in rows
    for created, due, content, place in REMINDERS:
        where = "{}, {}".format(*place) if place else ""
        assert [due, content, created, where] in rows
