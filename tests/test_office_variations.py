"""The office suite played otherwise: wrong runs fail, those that are as good pass."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from shipped import shipped
from variations import right_runs, wrong_runs

from pytest_toolsandbox.agents.scripted import taking
from pytest_toolsandbox.conversation.replay import replay
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import AgentTurn
from pytest_toolsandbox.scoring.judging import Judgement, judge

CONVERSATIONS = {scenario.name: scenario for scenario in shipped("office")}


def passes(scenario: Scenario, turns: Sequence[AgentTurn]) -> bool:
    return judged(scenario, turns).result.passed


def judged(scenario: Scenario, turns: Sequence[AgentTurn]) -> Judgement:
    return judge(scenario, replay(scenario, taking(scenario, turns)))


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_wrong_runs_fail(name: str) -> None:
    scenario = CONVERSATIONS[name]
    runs = wrong_runs(scenario)
    passing = [f"{kind}: {what}" for kind, what, turns in runs if passes(scenario, turns)]
    assert passing == []


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_runs_that_are_as_good_pass_and_have_no_error_patterns(name: str) -> None:
    scenario = CONVERSATIONS[name]
    for kind, what, turns in right_runs(scenario):
        judgement = judged(scenario, turns)
        assert judgement.result.passed, f"{kind}: {what}"
        allowed = {"RAC"} if kind == "more look-ups" else set()  # some are made twice
        assert {found.pattern for found in judgement.patterns.findings} <= allowed, kind


def test_runs_of_every_kind_are_tried() -> None:
    kinds = [
        kind
        for scenario in CONVERSATIONS.values()
        for runs in (wrong_runs, right_runs)
        for kind, _, _ in runs(scenario)
    ]
    assert len(kinds) > 1000
    assert set(kinds) == {
        "a turn early",
        "a turn early, too",
        "a turn late",
        "another notation",
        "another order",
        "deleted before consent",
        "in another turn",
        "in two searches",
        "more look-ups",
        "one attendee missing",
        "paraphrased",
        "twice",
        "two modifications",
        "wider search",
        "wrong date",
        "wrong fact",
        "wrong time",
    }
