from __future__ import annotations

import json
from typing import Any

import pytest
from rows import every

from pytest_toolsandbox.builtin.office import logged_in, world
from pytest_toolsandbox.calls.tool_call import ToolCall
from pytest_toolsandbox.conversation.environment import ExecutionEnvironment
from pytest_toolsandbox.conversation.messages import Response
from pytest_toolsandbox.worlds.state import State

NOBODY = world.start(world.now)
MARIAN = logged_in(NOBODY, "mbell")
ILSE = logged_in(NOBODY, "ilsem")  # never got a message
OFFICE = ExecutionEnvironment(world, world.now, world.shown())


def call(tool: str, state: State = MARIAN, /, **arguments: Any) -> Response:
    return OFFICE.run(ToolCall("", tool, json.dumps(arguments)), state, "")


def senders(state: State = MARIAN, /, **criteria: Any) -> list[str]:
    response = call("SearchMessages", state, **criteria)
    assert response.error is None
    assert response.state is state
    return [message["sender"] for message in json.loads(response.content)["messages"]]


@every(
    ("criteria", "found"),
    [
        ({"query": "friday"}, ["mbellamy"]),
        ({"query": "friday INVOICE"}, ["mbellamy", "cokafor"]),
        ({"query": "friday invoice", "match_type": "all"}, []),
        ({"query": "ten planning", "match_type": "all"}, ["okafor"]),
        ({"query": ""}, ["mbellamy", "okafor", "cokafor", "samruiz"]),
        ({"sender": "okafor"}, ["okafor"]),
        ({"sender": "Okafor"}, []),
        ({"sender": "Chidi Okafor"}, []),
        ({"start_date": "2025-09-15 00:00:00"}, ["mbellamy", "okafor"]),
        ({"end_date": "2025-09-12 09:05:00"}, ["samruiz"]),
        ({"sender": "okafor", "end_date": "2025-09-14 00:00:00"}, []),
    ],
)
def test_messages_are_found(criteria: dict[str, Any], found: list[str]) -> None:
    assert senders(MARIAN, **criteria) == found


def test_a_found_message_is_whole() -> None:
    (found,) = json.loads(call("SearchMessages", query="friday").content)["messages"]
    assert found == {
        "message_id": "60951ce0-6592c86a",
        "timestamp": "2025-09-15 08:50:00",
        "sender": "mbellamy",
        "message": "Does Friday at 12:30 still suit you?",
    }


@pytest.mark.parametrize(
    ("criteria", "error"),
    [
        ({}, "At least one of query, sender, start_date, end_date must be provided."),
        ({"query": "a", "match_type": "none"}, 'match_type must be either "any" or "all".'),
        (
            {"start_date": "x"},
            "'x' is no date and time: write them like '2025-09-15 18:30:00'",
        ),
        (
            {"start_date": "2025-09-12 00:00:01", "end_date": "2025-09-12 00:00:00"},
            "Start date must be earlier than end date.",
        ),
    ],
)
def test_a_search_that_makes_no_sense_is_refused(criteria: dict[str, Any], error: str) -> None:
    assert call("SearchMessages", **criteria).error == f"ValueError: {error}"
    assert senders(ILSE, **criteria) == []


def test_unlike_an_inbox_an_empty_entry_is_no_excuse() -> None:
    empty = NOBODY["empty_entry"].with_row({"table": "message", "username": "ilsem"})
    state = ILSE.with_table("empty_entry", empty)
    assert senders(state, query="a") == []
    error = "ValueError: At least one of query, sender, start_date, end_date must be provided."
    assert call("SearchMessages", state).error == error


@pytest.mark.parametrize(
    ("receiver", "message"),
    [("jtran", "Lunch?"), ("nobody at all", " "), ("", "x"), ("mbell", "x")],
)
def test_a_message_to_anybody_can_be_sent_and_is_kept_nowhere(receiver: str, message: str) -> None:
    response = call("SendMessage", receiver=receiver, message=message)
    assert json.loads(response.content) == {"message_id": "e149636f-ecc3f121"}
    assert set(response.state.changes_since(MARIAN)) == {"identifier"}


def test_a_message_says_something() -> None:
    response = call("SendMessage", receiver="jtran", message="")
    assert response.error == "ValueError: Message cannot be empty."
    assert response.state is MARIAN
