"""What the summary says of a judge."""

from __future__ import annotations

from typing import Any

from pytest_toolsandbox.reporting.judge_lines import judge_lines


def record(name: str, verdict: str | None, by_rules: str = "passed") -> Any:
    outcome = "passed" if verdict == "right" else "failed"
    opinion = {"verdict": verdict, "quote": "", "why": "", "by_rules": by_rules}
    return {
        "id": f"a.yaml::{name}",
        "outcome": outcome,
        "judge": "openai/gpt",
        **({"opinion": opinion} if verdict else {}),
    }


def test_nothing_is_said_without_a_judge() -> None:
    assert judge_lines([{"id": "a.yaml::a", "outcome": "passed"}]) == []  # type: ignore[typeddict-item]


def test_one_that_had_nothing_to_judge_is_told() -> None:
    told = "judge: openai/gpt judged 0 of 1 conversation: 0 right, 0 false, 0 incomplete"
    assert judge_lines([record("a", None)]) == [told]


def test_conversations_without_an_opinion_lead_to_one() -> None:
    lost: Any = {**record("a", None), "outcome": "error", "unjudged": True}
    remedy = "--sandbox-rejudge asks again, of what --sandbox-results has kept"
    told = f"judge: 1 conversation could not be judged; {remedy}"
    assert judge_lines([lost, record("b", "right")])[1:] == [told]


def test_one_that_agrees_with_the_rules_is_counted() -> None:
    records = [record("a", "right"), record("b", "incomplete", "failed"), record("c", None)]
    told = "judge: openai/gpt judged 2 of 3 conversations: 1 right, 0 false, 1 incomplete"
    assert judge_lines(records) == [told]


def test_conversations_are_named_that_the_rules_judge_otherwise() -> None:
    passed = [record(f"p{n}", "right", "failed") for n in range(7)]
    assert judge_lines([*passed, record("f", "false")]) == [
        "judge: openai/gpt judged 8 of 8 conversations: 7 right, 1 false, 0 incomplete",
        "judge: 7 passed against the rules: p0, p1, p2, p3, p4, and 2 more",
        "judge: 1 failed against the rules: f",
    ]


def test_a_scenario_of_several_trials_is_named_once() -> None:
    trials = [record("a", "right", "failed")] * 3 + [record("b", "right", "failed")]
    assert judge_lines(trials)[1] == "judge: 4 passed against the rules: a (3\u00d7), b"
