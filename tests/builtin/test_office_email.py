from __future__ import annotations

import json
from datetime import datetime
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
ILSE = logged_in(NOBODY, "ilsem")  # has an empty inbox
SAMUEL = logged_in(NOBODY, "samruiz")  # has none
SUBJECTS = [row["subject"] for row in MARIAN["email"].where(username="mbell")]
ORDER, INTERN, DRILL, LUNCH, DENTIST, DELAY = SUBJECTS


def call(
    tool: str, state: State = MARIAN, now: datetime = world.now, /, **arguments: Any
) -> Response:
    office = ExecutionEnvironment(world, now, world.shown())
    return office.run(ToolCall("", tool, json.dumps(arguments)), state, "")


def subjects(state: State = MARIAN, now: datetime = world.now, /, **criteria: Any) -> list[str]:
    response = call("SearchInbox", state, now, **criteria)
    assert response.error is None
    assert response.state is state
    return [email["subject"] for email in json.loads(response.content)["emails"]]


@every(
    ("criteria", "found"),
    [
        ({"query": "drill"}, [DRILL]),
        ({"query": "DRILL"}, [DRILL]),
        ({"query": "rill"}, [DRILL]),
        ({"query": "table"}, [LUNCH]),
        ({"query": "drill table"}, [LUNCH, DRILL]),
        ({"query": "drill table", "match_type": "any"}, [LUNCH, DRILL]),
        ({"query": "drill table", "match_type": "all"}, []),
        ({"query": "fire stairs", "match_type": "all"}, [DRILL]),
        ({"query": "appointment quill", "match_type": "all"}, [DENTIST]),
        ({"query": "gorgonzola"}, []),
        # an empty query asks for nothing, blanks have no words
        ({"query": ""}, [DENTIST, LUNCH, DRILL, INTERN, ORDER]),
        ({"query": " "}, []),
        ({"query": " ", "match_type": "all"}, [DENTIST, LUNCH, DRILL, INTERN, ORDER]),
        ({"sender": "orders@paperline.example"}, [ORDER]),
        ({"sender": "Orders@paperline.example"}, []),
        ({"sender": ""}, []),
        ({"query": "september", "sender": "orders@paperline.example"}, [ORDER]),
        ({"start_date": "2025-09-12 16:48:00"}, [DENTIST, LUNCH]),
        ({"end_date": "2025-09-11 15:05:00"}, [INTERN, ORDER]),
        ({"start_date": "2025-9-12 0:0:0", "end_date": "2025-09-12 12:00:00"}, [DRILL]),
        ({"start_date": "2025-09-12 10:22:00", "end_date": "2025-09-12 10:22:00"}, [DRILL]),
        ({"query": "drill", "sender": None, "start_date": None, "end_date": None}, [DRILL]),
        # not there yet
        ({"start_date": "2025-09-15 09:00:01"}, []),
    ],
)
def test_mails_are_found(criteria: dict[str, Any], found: list[str]) -> None:
    assert subjects(MARIAN, world.now, **criteria) == found


@pytest.mark.parametrize(("minute", "there"), [(19, False), (20, True)])
def test_a_mail_of_later_comes_when_it_is_time(minute: int, there: bool) -> None:
    now = world.now.replace(hour=16, minute=minute)
    assert (DELAY in subjects(MARIAN, now, query="77120")) == there


def test_the_latest_five_are_found_and_of_equals_the_first_ones() -> None:
    now = world.now.replace(day=16)
    assert subjects(MARIAN, now, query="") == [DELAY, DENTIST, LUNCH, DRILL, INTERN]
    (order,) = MARIAN["email"].where(subject=ORDER)
    twin = order.changed(email_id="twin", subject="Twin")
    twins = MARIAN.with_table("email", MARIAN["email"].with_row(twin))
    assert subjects(twins, world.now, sender=order["sender"]) == [ORDER, "Twin"]


def test_a_found_mail_is_whole() -> None:
    (found,) = json.loads(call("SearchInbox", query="drill").content)["emails"]
    (row,) = MARIAN["email"].where(subject=DRILL)
    assert found == {
        "email_id": row["email_id"],
        "date": "2025-09-12 10:22:00",
        "sender": "office@northgate-property.example",
        "receivers": ["marian.bell@harrowfinch.example"],
        "subject": "Fire drill",
        "body": row["body"],
    }


@pytest.mark.parametrize(
    ("criteria", "error"),
    [
        ({}, "At least one of query, sender, start_date, end_date must be provided."),
        (
            {"match_type": "some", "query": None},
            "At least one of query, sender, start_date, end_date must be provided.",
        ),
        (
            {"match_type": "some", "start_date": "x"},
            'match_type must be either "any" or "all".',
        ),
        ({"match_type": "", "query": "a"}, 'match_type must be either "any" or "all".'),
        (
            {"start_date": "2025-09-12", "end_date": "x"},
            "'2025-09-12' is no date and time: write them like '2025-09-15 18:30:00'",
        ),
        ({"end_date": ""}, "'' is no date and time: write them like '2025-09-15 18:30:00'"),
        (
            {"start_date": "2025-09-12 00:00:01", "end_date": "2025-09-12 00:00:00"},
            "Start date must be earlier than end date.",
        ),
    ],
)
def test_a_search_that_makes_no_sense_is_refused(criteria: dict[str, Any], error: str) -> None:
    assert call("SearchInbox", **criteria).error == f"ValueError: {error}"


def test_match_type_cannot_be_null() -> None:
    assert call("SearchInbox", query="a", match_type=None).error == (
        "TypeError: Parameter 'match_type' is of type 'null', but expected 'string'."
    )


@pytest.mark.parametrize("state", [ILSE, SAMUEL])
@pytest.mark.parametrize(
    "criteria", [{}, {"match_type": "some"}, {"start_date": "x"}, {"query": "a"}]
)
def test_nothing_is_wrong_with_a_search_of_an_empty_inbox(
    state: State, criteria: dict[str, Any]
) -> None:
    assert subjects(state, world.now, **criteria) == []


def test_a_mail_that_is_sent_is_kept_nowhere() -> None:
    response = call(
        "SendEmail", to=["marian.bell@harrowfinch.example"], subject="drill", body="drill"
    )
    assert json.loads(response.content) == {"email_id": "5b-dd80-9f8a27ab"}
    assert set(response.state.changes_since(MARIAN)) == {"identifier"}
    assert subjects(response.state, world.now, query="drill") == [DRILL]


@pytest.mark.parametrize("to", [[], ["a@b"], ["a@b", "a@b"]])
def test_almost_any_mail_can_be_sent(to: list[str]) -> None:
    assert call("SendEmail", to=to, subject="", body="").error is None


@pytest.mark.parametrize(
    ("to", "error"),
    [
        (["a@b", "bad", "worse"], "ValueError: bad is not a valid email address."),
        ([""], "ValueError: is not a valid email address."),
        ("a@b", "TypeError: Parameter 'to' is of type 'string', but expected 'array'."),
        (None, "TypeError: Parameter 'to' is of type 'null', but expected 'array'."),
        (["a@b", 7], "TypeError: Parameter 'to' is not valid: to[1]: 7 is not of type 'string'"),
    ],
)
def test_addresses_have_their_form(to: Any, error: str) -> None:
    response = call("SendEmail", to=to, subject="s", body="b")
    assert response.error == error
    assert response.state is MARIAN
