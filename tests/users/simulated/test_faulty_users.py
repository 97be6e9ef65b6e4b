"""Planted faults of users in scenarios of the phone: how many are caught, and no right lines."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
import yaml
from shipped import shipped
from user_rules import Planted, planted

from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.users.simulated import tool_calling_prompt, toolsandbox_prompt
from pytest_toolsandbox.users.simulated.checks import UserFault, fault_in
from pytest_toolsandbox.users.simulated.utterance import MalformedReplyError, Situation, Utterance
from pytest_toolsandbox.users.user import Ledger, knowledge_of

SAID = Path(__file__).with_name("said.yaml")
SCENARIOS = 20
STRUCTURAL = 0.75
"""The least share of the planted faults of each structural kind that is caught."""
CAUGHT = {"said": 0.75, "slips": 0.57}
"""The least share of all planted faults of a table; more than half of ``slips`` are grammar."""
BY_GRAMMAR = {"leak", "offer", "act", "roles"}
"""Kinds of which most are a matter of grammar or role."""
EXPECTED = {
    "leak": "leak",
    "offer": "roles",
    "act": "roles",
    "repeat": "roles",
    "world": "world",
    "loop": "loop",
}
"""Kind of what is said → the fault that it is; all others are inventions."""
MALFORMED: list[dict[str, Any]] = [
    {},
    {"content": "Tomorrow at seven."},
    {"tool_calls": [{"function": {"name": "reply", "arguments": "{"}}]},
    {"tool_calls": [{"function": {"name": "reply", "arguments": '{"text": " ", "goal": "goal"}'}}]},
    {"tool_calls": [{"function": {"name": "reply", "arguments": '{"text": "Yes", "goal": "x"}'}}]},
    {"tool_calls": [{"function": {"name": "search_contacts", "arguments": "{}"}}]},
    {"tool_calls": [{"function": {"name": "end_conversation", "arguments": '{"reason": "bye"}'}}]},
    {"tool_calls": [{"function": {"name": "end_conversation", "arguments": "{}"}}] * 2},
]


@cache
def phone() -> dict[str, Scenario]:
    return {Path(scenario.name).name: scenario for scenario in shipped("phone")}


@cache
def conversations() -> dict[str, dict[str, Any]]:
    loaded: dict[str, dict[str, Any]] = yaml.safe_load(SAID.read_text(encoding="utf-8"))
    return loaded


def situation(key: str) -> Situation:
    scenario = phone()[key.rstrip("+")]
    known = knowledge_of(scenario)
    return Situation(known, tuple(conversations()[key]["heard"]), (known.opening,))


@pytest.fixture(scope="module")
def checked() -> list[tuple[Planted, UserFault | None]]:
    return [(line, fault_in(line.utterance, line.situation)) for line in planted()]


def test_each_structural_fault_is_caught(checked: list[tuple[Planted, UserFault | None]]) -> None:
    caught = defaultdict(list)
    for line, fault in checked:
        if line.kind not in BY_GRAMMAR and line.kind != "right":
            caught[line.table, line.kind].append(fault is not None)
    shares = {key: fmean(hits) for key, hits in caught.items()}
    assert len(shares) == 14
    assert {key: share for key, share in shares.items() if share < STRUCTURAL} == {}


def test_faults_in_the_prepared_conversations_have_their_kind(
    checked: list[tuple[Planted, UserFault | None]],
) -> None:
    kinds = [(line.kind, fault.kind) for line, fault in checked if line.table == "said" and fault]
    of_kinds = [(kind, fault_kind) for kind, fault_kind in kinds if kind != "right"]
    wrong = [pair for pair in of_kinds if EXPECTED.get(pair[0], "invention") != pair[1]]
    assert len(wrong) <= 0.02 * len(of_kinds), wrong


def test_the_share_of_all_planted_faults(checked: list[tuple[Planted, UserFault | None]]) -> None:
    for table, share in CAUGHT.items():
        faults = [
            fault_of_line
            for line, fault_of_line in checked
            if line.table == table and line.kind != "right"
        ]
        assert sum(fault_of_line is not None for fault_of_line in faults) >= share * len(faults)


def test_faults_for_a_reviewer_are_marked(checked: list[tuple[Planted, UserFault | None]]) -> None:
    of_grammar = [(line, fault) for line, fault in checked if line.kind in BY_GRAMMAR]
    assert len(of_grammar) > 1200
    assert [line for line, fault in of_grammar if line.is_for_review != (fault is None)] == []


@pytest.mark.parametrize(("table", "refused"), [("said", 0.02), ("slips", 0)])
def test_right_lines_are_delivered(
    checked: list[tuple[Planted, UserFault | None]], table: str, refused: float
) -> None:
    right = [fault for line, fault in checked if (line.table, line.kind) == (table, "right")]
    faults = [fault for fault in right if fault]
    assert len(right) > 300
    assert len(faults) <= refused * len(right), faults


@pytest.mark.parametrize("reason", ["done", None])
def test_ending_after_a_question_is_a_fault(reason: str | None) -> None:
    ends = {
        key: fault_in(Utterance(None, reason=reason), situation(key)) for key in conversations()
    }
    late = [
        key
        for key, fault in ends.items()
        if fault is None and "?" in conversations()[key]["heard"][0]
    ]
    offers = [key for key in late if "else" in conversations()[key]["heard"][0]]
    assert len(ends) >= SCENARIOS
    assert late == offers  # "Anything else?" may be answered by an end


def test_ending_with_open_goals_is_a_fault() -> None:
    several = [scene for scene in phone().values() if len(knowledge_of(scene).goals) > 1]
    assert len(several) >= 12
    for scenario in several:
        known = knowledge_of(scenario)
        ledger = Ledger.at_opening(known)
        for goal in known.goals:
            ledger = ledger.after(goal)
            state = Situation(known, ("Done.",), (known.opening,), tuple(ledger.open_goals))
            fault = fault_in(Utterance(None, reason="done"), state)
            assert (fault is None) == (goal == list(known.goals)[-1])


def test_ending_after_an_announcement_is_a_fault() -> None:
    for scenario in [*phone().values()][:SCENARIOS]:
        known = knowledge_of(scenario)
        state = Situation(known, ("Sure, I'll look that up.",), (known.opening,), ())
        fault = fault_in(Utterance(None, reason="done"), state)
        assert fault is not None
        assert (fault.kind, fault.feedback) == (
            "early_end",
            "The other one is still at it. Let it go on.",
        )


@pytest.mark.parametrize("reply", MALFORMED)
def test_malformed_replies_are_rejected(reply: dict[str, Any]) -> None:
    for scenario in [*phone().values()][:SCENARIOS]:
        with pytest.raises(MalformedReplyError):
            tool_calling_prompt.read(reply, knowledge_of(scenario))


@pytest.mark.parametrize("reply", [{}, {"content": " "}, MALFORMED[5]])
def test_malformed_replies_are_rejected_in_the_papers_style(reply: dict[str, Any]) -> None:
    with pytest.raises(MalformedReplyError):
        toolsandbox_prompt.read(reply)
