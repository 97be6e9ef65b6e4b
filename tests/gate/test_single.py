"""Tests of single scenarios, and what is made of many of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from pytest_toolsandbox.gate.permutation import Stratum, discoveries, holm, scenario_test, smallest

CHANCES = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@pytest.mark.parametrize("one", [(10, 10, 0, 1), (9, 10, 1, 3), (5, 5, 5, 5), (0, 4, 3, 3)])
def test_it_is_fishers_exact_test(one: tuple[int, int, int, int]) -> None:
    stratum = Stratum(*one)
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
