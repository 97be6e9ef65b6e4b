"""Exact tests of suites and scenarios, and their corrections for many tests."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import prod

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from pytest_toolsandbox.gate.permutation import (
    Stratum,
    discoveries,
    exchanged_labels,
    exchanged_scores,
    flipped_signs,
    holm,
    mean_drop,
    scenario_test,
    smallest,
)

COUNTS = st.integers(1, 3).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
STRATA = st.builds(lambda a, b: Stratum(*a, *b), COUNTS, COUNTS)


def exchanges(stratum: Stratum) -> Iterator[Fraction]:
    """Yield the drop of a scenario for every way to choose which trials are the candidate's."""
    results = [1] * stratum.passes + [0] * (stratum.trials_before + stratum.trials - stratum.passes)
    for chosen in itertools.combinations(range(len(results)), stratum.trials):
        passed = sum(results[place] for place in chosen)
        before = Fraction(stratum.passes - passed, stratum.trials_before)
        yield before - Fraction(passed, stratum.trials)


@given(st.lists(STRATA, min_size=1, max_size=3))
def test_all_exchanges_one_by_one_say_the_same(strata: list[Stratum]) -> None:
    seen_drop = sum(
        Fraction(s.passed_before, s.trials_before) - Fraction(s.passed, s.trials) for s in strata
    )
    drops = [sum(ones) for ones in itertools.product(*map(exchanges, strata))]
    worse = sum(drop >= seen_drop for drop in drops) / len(drops)
    better = sum(drop <= seen_drop for drop in drops) / len(drops)
    assert exchanged_labels(strata) == pytest.approx((worse, better))


@given(st.lists(STRATA, min_size=1, max_size=5))
def test_all_signs_one_by_one_say_the_same(strata: list[Stratum]) -> None:
    drops = [
        Fraction(s.passed_before, s.trials_before) - Fraction(s.passed, s.trials) for s in strata
    ]
    sums = [
        sum(drop * sign for drop, sign in zip(drops, signs, strict=True))
        for signs in itertools.product((1, -1), repeat=len(drops))
    ]
    worse = sum(total >= sum(drops) for total in sums) / len(sums)
    better = sum(total <= sum(drops) for total in sums) / len(sums)
    assert flipped_signs(strata) == pytest.approx((worse, better))


@given(st.lists(STRATA, min_size=1, max_size=6))
def test_the_order_of_scenarios_does_not_matter(strata: list[Stratum]) -> None:
    mixed = sorted(strata)
    assert exchanged_labels(strata) == pytest.approx(exchanged_labels(mixed))
    assert mean_drop(strata) == pytest.approx(mean_drop(mixed))


def test_byte_identical_agents_are_neither_worse_nor_better() -> None:
    same = [Stratum(3, 3, 3, 3), Stratum(0, 10, 0, 1)] * 40
    assert exchanged_labels(same) == (1, 1)


def test_many_different_numbers_of_trials_are_rounded_and_stay_exact() -> None:
    """The chance of a result is at most ``p`` to have a chance of ``p`` or less."""
    numbers = [(7, 11), (13, 9)]
    chances: list[tuple[float, float]] = []
    for passes in itertools.product((4, 9, 15), repeat=2):
        whole = 0.0
        for outcomes in itertools.product(
            *(_possible(p, *n) for p, n in zip(passes, numbers, strict=True))
        ):
            strata = [
                Stratum(p - k, before, k, after)
                for p, (k, _), (before, after) in zip(passes, outcomes, numbers, strict=True)
            ]
            share = prod(chance for _, chance in outcomes)
            chances.append((exchanged_labels(strata).worse, share / 9))
            whole += share
        assert whole == pytest.approx(1)
    for level in (0.01, 0.05, 0.2):
        assert sum(share for chance, share in chances if chance <= level) <= level


def _possible(passes: int, before: int, after: int) -> list[tuple[int, float]]:
    from pytest_toolsandbox.gate.permutation import hypergeometric

    least, chances = hypergeometric(passes, before, after)
    return list(enumerate(chances, least))


def as_scores(stratum: Stratum) -> tuple[Sequence[float], Sequence[float]]:
    before = [1.0] * stratum.passed_before + [0.0] * (stratum.trials_before - stratum.passed_before)
    after = [1.0] * stratum.passed + [0.0] * (stratum.trials - stratum.passed)
    return before, after


def test_scores_of_0_and_1_are_passes_and_failures() -> None:
    strata = [Stratum(3, 4, 1, 3), Stratum(5, 5, 3, 5), Stratum(1, 2, 2, 2)]
    before, after = zip(*map(as_scores, strata), strict=True)
    assert exchanged_scores(before, after) == pytest.approx(exchanged_labels(strata), abs=0.015)


def test_scores_that_fall_while_nothing_passes_are_found() -> None:
    before, after = [[0.9, 0.8, 0.9]] * 8, [[0.3, 0.2, 0.1]] * 8
    tails = exchanged_scores(before, after)
    assert tails.worse == 1 / 10_000
    assert exchanged_scores(before, after) == tails
    assert exchanged_scores(after, before) == pytest.approx((1, 1 / 10_000), abs=1e-4)


CHANCES = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@pytest.mark.parametrize("counts", [(10, 10, 0, 1), (9, 10, 1, 3), (5, 5, 5, 5), (0, 4, 3, 3)])
def test_it_is_fishers_exact_test(counts: tuple[int, int, int, int]) -> None:
    stratum = Stratum(*counts)
    failed = stratum.trials_before - stratum.passed_before, stratum.trials - stratum.passed
    table = np.array([[stratum.passed, failed[1]], [stratum.passed_before, failed[0]]])
    expected = [stats.fisher_exact(table, alternative=side)[1] for side in ("less", "greater")]
    assert scenario_test(stratum) == pytest.approx(expected)


def test_no_result_can_be_less_likely_than_the_smallest() -> None:
    assert smallest(Stratum(10, 10, 0, 1)) == pytest.approx((1 / 11, 10 / 11))
    assert smallest(Stratum(3, 3, 3, 3)) == (1, 1)


@given(CHANCES)
def test_all_tests_that_can_find_something_are_benjamini_and_hochbergs(
    chances: list[float],
) -> None:
    adjusted = stats.false_discovery_control(chances)
    expected = {place for place, value in enumerate(adjusted) if value <= 0.1}
    assert discoveries(chances, [0.0] * len(chances)) == expected


def test_a_test_that_can_find_nothing_is_not_one_of_many() -> None:
    chances, able = [0.09, 1.0, 1.0, 1.0], [0.09, 1.0, 1.0, 0.5]
    assert discoveries(chances, [0.0] * 4) == set()
    assert discoveries(chances, able) == {0}
    assert discoveries([0.5], [0.5]) == set()


def test_holm_asks_less_of_each_further_one() -> None:
    assert holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []
