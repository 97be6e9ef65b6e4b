"""The sequential plan: when it stops, and what it spends."""

from __future__ import annotations

from dataclasses import replace

import pytest
from gate_samples import sample, trial

from pytest_toolsandbox.gate.pairing import pair
from pytest_toolsandbox.gate.permutation import Stratum
from pytest_toolsandbox.gate.samples import sample_of
from pytest_toolsandbox.gate.verdict import (
    CONFIRMING,
    FIXED,
    LOOKS,
    SPENT,
    concluded,
    judged,
    looked,
    next_look,
    spent_until,
    to_confirm,
)

TEN = {f"s{number:03}": "+" * 10 for number in range(129)}


def test_what_is_spent_on_worse_is_one_in_twenty_in_all() -> None:
    assert sum(levels.worse for levels in SPENT) == pytest.approx(0.05)
    assert len(LOOKS) == len(SPENT)


def test_between_two_looks_the_last_one_counts() -> None:
    assert [[*spent_until(trials)] for trials in (0, 1, 2, 4, 5, 9)] == [
        *([1], [1], [1, 2], [1, 2, 3]),
        *([1, 2, 3, 5], [1, 2, 3, 5]),
    ]
    assert [*spent_until(5).values()] == [*SPENT]


def test_after_the_first_look_the_interval_is_that_of_a_single_verdict() -> None:
    """A run that went on was neither clearly worse nor clearly as good: its interval knows that."""
    doubtful = TEN | {f"s{n:03}": "+++++-----" for n in range(60)}
    after = {name: "--+" if name < "s050" else "+++" for name in TEN}
    pairing = pair(sample(doubtful), sample(after))
    plain = judged(pairing).interval
    assert looked(pairing, 1).interval == plain
    later = looked(pairing, 3).interval
    assert later != plain
    assert later.low < pairing.model.found < later.high


def test_it_goes_on_until_it_is_decided_or_at_its_end() -> None:
    doubtful = TEN | {f"s{n:03}": "+++++-----" for n in range(40)}
    one = {name: "-" if name < "s022" else "+" for name in TEN}
    verdict = looked(pair(sample(doubtful), sample(one)), 1)
    assert verdict.kind == "inconclusive"
    assert [next_look(verdict, trials) for trials in (1, 2, 3, 5)] == [2, 3, 5, None]


def test_it_stops_where_it_is_decided() -> None:
    verdict = looked(pair(sample(TEN), sample(dict.fromkeys(TEN, "+"))), 1)
    assert (verdict.kind, next_look(verdict, 1)) == ("no worse", None)
    assert next_look(looked(pair(sample(TEN), sample({"other": "+"})), 1), 1) is None


def test_a_look_asks_for_more_than_a_single_verdict() -> None:
    few = TEN | {f"s{n:03}": "+++++-----" for n in range(40)}
    now = {name: "-" if name < "s027" else "+" for name in TEN}
    pairing = pair(sample(few), sample(now))
    assert 0.005 < judged(pairing).tails.worse < 0.05
    assert (judged(pairing).kind, looked(pairing, 1).kind) == ("worse", "inconclusive")


def test_what_was_played_in_rounds_is_concluded_as_its_last_look_was() -> None:
    baseline, now = sample(TEN), sample(dict.fromkeys(TEN, "+-"))
    pairing = pair(baseline, replace(now, rounds=2))
    assert concluded(pairing).levels == looked(pairing, 2).levels == SPENT[1]
    assert concluded(pair(baseline, now)).levels == FIXED


WORSE = {name: "-" if name < "s050" else "+" for name in TEN}


def test_where_the_suite_got_worse_those_are_asked_again_that_may_be_luck() -> None:
    """Of 50 that seem broken as many as cost one trial of each scenario; of none that is sure."""
    verdict = looked(pair(sample(TEN), sample(WORSE)), 1)
    assert (verdict.kind, any(one.is_sure for one in verdict.broken)) == ("worse", True)
    assert to_confirm(verdict) == []
    doubtful = TEN | {f"s{n:03}": "+++++++++-" for n in range(50)}
    verdict = looked(pair(sample(doubtful), sample(WORSE)), 1)
    assert (verdict.kind, any(one.is_sure for one in verdict.broken)) == ("worse", False)
    asked = to_confirm(verdict)
    assert asked == [f"s{number:03}" for number in range(129 // CONFIRMING)]


@pytest.mark.parametrize("before", ["+", "++"])
def test_nothing_is_asked_again_that_could_not_be_told(before: str) -> None:
    """Five failures beside a single pass come in one of six cases."""
    suite = dict.fromkeys(TEN, before)
    verdict = looked(pair(sample(suite), sample(WORSE)), 1)
    assert verdict.kind == "worse"
    assert len(to_confirm(verdict)) == (0 if before == "+" else 129 // CONFIRMING)


def test_nothing_is_asked_again_where_the_suite_is_not_worse() -> None:
    now = dict.fromkeys(TEN, "+") | {"s000": "-"}
    verdict = looked(pair(sample(TEN), sample(now)), 1)
    assert (verdict.kind, [one.id for one in verdict.broken]) == ("no worse", ["s000"])
    assert to_confirm(verdict) == []


def test_further_trials_tell_which_broke_and_change_nothing_else() -> None:
    doubtful = TEN | {f"s{n:03}": "+++++++++-" for n in range(50)}
    plain = looked(pair(sample(doubtful), sample(WORSE)), 1)
    marks = {"s000": "-----", "s001": "--+++"}
    played = [trial(name, mark == "+") for name, marks in WORSE.items() for mark in marks]
    played += [
        trial(name, mark == "+", confirms=True, is_added=True)
        for name, each in marks.items()
        for mark in each
    ]
    found = concluded(pair(sample(doubtful), sample_of(played)))
    assert [one.id for one in found.broken if one.is_sure] == ["s000"]
    assert found.broken[0].further == Stratum(9, 10, 0, 5)
    assert found.strata == plain.strata
    assert (found.kind, found.levels, found.tails) == (plain.kind, plain.levels, plain.tails)
    assert found.pairing.candidate.runs == plain.pairing.candidate.runs
