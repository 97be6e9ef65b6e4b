from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from pytest_toolsandbox.builtin.phone import world
from pytest_toolsandbox.builtin.phone.initial import person_id
from pytest_toolsandbox.worlds.state import State, Table, plain

OWNER = person_id("Robin Vance")
SISTER = person_id("Katherine Lindqvist")
LEAKS = ["The kitchen tap has started leaking", "Could you look at a leaking kitchen tap"]
TEXT = {"phone_number": "+14155550111", "content": "See you at eight"}


def at(day: int, hour: int, minute: int) -> float:
    return datetime(2025, 5, day, hour, minute, tzinfo=world.now.tzinfo).timestamp()


@pytest.mark.parametrize(
    ("number", "recipient"),
    [
        ("+14155550111", SISTER),
        ("+442079460018", person_id("Imogen Ashworth")),
        ("+14155550199", None),
        # A number is compared as it is written.
        ("+1 415 555 0111", None),
        ("+14155550100", OWNER),
    ],
)
def test_send_message(
    number: str, recipient: str | None, call: Callable[..., Any], phone: State
) -> None:
    identifier, after = call(
        "send_message_with_phone_number", phone_number=number, content="See you"
    )
    row = {
        "message_id": identifier,
        "sender_person_id": OWNER,
        "sender_phone_number": "+14155550100",
        "recipient_person_id": recipient,
        "recipient_phone_number": number,
        "content": "See you",
        "creation_timestamp": 1747243800.0,
    }
    assert after.changes_since(phone) == {"messaging": {"added": [row], "removed": []}}


def test_a_message_is_sent_now(call: Callable[..., Any]) -> None:
    now = datetime(2025, 5, 20, 12, 0, 30, tzinfo=world.now.tzinfo)
    _, after = call("send_message_with_phone_number", **TEXT, now=now)
    assert after["messaging"].rows[-1]["creation_timestamp"] == now.timestamp()


def test_of_several_contacts_with_a_number_the_first_is_the_recipient(
    call: Callable[..., Any],
) -> None:
    _, state = call("add_contact", name="Katherine at work", phone_number="+14155550111")
    _, after = call("send_message_with_phone_number", **TEXT, state=state)
    assert after["messaging"].rows[-1]["recipient_person_id"] == SISTER


@pytest.mark.parametrize(
    ("settings", "arguments", "text"),
    [
        ({"cellular": False}, {}, "ConnectionError: Cellular service is not enabled"),
        # The number is looked at before the service.
        (
            {"cellular": False},
            {"phone_number": "5550111"},
            (
                "NumberParseException: '5550111' has no country code: "
                "write + and the country code first, such as '+14155550123'"
            ),
        ),
        (
            {},
            {"phone_number": "my sister"},
            (
                "NumberParseException: 'my sister' is not a phone number: "
                "write one with its country code, such as '+14155550123'"
            ),
        ),
        (
            {},
            {"content": None},
            "TypeError: Parameter 'content' is of type 'null', but expected 'string'.",
        ),
    ],
)
def test_send_message_refuses(
    settings: dict[str, Any],
    arguments: dict[str, Any],
    text: str,
    error: Callable[..., str],
    switched: Callable[..., State],
) -> None:
    state = switched(**settings)
    assert error("send_message_with_phone_number", **TEXT | arguments, state=state) == text


def test_a_message_needs_cellular_service_alone(
    call: Callable[..., Any], switched: Callable[..., State]
) -> None:
    state = switched(wifi=False, location_service=False, low_battery_mode=True)
    _, after = call("send_message_with_phone_number", **TEXT, state=state)
    assert len(after["messaging"]) == len(state["messaging"]) + 1


def test_a_message_needs_one_sender(
    call: Callable[..., Any],
    error: Callable[..., str],
    phone: State,
    switched: Callable[..., State],
) -> None:
    tool = "send_message_with_phone_number"
    problem = (
        "DuplicateError: The sender is unclear: the owner of the phone should have 1 contact "
        "(is_self), but has "
    )
    (owner,) = phone["contact"].where(is_self=True)
    two = phone.with_table("contact", phone["contact"].with_row(owner.changed(name="Robin")))
    _, none = call("remove_contact", person_id=OWNER)
    assert error(tool, **TEXT, state=two) == problem + "2"
    assert error(tool, **TEXT, state=none) == problem + "0"
    # The service is looked at before the sender.
    off = switched(cellular=False).with_table("contact", none["contact"])
    assert error(tool, **TEXT, state=off) == "ConnectionError: Cellular service is not enabled"


@pytest.mark.parametrize(
    ("criteria", "found"),
    [
        ({"sender_person_id": SISTER}, ["What should we get Mom", "Perfect, let us split"]),
        ({"recipient_person_id": SISTER}, ["She keeps talking"]),
        ({"sender_phone_number": "+14155550199"}, ["Your parcel is waiting"]),
        ({"recipient_phone_number": "+12065550141"}, ["Good night, I will phone"]),
        ({"sender_phone_number": "+14155550198"}, []),
        ({"content": "xyzzy"}, []),
        ({"message_id": "m1"}, []),
        # Both bounds belong to the range.
        (
            {
                "creation_timestamp_lowerbound": at(12, 6, 50),
                "creation_timestamp_upperbound": at(12, 17, 33),
            },
            ["Running late", "We are out of oat milk"],
        ),
        (
            {"creation_timestamp_lowerbound": at(13, 11, 20)},
            ["Brakes are done", "Good night, I will phone"],
        ),
        ({"creation_timestamp_upperbound": at(1, 9, 12)}, ["Rent receipt"]),
        ({"creation_timestamp_lowerbound": at(13, 21, 6)}, []),
        (
            {"sender_person_id": SISTER, "creation_timestamp_lowerbound": at(10, 20, 6)},
            ["Perfect, let us split"],
        ),
        ({"sender_person_id": SISTER, "recipient_person_id": SISTER}, []),
    ],
)
def test_search_messages(
    criteria: dict[str, Any], found: list[str], call: Callable[..., Any], phone: State
) -> None:
    rows, after = call("search_messages", **criteria)
    assert len(rows) == len(found)
    for row, start in zip(rows, found, strict=True):
        assert row["content"].startswith(start)
    assert after is phone


def test_found_messages_are_whole(call: Callable[..., Any]) -> None:
    rows, _ = call("search_messages", content="Running late, start the warm-up without me.")
    assert rows[0] == {
        "message_id": rows[0]["message_id"],
        "sender_person_id": person_id("Samira Haddad"),
        "sender_phone_number": "+14155550160",
        "recipient_person_id": OWNER,
        "recipient_phone_number": "+14155550100",
        "content": "Running late, start the warm-up without me.",
        "creation_timestamp": at(12, 6, 50),
    }
    again, _ = call("search_messages", message_id=rows[0]["message_id"])
    assert again == rows[:1]


@pytest.mark.parametrize(
    ("criteria", "first"),
    [
        ({"content": "parcel"}, ["Your parcel is waiting"]),
        ({"content": "BRAKES ARE DONE"}, ["Brakes are done"]),
        ({"content": "leaking tap"}, LEAKS),
        ({"content": "leaking tap", "recipient_phone_number": "+15105550121"}, LEAKS[1:]),
        ({"content": "watercolor", "sender_person_id": OWNER}, ["She keeps talking"]),
    ],
)
def test_the_most_similar_messages_come_first(
    criteria: dict[str, Any], first: list[str], call: Callable[..., Any]
) -> None:
    rows, _ = call("search_messages", **criteria)
    assert 1 <= len(rows) <= 5
    for row, start in zip(rows, first, strict=False):
        assert row["content"].startswith(start)


def test_of_similar_messages_five_are_found(call: Callable[..., Any], phone: State) -> None:
    state = phone
    for _ in range(7):
        _, state = call("send_message_with_phone_number", **TEXT, state=state)
    rows, _ = call("search_messages", content=TEXT["content"], state=state)
    assert [row["content"] for row in rows] == [TEXT["content"]] * 5


@pytest.mark.parametrize(
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
def test_contents_have_a_word_like_one_that_is_asked_for(
    content: str, is_found: bool, call: Callable[..., Any], phone: State
) -> None:
    row = phone["messaging"].rows[0].changed(content="Renew the passport")
    alone = phone.with_table("messaging", Table([row]))
    rows, _ = call("search_messages", content=content, state=alone)
    assert rows == ([plain(row)] if is_found else [])


@pytest.mark.parametrize(
    ("criteria", "text"),
    [
        (
            {},
            (
                "ValueError: No search criteria are given. At least one of these must be given: "
                "'message_id', 'sender_person_id', 'sender_phone_number', 'recipient_person_id', "
                "'recipient_phone_number', 'content', 'creation_timestamp_lowerbound', "
                "'creation_timestamp_upperbound'"
            ),
        ),
        (
            {"sender_phone_number": "555", "recipient_phone_number": "x"},
            (
                "NumberParseException: '555' has no country code: "
                "write + and the country code first, such as '+14155550123'"
            ),
        ),
        (
            {"recipient_phone_number": "x", "creation_timestamp_lowerbound": 0},
            (
                "NumberParseException: 'x' is not a phone number: "
                "write one with its country code, such as '+14155550123'"
            ),
        ),
        (
            {"creation_timestamp_lowerbound": 315529199},
            (
                "ValueError: creation_timestamp_lowerbound 315529199 is smaller than its "
                "valid range minimum 315529200"
            ),
        ),
        (
            {"creation_timestamp_upperbound": 2524604401.0},
            (
                "ValueError: creation_timestamp_upperbound 2524604401.0 is larger than its "
                "valid range maximum 2524604400"
            ),
        ),
        (
            {"content": 5},
            "TypeError: Parameter 'content' is of type 'integer', but expected 'string'.",
        ),
    ],
)
def test_search_messages_refuses(
    criteria: dict[str, Any], text: str, error: Callable[..., str]
) -> None:
    assert error("search_messages", **criteria) == text
