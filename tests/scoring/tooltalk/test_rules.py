"""What the paper says of comparison, line by line, where the published code does otherwise."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from cosines import Cosines
from rows import every

from pytest_toolsandbox.builtin.office import world
from pytest_toolsandbox.matchers.embedding import using
from pytest_toolsandbox.scoring.tooltalk.comparison import CallComparer, text_similarity_in_use
from pytest_toolsandbox.scoring.tooltalk.evaluate_calls import evaluate_calls
from pytest_toolsandbox.scoring.tooltalk.rules import (
    PAPER,
    PUBLISHED_CODE,
    TURNWISE,
    Call,
    CallProtocol,
)
from pytest_toolsandbox.worlds.tool import CallComparison, FreeText, tool

TEN = "one two three four five six seven eight nine ten"
NINE = "one two three four five six seven eight nine too"


def where(predicted: Call, truth: Call, protocol: CallProtocol) -> list[str]:
    comparer = CallComparer(world.tools, protocol, text_similarity_in_use())
    return [difference.where for difference in comparer.differences(predicted, truth)]


def changed(call: Call, **arguments: Any) -> Call:
    return replace(call, arguments={**(call.arguments or {}), **arguments})


WEATHER = Call("CurrentWeather", {"location": "London"}, {"weather": {"high": 20}})
USERS = Call("QueryUser", {"username": "ada"}, {"users": [{"username": "ada"}]}, None, "token")
EVENTS = Call("QueryCalendar", {"start_time": "a"}, {"events": [{"event_id": "1"}]}, None, "token")
REMINDERS = Call("GetReminders", {}, {"reminders": [{"reminder_id": "1"}]}, None, "token")
EVENT = Call(
    "CreateEvent", {"name": TEN, "attendees": ["ada", "bob"]}, {"event_id": "1"}, None, "t"
)
MAIL = Call("SendEmail", {"to": ["a@b.c", "d@e.f"], "subject": TEN, "body": TEN}, {}, None, "token")
MESSAGE = Call("SendMessage", {"receiver": "ada", "message": TEN}, {}, None, "token")
REMINDER = Call("AddReminder", {"task": TEN, "due_date": "2023-09-12 10:00:00"}, {}, None, "token")
LOGIN = Call("UserLogin", {"username": "ada", "password": "a"}, {"session_token": "1"})


@every(
    ("truth", "predicted", "published", "paper"),
    [
        # tools that are no actions: the results must be identical, arguments are not compared
        (WEATHER, changed(WEATHER, location="LONDON"), ["location"], []),
        (USERS, replace(USERS, arguments={"email": "a@b.c"}), ["username"], []),
        (USERS, replace(USERS, session=None), ["session"], []),
        (USERS, replace(USERS, result={"users": []}), ["result"], ["result"]),
        (EVENTS, changed(EVENTS, start_time="b"), [], []),
        (
            EVENTS,
            replace(EVENTS, result={"events": [{"event_id": "1"}, {"event_id": "2"}]}),
            [],
            ["result"],
        ),
        (EVENTS, replace(EVENTS, result={"events": [{"event_id": "1", "a": 1}]}), [], ["result"]),
        (replace(EVENTS, result={"events": []}), EVENTS, [], ["result"]),
        (REMINDERS, changed(REMINDERS, status="done"), ["status"], []),
        (
            replace(USERS, result={"users": [{"a": 1}, {"a": 2}]}),
            replace(USERS, result={"users": [{"a": 2}, {"a": 1}]}),
            ["result"],
            ["result"],
        ),
        # turn by turn
        (EVENT, replace(EVENT, turn=1), [], ["turn"]),
        (WEATHER, replace(WEATHER, turn=1), [], ["turn"]),
        # free texts: more than 0.9, whatever the tool declares
        (EVENT, changed(EVENT, name=NINE), [], ["name"]),
        (MAIL, changed(MAIL, subject=NINE), [], ["subject"]),
        (MAIL, changed(MAIL, body=NINE), [], ["body"]),
        (MESSAGE, changed(MESSAGE, message=NINE), [], ["message"]),
        (REMINDER, changed(REMINDER, task=NINE), [], ["task"]),
        (EVENT, changed(EVENT, name=TEN.upper()), [], []),
        # actions: every argument that the ground truth gives, receivers as sets, and no results
        (MAIL, changed(MAIL, to=["d@e.f", "a@b.c"]), [], []),
        (MAIL, changed(MAIL, to=["a@b.c"]), ["to"], ["to"]),
        (EVENT, changed(EVENT, attendees=["bob", "ada"]), ["attendees"], ["attendees"]),
        (MESSAGE, changed(MESSAGE, receiver="eve"), ["receiver"], ["receiver"]),
        (REMINDER, changed(REMINDER, due_date="2023-09-12 11:00:00"), [], ["due_date"]),
        (LOGIN, replace(LOGIN, result={"session_token": "2"}), ["result"], []),
        (LOGIN, changed(LOGIN, password="b"), ["password"], ["password"]),
        (EVENT, replace(EVENT, session=None), ["session"], ["session"]),
        # optional arguments only where the ground truth has them
        (EVENT, changed(EVENT, location="here"), [], []),
        (changed(EVENT, location="here"), EVENT, ["location"], ["location"]),
        # errors
        (LOGIN, replace(LOGIN, result=None, error="No."), ["error"], ["error"]),
        (WEATHER, replace(WEATHER, result=None, error="No."), ["error"], ["error"]),
    ],
)
def test_the_two_protocols(
    truth: Call, predicted: Call, published: list[str], paper: list[str]
) -> None:
    assert where(predicted, truth, PUBLISHED_CODE) == published
    assert where(predicted, truth, PAPER) == paper


def test_the_paper_has_no_slip() -> None:
    other = changed(MESSAGE, receiver="eve")
    assert where(other, MESSAGE, CallProtocol("paper", receiver_compared=False)) == ["receiver"]


def test_to_the_paper_a_cosine_must_be_above() -> None:
    with using(Cosines(TEN, {"near": 0.9001, "far": 0.8999})):
        assert where(changed(MESSAGE, message="near"), MESSAGE, PAPER) == []
        assert where(changed(MESSAGE, message="far"), MESSAGE, PAPER) == ["message"]


@tool(
    "Kitchen", action=True, comparison=CallComparison({"note": FreeText(0.5), "trace": "ignored"})
)
def cook(note: str, trace: str) -> None:
    """Cook a dish."""
    raise NotImplementedError


def test_to_the_paper_every_text_has_the_one_threshold_and_what_is_ignored_stays_so() -> None:
    truth = Call("cook", {"note": "a b", "trace": "7"})
    predicted = changed(truth, note="a c", trace="8")
    for protocol, expected in ((PUBLISHED_CODE, []), (PAPER, ["note"])):
        comparer = CallComparer({"cook": cook}, protocol, text_similarity_in_use())
        assert [d.where for d in comparer.differences(predicted, truth)] == expected
    (difference,) = CallComparer({"cook": cook}, PAPER, text_similarity_in_use()).differences(
        predicted, truth
    )
    assert f"{difference.threshold:g}" == "0.9"


# the footnote: errors that recipients cause are ignored

MALFORMED = "ada is not a valid email address."


def refused(call: Call, error: str, **arguments: Any) -> Call:
    return replace(changed(call, **arguments), result=None, error=error)


@pytest.mark.parametrize(
    ("predicted", "published", "paper"),
    [
        (refused(MAIL, MALFORMED, to=["ada"]), 0, 1),
        (refused(MAIL, "User is not logged in", to=["ada"]), 0, 0),
        (refused(MESSAGE, "Message cannot be empty.", message=""), 0, 0),
        (refused(MESSAGE, MALFORMED), 0, 0),
        (refused(LOGIN, MALFORMED), 0, 0),
        (changed(MAIL, to=["e@v.e"]), 1, 1),
    ],
)
def test_incorrect_actions(predicted: Call, published: int, paper: int) -> None:
    for protocol, expected in ((PUBLISHED_CODE, published), (PAPER, paper)):
        judged = evaluate_calls([predicted], [], world.tools, protocol)
        assert judged.counts.bad_actions == expected


def test_to_the_paper_a_call_with_such_an_error_may_be_the_true_one() -> None:
    truth = changed(MAIL, to=["ada"])
    predicted = refused(truth, MALFORMED)
    for call, other in ((predicted, truth), (truth, predicted)):
        assert where(call, other, PUBLISHED_CODE) == ["error"]
        assert where(call, other, PAPER) == []
    assert where(refused(MAIL, MALFORMED, to=["ada"]), MAIL, PAPER) == ["to"]


# turnwise: what a user would say is right

ACTION = replace(EVENT, user="cy")
FACTS = "See you on Friday at five"


@every(
    ("truth", "predicted", "turnwise"),
    [
        # actions in their turn, what is found in any, whatever was asked for
        (EVENT, replace(EVENT, turn=1), ["turn"]),
        (WEATHER, replace(WEATHER, turn=1), []),
        (WEATHER, changed(WEATHER, location="LONDON"), []),
        (WEATHER, replace(WEATHER, result={"weather": {"high": 21}}), ["result"]),
        (USERS, replace(USERS, arguments={"email": "a@b.c"}, session="other"), []),
        (EVENTS, replace(EVENTS, result={"events": [{"event_id": "1"}, {"event_id": "2"}]}), []),
        (EVENTS, replace(EVENTS, result={"events": [{"event_id": "2"}]}), ["result"]),
        # what actions return is the world's business
        (LOGIN, replace(LOGIN, result={"session_token": "2"}), []),
        (LOGIN, replace(LOGIN, result=None, error="No."), ["error"]),
        (EVENT, replace(EVENT, session=None), ["session"]),
        # dates and times whole, in any notation that the tool takes
        (REMINDER, changed(REMINDER, due_date="2023-09-12 11:00:00"), ["due_date"]),
        (REMINDER, changed(REMINDER, due_date="2023-9-12 10:0:0"), []),
        (REMINDER, changed(REMINDER, due_date="20230912"), ["due_date"]),
        (Call("AddAlarm", {"time": "07:30:00"}), Call("AddAlarm", {"time": "7:30:00"}), []),
        (Call("AddAlarm", {"time": "07:30:00"}), Call("AddAlarm", {"time": "19:30:00"}), ["time"]),
        # attendees as a set, to which the user belongs anyway
        (EVENT, changed(EVENT, attendees=["bob", "ada"]), []),
        (EVENT, changed(EVENT, attendees=["bob"]), ["attendees"]),
        (EVENT, changed(EVENT, attendees=["ada", "bob", "eve"]), ["attendees"]),
        (EVENT, changed(EVENT, attendees=["ada", "bob", "cy"]), ["attendees"]),
        (ACTION, changed(ACTION, attendees=["ada", "bob", "cy"]), []),
        (ACTION, changed(ACTION, attendees=["cy", "bob"]), ["attendees"]),
        (ACTION, changed(ACTION, attendees=None), ["attendees"]),
        (MESSAGE, changed(MESSAGE, receiver="eve"), ["receiver"]),
        # some of the words, of titles more, and all numbers, dates and times
        (changed(EVENT, name="a b c d"), changed(EVENT, name="a b c f"), []),
        (changed(EVENT, name="a b"), changed(EVENT, name="a c"), ["name"]),
        (changed(EVENT, name="a b c d e"), changed(EVENT, name="a b f g h"), ["name"]),
        (changed(MESSAGE, message="a b c d e"), changed(MESSAGE, message="a b f g h"), []),
        (
            changed(MESSAGE, message="a b c d e f g"),
            changed(MESSAGE, message="t u v w x y z"),
            ["message"],
        ),
        (changed(MESSAGE, message=FACTS), changed(MESSAGE, message="At 5 on Friday! See you"), []),
        (
            changed(MESSAGE, message=FACTS),
            changed(MESSAGE, message="See you on Friday at six"),
            ["message"],
        ),
    ],
)
def test_turnwise(truth: Call, predicted: Call, turnwise: list[str]) -> None:
    assert where(predicted, truth, TURNWISE) == turnwise


@pytest.mark.parametrize(
    ("guests", "differs"),
    [(["bob"], True), (["ada", "bob"], True), (["ada"], False), ([], False), (None, False)],
)
def test_turnwise_wants_no_guests_that_nobody_named(guests: object, *, differs: bool) -> None:
    truth = replace(EVENT, arguments={"name": TEN}, user="ada")
    prediction = replace(truth, arguments={"name": TEN, "attendees": guests})
    assert where(prediction, truth, TURNWISE) == ["attendees"] * differs
    assert where(prediction, truth, PUBLISHED_CODE) == []


def test_turnwise_says_which_quantity_is_another() -> None:
    truth = changed(MESSAGE, message=FACTS)
    comparer = CallComparer(world.tools, TURNWISE, text_similarity_in_use())
    prediction = changed(truth, message="See you on Friday at six")
    (difference,) = comparer.differences(prediction, truth)
    assert (difference.expected, difference.note) == (repr(FACTS), "instead: six")
