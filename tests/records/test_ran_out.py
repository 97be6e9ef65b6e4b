"""Which budgets ran out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from pantry import played, scenario
from replayed import Taking, call, recorded

from pytest_toolsandbox import Scenario, Trajectory
from pytest_toolsandbox.conversation.play import converse
from pytest_toolsandbox.evaluation.judging import judge
from pytest_toolsandbox.evaluation.milestones.evaluate import evaluate
from pytest_toolsandbox.records.writing import ran_out
from pytest_toolsandbox.users.user import scripted_user

TALK = scenario("milestones: {told: {says: {mentions: tea}}}\ncounterexamples: {a: [say: No.]}")
QUERY = scenario(
    "query: How much rice is there?\nanswer: '2'\nmax_calls: 2\n"
    "counterexamples: {a: [{list_items: {}}, {weigh: {weight: tea}}, {list_items: {}}]}"
)
REPLAY = recorded()


def found(scene: Scenario, trajectory: Trajectory) -> list[str]:
    return list(ran_out(scene, trajectory, judge(scene, trajectory).result))


def test_a_conversation_that_ends_by_itself() -> None:
    assert found(TALK, played(TALK, "a")) == []


def test_a_conversation_of_too_many_messages() -> None:
    short = replace(TALK, max_messages=1)
    assert found(short, played(short, "a")) == ["max_messages"]


@pytest.mark.parametrize(
    ("limits", "out"), [({}, "max_calls"), ({"max_messages": 2}, "max_messages")]
)
def test_a_query_that_is_not_answered(limits: dict[str, Any], out: str) -> None:
    scene = replace(QUERY, **limits)
    assert found(scene, played(scene, "a")) == [out]


@pytest.mark.parametrize(("most", "out"), [(2, ["max_messages"]), (3, [])])
def test_a_turn_of_a_replay_without_an_answer(most: int, out: list[str]) -> None:
    scene = replace(REPLAY, max_messages=most)
    agent = Taking([call("AddAlarm", time="18:30:00")])
    assert found(scene, converse(scene, agent, scripted_user(scene))) == out


def test_searches_that_gave_up() -> None:
    trajectory = played(TALK, "a")
    result = replace(evaluate(TALK, trajectory), ran_out=("matching", "rows"))
    untried = replace(trajectory, untried_orders=(2,))
    assert ran_out(TALK, untried, result) == ["parallel_executions", "matching", "rows"]
    assert not result.exact


def test_nothing_is_said_of_an_error() -> None:
    assert ran_out(TALK, played(TALK, "a"), None) == []
