"""Replayed conversations: which calls count, as which, and what they make together."""

from __future__ import annotations

import pytest
from replayed import ALARMS, Taking, call, recorded

from pytest_toolsandbox.agents.scripted import oracle
from pytest_toolsandbox.conversation.replay import replay
from pytest_toolsandbox.scoring.tooltalk.evaluate_calls import CallCounts
from pytest_toolsandbox.scoring.tooltalk.evaluate_replay import (
    evaluate_replay,
    ground_truth_calls,
    predicted_calls,
)
from pytest_toolsandbox.scoring.tooltalk.rules import Call

SCENE = recorded()


def test_ground_truth_calls_have_what_is_recorded_or_else_what_came_of_them() -> None:
    add, find, send = ground_truth_calls(SCENE)
    result = {"alarm_id": "5bff-dd80"}
    assert add == Call(
        "AddAlarm", {"time": "18:30:00"}, result, None, "00000000-0000-0000", 0, "mbell"
    )
    assert find.result == {"alarms": [{"alarm_id": "5bff-dd80", "time": "18:30:00"}]}
    assert (find.turn, send.turn) == (1, 2)


def test_an_error_counts_without_its_type() -> None:
    scene = recorded(ALARMS.replace("location: New York", "logged_in: false"))
    errors = [call.error for call in ground_truth_calls(scene)]
    assert errors == ["User is not logged in", None, "User is not logged in"]
    assert [call.session for call in ground_truth_calls(scene)] == [None] * 3


@pytest.mark.parametrize("error", ["", "PermissionError: "])
def test_a_recorded_error_may_have_its_type(error: str) -> None:
    text = f"""
    world: office
    conversation:
      - user: Let me in.
      - calls:
          - UserLogin: {{username: mbell, password: wrong}}
            error: "{error}The password is  incorrect."
    """
    scene = recorded(text)
    assert [call.error for call in ground_truth_calls(scene)] == ["The password is incorrect."]
    assert evaluate_replay(scene, replay(scene, oracle(scene))).passed


def test_predicted_calls() -> None:
    unreadable = {"id": "1", "function": {"name": "AddAlarm", "arguments": "half past six"}}
    agent = Taking([unreadable, call("Ring", at=6)], [], [call("AddAlarm", time="25:00:00")])
    first, second, third = predicted_calls(SCENE, replay(SCENE, agent))
    assert (first.tool, first.arguments, first.turn) == ("AddAlarm", None, 0)
    assert (second.tool, second.session, second.turn) == ("Ring", None, 0)
    assert (third.arguments, third.result, third.turn) == ({"time": "25:00:00"}, None, 2)
    assert third.error is not None


def test_a_wrong_and_a_missing_call() -> None:
    agent = Taking([call("AddAlarm", time="07:00:00")], [call("FindAlarms")], [])
    result = evaluate_replay(SCENE, replay(SCENE, agent))
    assert result.counts == CallCounts(2, 3, 1, 1, 0, 1)
    assert not result.passed
    add, find, send = result.ground_truths
    assert (find.matched, send.nearest) == (True, None)
    assert add.nearest is not None
    assert [d.where for d in add.nearest.differences] == ["time"]


def test_the_receiver_counts_unless_the_scenario_says_otherwise() -> None:
    send = call("SendMessage", receiver="alice", message="I am on my way")
    agent = Taking([call("AddAlarm", time="18:30:00")], [call("FindAlarms")], [send])
    assert not evaluate_replay(SCENE, replay(SCENE, agent)).passed
    scene = recorded(f"{ALARMS}compare_receiver: false")
    assert evaluate_replay(scene, replay(scene, agent)).passed


def test_the_paper_judges_turn_by_turn() -> None:
    calls = [
        call("AddAlarm", time="18:30:00"),
        call("FindAlarms", start_range="18:00:00"),
        call("SendMessage", receiver="bob", message="I am on my way"),
    ]
    agent = Taking(calls, [], [])
    result = evaluate_replay(SCENE, replay(SCENE, agent))
    assert (result.similarity, result.protocol.name) == ("token_f1", "published_code")
    assert result.counts == CallCounts(3, 3, 3, 2, 2, 0)
    scene = recorded(f"{ALARMS}protocol: paper")
    assert evaluate_replay(scene, replay(scene, agent)).counts.matches == 1


TOUR = """
world: office
now: 2025-09-15 13:00
session: {user: mbell, location: New York}
protocol: turnwise
conversation:
  - user: Set an event "Tour" for tomorrow, nine to ten.
  - calls:
      - CreateEvent:
          name: Tour
          event_type: event
          start_time: "2025-09-16 09:00:00"
          end_time: "2025-09-16 10:00:00"
    assistant: It is set.
"""


@pytest.mark.parametrize(
    ("more", "passes"),
    [
        ({"description": "Tour tomorrow at nine"}, True),
        ({"location": ""}, True),
        ({"location": "New York"}, True),
        ({"location": "Oslo"}, False),
        ({"description": "Tour with Petra"}, False),
        ({"description": "Tour, call 218-555-0199"}, False),
    ],
)
def test_turn_by_turn_names_and_numbers_are_not_invented(
    more: dict[str, str], *, passes: bool
) -> None:
    scene = recorded(TOUR)
    (truth,) = ground_truth_calls(scene)
    agent = Taking([call("CreateEvent", **(truth.arguments or {}), **more)])
    assert evaluate_replay(scene, replay(scene, agent)).passed is passes


PHONE = """
world: office
now: 2025-09-15 13:00
session: {user: samruiz, location: Duluth}
protocol: turnwise
conversation:
  - user: My password is firstweek1, please put in 218-555-0109.
  - calls:
      - UpdateAccountInformation: {password: firstweek1, new_phone_number: 218-555-0109}
    assistant: It is there.
"""


@pytest.mark.parametrize(
    ("more", "passes"),
    [
        ({"new_name": "Samuel Ruiz", "new_email": "sam.ruiz@harrowfinch.example"}, True),
        ({"new_name": "Sam"}, False),
        ({"new_email": "sam@harrowfinch.example"}, False),
    ],
)
def test_turn_by_turn_nothing_else_is_changed(more: dict[str, str], *, passes: bool) -> None:
    scene = recorded(PHONE)
    (truth,) = ground_truth_calls(scene)
    agent = Taking([call("UpdateAccountInformation", **(truth.arguments or {}), **more)])
    assert evaluate_replay(scene, replay(scene, agent)).passed is passes
