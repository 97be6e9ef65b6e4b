"""What the summary says of a judge."""

from __future__ import annotations

from typing import Any

from pytest_toolsandbox.output.terminal import judge_lines, words_lines


def record(name: str, verdict: str | None) -> Any:
    outcome = "passed" if verdict == "right" else "failed"
    opinion = {"verdict": verdict, "quote": "", "why": ""}
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


def test_its_verdicts_are_counted() -> None:
    records = [record("a", "right"), record("b", "incomplete"), record("c", None)]
    told = "judge: openai/gpt judged 2 of 3 conversations: 1 right, 0 false, 1 incomplete"
    assert judge_lines(records) == [told]


def test_passed_items_that_nobody_read_are_counted() -> None:
    def passed(name: str, words: str | None, outcome: str = "passed") -> Any:
        read = {"words": words} if words else {}
        return {"id": name, "trial": 1, "outcome": outcome, **read}

    records = [
        *(passed(f"{n}", words) for n, words in enumerate(("facts", "by_rules", "not_judged"))),
        *(passed(f"read {words}", words) for words in ("exact", "judged", None)),
        passed("failed", "by_rules", "failed"),
    ]
    told = "words: 3 of 6 passed items were not read; --sandbox-judge=MODEL reads them"
    assert words_lines(records) == [f"{told} (docs/judge.md)"]
    assert words_lines(records[3:]) == []
