from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pytest_toolsandbox.builtin.phone.initial import person_id
from pytest_toolsandbox.worlds.state import State, plain

NEW = {"name": "Ada Okafor", "phone_number": "+14155550123"}
REYES = {
    "person_id": person_id("Daniel Reyes"),
    "name": "Daniel Reyes",
    "phone_number": "+15105550120",
    "relationship": "friend",
    "is_self": False,
}


def names(rows: list[dict[str, Any]]) -> list[str]:
    return [row["name"] for row in rows]


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ({}, {"relationship": None, "is_self": False}),
        ({"relationship": "neighbor"}, {"relationship": "neighbor", "is_self": False}),
        ({"relationship": None, "is_self": False}, {"relationship": None, "is_self": False}),
        # A number is kept as it is written.
        ({"phone_number": "+1 (415) 555-0123"}, {"relationship": None, "is_self": False}),
        ({"phone_number": "+447700900142"}, {"relationship": None, "is_self": False}),
        # Nothing keeps two contacts from having the same name and number.
        ({"name": "Daniel Reyes", "phone_number": "+15105550120"}, {}),
    ],
)
def test_add_contact(
    given: dict[str, Any], stored: dict[str, Any], call: Callable[..., Any], phone: State
) -> None:
    identifier, after = call("add_contact", **NEW | given)
    added = NEW | {"relationship": None, "is_self": False} | given | stored
    assert after.changes_since(phone) == {
        "contact": {"added": [{"person_id": identifier, **added}], "removed": []}
    }
    assert plain(after["contact"].rows[-1])["person_id"] == identifier


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


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            {"phone_number": "4155550123"},
            (
                "NumberParseException: '4155550123' has no country code: "
                "write + and the country code first, such as '+14155550123'"
            ),
        ),
        (
            {"phone_number": "+999123456"},
            (
                "NumberParseException: '+999123456' has an unknown country code: "
                "write one that exists, such as '+14155550123'"
            ),
        ),
        (
            {"phone_number": "Ada's number"},
            (
                'NumberParseException: "Ada\'s number" is not a phone number: '
                "write one with its country code, such as '+14155550123'"
            ),
        ),
        (
            {"phone_number": ""},
            (
                "NumberParseException: '' is not a phone number: "
                "write one with its country code, such as '+14155550123'"
            ),
        ),
        (
            {"phone_number": "+1\n"},
            (
                "NumberParseException: '+1\\n' is not a phone number: "
                "write one with its country code, such as '+14155550123'"
            ),
        ),
        (
            {"phone_number": "+1" + "4" * 20},
            (
                "NumberParseException: '+144444444444444444444' is not a phone number: "
                "write one with its country code, such as '+14155550123'"
            ),
        ),
        # The number is looked at before the owner.
        (
            {"phone_number": "911", "is_self": True},
            (
                "NumberParseException: '911' has no country code: "
                "write + and the country code first, such as '+14155550123'"
            ),
        ),
        (
            {"is_self": True},
            "DuplicateError: The contact 'Robin Vance' is the owner of the phone already",
        ),
        (
            {"relationship": 5},
            (
                "TypeError: Parameter 'relationship' is of type 'integer', "
                "but expected 'string or null'."
            ),
        ),
    ],
)
def test_add_contact_refuses(
    arguments: dict[str, Any], text: str, error: Callable[..., str]
) -> None:
    assert error("add_contact", **NEW | arguments) == text


@pytest.mark.parametrize(
    "fields",
    [
        {"name": "Dan Reyes"},
        {"phone_number": "+15105550199"},
        {"relationship": "best friend"},
        {"is_self": False},
        {"name": "Dan", "phone_number": "+15105550199", "relationship": "", "is_self": False},
    ],
)
def test_modify_contact(fields: dict[str, Any], call: Callable[..., Any], phone: State) -> None:
    result, after = call("modify_contact", person_id=REYES["person_id"], **fields)
    assert result is None
    assert plain(after["contact"].rows[-1]) == REYES | fields
    others = [row for row in phone["contact"] if row["person_id"] != REYES["person_id"]]
    assert list(after["contact"].rows[:-1]) == others
    assert after["messaging"] is phone["messaging"]


def test_the_owner_may_stay_the_owner(call: Callable[..., Any], phone: State) -> None:
    _, after = call("modify_contact", person_id=person_id("Robin Vance"), is_self=True)
    assert after == phone


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            {"person_id": "p1"},
            (
                "ValueError: No fields to change are given. At least one of these must be given: "
                "'name', 'phone_number', 'relationship', 'is_self'"
            ),
        ),
        (
            {"person_id": "p1", "phone_number": "x", "is_self": True},
            (
                "NumberParseException: 'x' is not a phone number: "
                "write one with its country code, such as '+14155550123'"
            ),
        ),
        (
            {"person_id": "p1", "is_self": True},
            "DuplicateError: The contact 'Robin Vance' is the owner of the phone already",
        ),
        ({"person_id": "p1", "name": "Ada"}, "NoDataError: No contact has the person_id 'p1'"),
        (
            {"person_id": "p1", "relationship": None},
            "TypeError: Parameter 'relationship' is of type 'null', but expected 'string'.",
        ),
    ],
)
def test_modify_contact_refuses(
    arguments: dict[str, Any], text: str, error: Callable[..., str]
) -> None:
    assert error("modify_contact", **arguments) == text


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


@pytest.mark.parametrize(
    ("criteria", "found"),
    [
        ({"person_id": REYES["person_id"]}, ["Daniel Reyes"]),
        ({"person_id": "p1"}, []),
        ({"name": "Daniel Reyes"}, ["Daniel Reyes"]),
        ({"name": "DANIEL, reyes!"}, ["Daniel Reyes"]),
        ({"name": "Daniel"}, ["Daniel Reyes", "Daniel Reyna"]),
        ({"name": "Priya Raman"}, ["Priya Raman"]),
        ({"name": "Priya Ramanathan"}, ["Priya Ramanathan"]),
        ({"name": "helen marsh"}, ["Dr. Helen Marsh"]),
        ({"name": "Kat"}, ["Katherine Lindqvist", "Kat Lindholm"]),
        # The more similar one first, whichever is the older one.
        ({"name": "Kat Lindholm"}, ["Kat Lindholm"]),
        ({"name": "Samir Haddad"}, ["Samir Haddad", "Samira Haddad"]),
        ({"name": "Zoe"}, []),
        ({"name": ""}, []),
        ({"name": "?!"}, []),
        ({"phone_number": "+442079460018"}, ["Imogen Ashworth"]),
        # Numbers are compared as they are written.
        ({"phone_number": "+44 20 7946 0018"}, []),
        ({"relationship": "Friend"}, ["Daniel Reyes", "Danny Okonkwo", "Imogen Ashworth"]),
        ({"relationship": "nobody"}, []),
        ({"is_self": True}, ["Robin Vance"]),
        ({"name": "Vance", "is_self": False}, ["Ingrid Vance"]),
        ({"name": "Daniel", "relationship": "plumber"}, ["Daniel Reyna"]),
        ({"name": "Daniel", "phone_number": "+14155550100"}, []),
    ],
)
def test_search_contacts(
    criteria: dict[str, Any], found: list[str], call: Callable[..., Any], phone: State
) -> None:
    rows, after = call("search_contacts", **criteria)
    assert names(rows) == found
    assert after is phone


def test_found_contacts_are_whole_and_plain(call: Callable[..., Any]) -> None:
    rows, _ = call("search_contacts", phone_number="+15105550120")
    assert rows == [REYES]
    assert type(rows[0]) is dict


def test_at_most_five_similar_ones_are_found(call: Callable[..., Any], phone: State) -> None:
    state = phone
    for number in range(7):
        _, state = call("add_contact", name="Ada", phone_number=f"+1415555019{number}", state=state)
    rows, _ = call("search_contacts", name="Ada", state=state)
    assert [row["phone_number"][-1] for row in rows] == ["0", "1", "2", "3", "4"]
    # Criteria apply one after the other: the sixth does not count as similar any more.
    rows, _ = call("search_contacts", name="Ada", phone_number="+14155550195", state=state)
    assert rows == []


def test_a_contact_without_a_relationship_is_similar_to_none(call: Callable[..., Any]) -> None:
    rows, _ = call("search_contacts", relationship="None")
    assert rows == []


@pytest.mark.parametrize(
    ("criteria", "text"),
    [
        (
            {},
            (
                "ValueError: No search criteria are given. At least one of these must be given: "
                "'person_id', 'name', 'phone_number', 'relationship', 'is_self'"
            ),
        ),
        (
            {"phone_number": "4155550100"},
            (
                "NumberParseException: '4155550100' has no country code: "
                "write + and the country code first, such as '+14155550123'"
            ),
        ),
        ({"name": None}, "TypeError: Parameter 'name' is of type 'null', but expected 'string'."),
        (
            {"phone_number": 4155550100},
            "TypeError: Parameter 'phone_number' is of type 'integer', but expected 'string'.",
        ),
    ],
)
def test_search_contacts_refuses(
    criteria: dict[str, Any], text: str, error: Callable[..., str]
) -> None:
    assert error("search_contacts", **criteria) == text
