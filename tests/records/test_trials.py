"""What the trials of an item say together."""

from __future__ import annotations

from typing import Any

import pytest
from rows import every

from pytest_toolsandbox.records.trials import (
    counted_trials,
    fair_sample,
    outcome_words,
    reason_words,
    verdict,
)

SHORT: dict[str, dict[str, Any]] = {
    "P": {"outcome": "passed"},
    "F": {"outcome": "failed"},
    "A": {"outcome": "error", "cause": "agent"},
    "W": {"outcome": "error", "cause": "world"},
    "O": {"outcome": "error", "cause": "provider"},
    "U": {"outcome": "error", "cause": "user"},
    "I": {"outcome": "inconclusive", "cause": "user"},
    "N": {"outcome": "not_run", "cause": None},
}


def trials(word: str, planned: int = 0, needed: int = 0) -> list[dict[str, Any]]:
    plan = {"of_trials": {"planned": planned, "needed": needed}} if planned else {}
    return [{**SHORT[letter], **plan} for letter in word]


@every(
    ("word", "planned", "needed", "outcome"),
    [
        ("P", 0, 0, "passed"),
        ("PFP", 0, 0, "failed"),
        ("PFP", 3, 2, "passed"),
        ("PFF", 3, 2, "failed"),
        ("FFP", 3, 1, "passed"),
        ("PP", 3, 2, "passed"),
        ("P", 3, 2, "not_run"),
        ("PF", 3, 2, "not_run"),
        ("N", 0, 0, "not_run"),
        ("PPN", 3, 2, "passed"),
        ("PON", 3, 2, "error"),
        ("F", 3, 3, "failed"),
        ("POP", 3, 2, "passed"),
        ("FOF", 3, 2, "failed"),
        ("POF", 3, 2, "error"),
        ("PIF", 3, 2, "inconclusive"),
        ("PIO", 3, 2, "error"),
        ("PUP", 3, 2, "passed"),
        ("OP", 0, 0, "error"),
        ("OF", 0, 0, "failed"),
        ("PAP", 3, 2, "error"),
        ("PWP", 3, 1, "error"),
        ("I", 0, 0, "inconclusive"),
    ],
)
def test_verdicts(word: str, planned: int, needed: int, outcome: str) -> None:
    for order in (word, word[::-1]):
        assert verdict(trials(order, planned, needed)) == outcome


@pytest.mark.parametrize(
    ("word", "counting"), [("POP", "PP"), ("FIF", "FF"), ("POF", "POF"), ("PAP", "PAP"), ("P", "P")]
)
def test_what_was_lost_does_not_count_where_the_others_decide(word: str, counting: str) -> None:
    planned = len(word)
    counted = counted_trials(trials(word, planned, planned // 2 + 1))
    assert counted == trials(counting, planned, planned // 2 + 1)


@pytest.mark.parametrize(
    ("word", "needed", "count"),
    [("PFPFP", 3, 5), ("PPP", 3, 3), ("FFF", 3, 3), ("PFPP", 3, 3), ("PPF", 5, 1), ("FP", 1, 1)],
)
def test_a_sample_that_stopped_early_has_its_first_trials(
    word: str, needed: int, count: int
) -> None:
    item = [
        {**record, "id": "a", "trial": n} for n, record in enumerate(trials(word, 5, needed), 1)
    ]
    other = {"id": "b", "trial": 1, "outcome": "passed"}
    assert fair_sample([*item, other]) == [*item[:count], other]


def test_a_user_fault_is_shown_by_its_name_also_of_older_records() -> None:
    old = {"outcome": "inconclusive", "reason": "inconclusive: it failed after the user lied"}
    assert outcome_words("inconclusive") == "user fault"
    assert reason_words(old) == "user fault: it failed after the user lied"
    assert reason_words({**old, "reason": None}) == "user fault"
    assert reason_words({"outcome": "error", "reason": "no key"}) == "no key"
