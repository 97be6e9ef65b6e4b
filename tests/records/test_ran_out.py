"""Which budgets ran out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from pantry import played, scenario
from replayed import Taking, call, recorded

from pytest_toolsandbox import Scenario, Trajectory
from pytest_toolsandbox.conversation import messages
from pytest_toolsandbox.conversation.play import converse
from pytest_toolsandbox.output.pages.record_view import failure_page
from pytest_toolsandbox.records.writing import ran_out
from pytest_toolsandbox.runs.trial import play_trial
from pytest_toolsandbox.scoring import judging
from pytest_toolsandbox.scoring.judging import judge
from pytest_toolsandbox.scoring.milestones.evaluate import evaluate
from pytest_toolsandbox.users.user import scripted_user

TALK = scenario("milestones: {told: {says: {mentions: tea}}}\ncounterexamples: {a: [say: No.]}")
QUERY = scenario(
    "query: How much rice is there?\nanswer: '2'\nmax_calls: 2\n"
    "counterexamples: {a: [{list_items: {}}, {weigh: {weight: tea}}, {list_items: {}}]}"
)
REPLAY = recorded()


def limits_reached(scene: Scenario, trajectory: Trajectory) -> list[str]:
    return list(ran_out(scene, trajectory, judge(scene, trajectory).result))


def test_a_conversation_that_ends_by_itself() -> None:
    assert limits_reached(TALK, played(TALK, "a")) == []


def test_a_conversation_of_too_many_messages() -> None:
    short = replace(TALK, max_messages=1)
    assert limits_reached(short, played(short, "a")) == ["max_messages"]


@pytest.mark.parametrize(
    ("limits", "out"), [({}, "max_calls"), ({"max_messages": 2}, "max_messages")]
)
def test_a_query_that_is_not_answered(limits: dict[str, Any], out: str) -> None:
    scene = replace(QUERY, **limits)
    assert limits_reached(scene, played(scene, "a")) == [out]


@pytest.mark.parametrize(("most", "out"), [(2, ["max_messages"]), (3, [])])
def test_a_turn_of_a_replay_without_an_answer(most: int, out: list[str]) -> None:
    scene = replace(REPLAY, max_messages=most)
    agent = Taking([call("AddAlarm", time="18:30:00")])
    assert limits_reached(scene, converse(scene, agent, scripted_user(scene))) == out


def test_searches_that_gave_up() -> None:
    trajectory = played(TALK, "a")
    result = replace(evaluate(TALK, trajectory), ran_out=("matching", "rows"))
    untried = replace(trajectory, untried_orders=(2,))
    assert ran_out(TALK, untried, result) == ["parallel_executions", "matching", "rows"]
    assert not result.exact


@pytest.mark.parametrize(("most", "out"), [(20, []), (19, ["calls"])])
def test_more_calls_than_are_compared_with_the_solutions(
    monkeypatch: pytest.MonkeyPatch, most: int, out: list[str]
) -> None:
    """Two messages of the agent, and one call of the solution, which counts as ten."""
    monkeypatch.setattr(judging, "WORK", most)
    scene = scenario(
        "milestones: {told: {says: {mentions: tea}}}\n"
        "solutions: {a: [{weigh: {name: tea}}, {say: There is tea.}]}"
    )
    record = play_trial(scene, Taking([call("list_items")])).record
    assert (record["ran_out"], record["outcome"]) == (out, "failed")
    patterns = record["error_patterns"]
    assert patterns["compared_with"] == ("nothing" if out else "solutions")
    assert patterns["calls"]["IAC"] == int(not out)
    assert (patterns["scores"]["IAC"] is None) == bool(out)
    sentence = "There were too many calls to compare them with those of the solutions"
    assert (sentence in failure_page(record)) == bool(out)


def test_an_agent_that_writes_more_than_a_conversation_has(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The call is answered, and that is the end."""
    for most, out in ((1000, []), (100, ["characters"])):
        monkeypatch.setattr(messages, "MOST_WRITTEN", most)
        record = play_trial(TALK, Taking([call("add_item", name="x" * 150, quantity=1)])).record
        assert record["ran_out"] == out
        assert len(record["messages"]) == (4 if out else 7)
        sentence = f"cut off: the agent wrote more than {messages.MOST_WRITTEN:,} characters"
        assert (sentence in failure_page(record)) == bool(out)


def test_nothing_is_said_of_an_error() -> None:
    assert ran_out(TALK, played(TALK, "a"), None) == []
