from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from pytest_toolsandbox.builtin.phone import world
from pytest_toolsandbox.builtin.phone.initial import person_id
from pytest_toolsandbox.worlds.state import State, Table, plain

OWNER = person_id("Robin Vance")
TEXT = {"phone_number": "+14155550111", "content": "See you at eight"}


def at(day: int, hour: int, minute: int) -> float:
    return datetime(2025, 5, day, hour, minute, tzinfo=world.now.tzinfo).timestamp()


def test_a_message_is_sent_now(call: Callable[..., Any]) -> None:
    now = datetime(2025, 5, 20, 12, 0, 30, tzinfo=world.now.tzinfo)
    _, after = call("send_message_with_phone_number", **TEXT, now=now)
    assert after["messaging"].rows[-1]["creation_timestamp"] == now.timestamp()


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
