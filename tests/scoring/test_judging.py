"""A conversation is judged by the protocol of its scenario, and its findings stand beside that."""

from __future__ import annotations

import gc

import pytest
from pantry import played, scenario
from replayed import Taking, call, recorded

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import converse
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.protocols import milestones as protocol
from pytest_toolsandbox.scoring.judging import Judgement, judge
from pytest_toolsandbox.scoring.milestones.evaluate import evaluate
from pytest_toolsandbox.scoring.queries import QueryEvaluation
from pytest_toolsandbox.scoring.results import Evaluation
from pytest_toolsandbox.scoring.tooltalk.evaluate_calls import CallEvaluation
from pytest_toolsandbox.users.user import scripted_user

TALK = scenario(
    """
    milestones:
      there: {state: {item: {includes: [{name: tea, amount: 2}]}}}
    solutions:
      added:
        - list_items: {}
        - add_item: {name: tea, amount: 2}
        - say: Done.
    counterexamples:
      other_amount:
        - list_items: {}
        - add_item: {name: tea, amount: 3}
        - say: Done.
      by_another_way:
        - add_item: {name: tea, amount: 1}
        - set_amount: {name: tea, amount: 2}
        - weigh: {weight: tea}
        - say: Done.
    """
)
QUERY = scenario(
    """
    query: How much rice is there?
    answer: 2.0
    forbidden: [RAC]
    solutions:
      looked: [{list_items: {}}, {finish: {answer: "2.0"}}]
    counterexamples:
      twice: [{list_items: {}}, {list_items: {}}, {finish: {answer: "2.0"}}]
      guessed: [{finish: {answer: "2.0"}}]
      wrong: [{list_items: {}}, {finish: {answer: "3"}}]
      said: [{list_items: {}}, say: "2.0"]
    """
)


def words(judgement: Judgement) -> list[str]:
    return [finding.words for finding in judgement.patterns.findings]


def judged(scene: Scenario, name: str) -> Judgement:
    return judge(scene, played(scene, name))


@pytest.mark.parametrize(
    ("name", "passed", "found"),
    [
        ("added", True, []),
        ("other_amount", False, ["IAV amount for add_item"]),
        # It passed, so what it did is right, and nothing is missing; what no tool knows is wrong.
        ("by_another_way", True, ["IAN weight for weigh"]),
    ],
)
def test_milestones(name: str, found: list[str], *, passed: bool) -> None:
    judgement = judged(TALK, name)
    assert isinstance(judgement.result, Evaluation)
    assert judgement.passed is judgement.result.passed is passed
    assert words(judgement) == found


@pytest.mark.parametrize(
    ("name", "passed", "found"),
    [
        ("looked", True, []),
        ("twice", False, ["RAC list_items"]),
        ("guessed", False, ["IAC list_items"]),
        ("wrong", False, []),
        ("said", True, []),
    ],
)
def test_queries(name: str, found: list[str], *, passed: bool) -> None:
    judgement = judged(QUERY, name)
    assert isinstance(judgement.result, QueryEvaluation)
    assert judgement.passed is judgement.result.passed is passed
    assert words(judgement)[: len(found)] == found
    if passed:
        assert words(judgement) == found


def test_recorded_conversations() -> None:
    scene = recorded()
    alarm, find = call("AddAlarm", time="18:30:00"), call("FindAlarms", start_range="18:00:00")
    agent = Taking([alarm], [find, find], [call("SendMessage", receiver="bob", text="Hi")])
    judgement = judge(scene, converse(scene, agent, scripted_user(scene)))
    assert isinstance(judgement.result, CallEvaluation)
    assert not judgement.passed
    assert words(judgement) == ["RAC FindAlarms", "IAN text for SendMessage"]


def test_the_same_call_in_another_turn_is_no_repetition() -> None:
    scene = recorded()
    alarm, find = call("AddAlarm", time="18:30:00"), call("FindAlarms", start_range="18:00:00")
    sent = call("SendMessage", receiver="bob", message="I am on my way")
    judgement = judge(
        scene, converse(scene, Taking([alarm], [find], [find, sent]), scripted_user(scene))
    )
    assert words(judgement) == []


def test_garbage_collection_is_off_while_a_conversation_is_judged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Compared values live to the end, and a collection would take longer than the comparison."""
    looked: list[bool] = []

    def watched(scenario: Scenario, trajectory: Trajectory, *, judged: bool) -> Evaluation:
        looked.append(gc.isenabled())
        return evaluate(scenario, trajectory, judged=judged)

    monkeypatch.setattr(protocol, "evaluate", watched)
    judge(TALK, played(TALK))
    assert looked == [False]
    assert gc.isenabled()
