"""The summary of a run in the terminal: its table, and the lines about judges."""

from __future__ import annotations

from typing import Any

from desk import small_record

from pytest_toolsandbox.language.variants import PUBLISHED
from pytest_toolsandbox.output.terminal import judge_lines, reply_lines, summary_lines, words_lines


def test_of_an_empty_run() -> None:
    assert summary_lines([]) == []


def test_columns_are_as_wide_as_they_must_be() -> None:
    records: list[Any] = [
        small_record(str(number), 1.0, "a_category_with_a_long_name", outcome="passed")
        for number in range(12)
    ]
    records += [small_record("wrong", 0.25, turns=1200), small_record("broken", None, "b")]
    assert summary_lines(records) == [
        "                             items  pass  fail  error  score  turns  calls",
        "a_category_with_a_long_name     12    12     0      0  1.000    4.0    1.0",
        "b                                1     0     0      1    n/a    n/a    n/a",
        "all scenarios                   14    12     1      1  0.942   96.0    1.0",
    ]


def test_augmentations_are_rows_of_their_own_within_80_columns() -> None:
    records: list[Any] = [
        {**small_record(f"{number}[{name}]", 0.5, "state_dependency"), "variant": name}
        for name in reversed(PUBLISHED)
        for number in range(129)
    ]
    lines = summary_lines(records)
    names = [line.partition("  ")[0] for line in lines]
    assert names == ["", "state_dependency", "", *PUBLISHED, "", "all scenarios"]
    assert max(map(len, lines)) < 80
    without_categories: list[Any] = [{**records[0], "categories": []}]
    names = [line.partition("  ")[0] for line in summary_lines(without_categories)]
    assert names == ["", PUBLISHED[-1], "", "all scenarios"]


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
    line = "judge: openai/gpt judged 0 of 1 conversation: 0 right, 0 false, 0 incomplete"
    assert judge_lines([record("a", None)]) == [line]


def test_conversations_without_an_opinion_lead_to_one() -> None:
    lost: Any = {**record("a", None), "outcome": "error", "unjudged": True}
    remedy = "--sandbox-rejudge asks again, of what --sandbox-results has kept"
    line = f"judge: 1 conversation could not be judged; {remedy}"
    assert judge_lines([lost, record("b", "right")])[1:] == [line]


def test_its_verdicts_are_counted() -> None:
    records = [record("a", "right"), record("b", "incomplete"), record("c", None)]
    line = "judge: openai/gpt judged 2 of 3 conversations: 1 right, 0 false, 1 incomplete"
    assert judge_lines(records) == [line]


def test_passed_items_that_nobody_read_are_counted() -> None:
    def passed(name: str, words: str | None, outcome: str = "passed") -> Any:
        read = {"words": words} if words else {}
        return {"id": name, "trial": 1, "outcome": outcome, **read}

    records = [
        *(passed(f"{n}", words) for n, words in enumerate(("facts", "by_rules", "not_judged"))),
        *(passed(f"read {words}", words) for words in ("exact", "judged", None)),
        passed("failed", "by_rules", "failed"),
    ]
    line = "words: 3 of 6 passed items unread; --sandbox-judge=MODEL"
    assert words_lines(records) == [f"{line} (docs/judge.md)"]
    assert words_lines(records[3:]) == []


def test_cut_off_and_empty_replies_are_counted_by_asker() -> None:
    lengths = {"length": 2, "stop": 1}
    records: list[Any] = [
        {"id": "a", "counts": {"empty_replies": 1}, "finish_reasons": {"agent": lengths}},
        {"id": "a", "counts": {}, "finish_reasons": {"agent": lengths, "user": {"length": 1}}},
        {"id": "b", "counts": {}, "finish_reasons": {"judge": lengths, "agent": {"stop": 3}}},
        {"id": "c", "counts": {}},
    ]
    assert list(reply_lines(records)) == [
        "cut off at the token limit: 4 replies of 1 item",
        "cut off at the token limit: 1 reply of the user in 1 item",
        "cut off at the token limit: 2 replies of the judge in 1 item",
        "empty: 1 reply of 1 item",
    ]
