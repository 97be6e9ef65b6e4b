from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytest_toolsandbox.builtin.phone.initial import person_id
from pytest_toolsandbox.worlds.state import State

NEW = {"name": "Ada Okafor", "phone_number": "+14155550123"}
REYES = {
    "person_id": person_id("Daniel Reyes"),
    "name": "Daniel Reyes",
    "phone_number": "+15105550120",
    "relationship": "friend",
    "is_self": False,
}


def test_identifiers_belong_to_the_place_of_the_call(call: Callable[..., Any]) -> None:
    first, _ = call("add_contact", **NEW, place="0/1")
    again, _ = call("add_contact", **NEW, place="0/1")
    later, _ = call("add_contact", **NEW, place="0/2")
    assert first == again
    assert first != later


def test_the_owner_is_added_when_there_is_none(call: Callable[..., Any]) -> None:
    _, alone = call("remove_contact", person_id=person_id("Robin Vance"))
    identifier, after = call("add_contact", **NEW, is_self=True, state=alone)
    (owner,) = after["contact"].where(is_self=True)
    assert owner["person_id"] == identifier


def test_the_owner_may_stay_the_owner(call: Callable[..., Any], phone: State) -> None:
    _, after = call("modify_contact", person_id=person_id("Robin Vance"), is_self=True)
    assert after == phone


def test_a_person_id_that_two_contacts_have(
    call: Callable[..., Any], error: Callable[..., str], phone: State
) -> None:
    twin = REYES | {"name": "Daniel R."}
    twins = phone.with_table("contact", phone["contact"].with_row(twin))
    assert error("modify_contact", person_id=REYES["person_id"], name="x", state=twins) == (
        f"DuplicateError: 2 contacts have the person_id '{REYES['person_id']}'"
    )
    _, after = call("remove_contact", person_id=REYES["person_id"], state=twins)
    assert after["contact"].where(person_id=REYES["person_id"]) == ()


def test_remove_contact(call: Callable[..., Any], phone: State) -> None:
    result, after = call("remove_contact", person_id=REYES["person_id"])
    assert result is None
    assert after.changes_since(phone) == {"contact": {"added": [], "removed": [REYES]}}


def test_remove_contact_refuses(error: Callable[..., str]) -> None:
    assert error("remove_contact", person_id="p\n1") == (
        "NoDataError: No contact has the person_id 'p\\n1'"
    )


def test_found_contacts_are_whole_and_plain(call: Callable[..., Any]) -> None:
    rows, _ = call("search_contacts", phone_number="+15105550120")
    assert rows == [REYES]
    assert type(rows[0]) is dict


def test_a_contact_without_a_relationship_is_similar_to_none(call: Callable[..., Any]) -> None:
    rows, _ = call("search_contacts", relationship="None")
    assert rows == []
