"""The bounds of the drop: what they must hold to, on suites small enough to be counted out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from pytest_toolsandbox.gate.pairing import DropModel
from pytest_toolsandbox.gate.permutation import Stratum

COUNTS = st.integers(1, 10).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
SUITES = st.lists(st.builds(lambda a, b: Stratum(*a, *b), COUNTS, COUNTS), min_size=2, max_size=20)


@settings(max_examples=40)
@given(SUITES)
def test_the_drop_that_was_found_lies_between_its_bounds(strata: list[Stratum]) -> None:
    model = DropModel(strata)
    low, high = model.interval()
    assert -1 <= low <= model.observed <= high <= 1


@settings(max_examples=40)
@given(SUITES)
def test_turned_around_it_says_the_same(strata: list[Stratum]) -> None:
    around = [Stratum(s.passed, s.trials, s.passed_before, s.trials_before) for s in strata]
    low, high = DropModel(strata).interval()
    assert DropModel(around).interval() == pytest.approx((-high, -low), abs=0.02)


@settings(max_examples=40)
@given(SUITES, st.sampled_from([0.05, 0.1, 0.3]))
def test_what_is_excluded_lies_above_what_was_found(strata: list[Stratum], size: float) -> None:
    model = DropModel(strata)
    larger = [model.excludes(size + more, 0.05) for more in (0, 0.1, 0.2)]
    assert larger == sorted(larger)
    assert model.observed < size or not larger[0]


def test_the_interval_holds_the_truth_with_one_trial_on_each_side_too() -> None:
    draw = np.random.Generator(np.random.PCG64(3))
    rates, held = np.repeat([0.97, 0.5, 0.1], [18, 8, 4]), 0
    for _ in range(600):
        passed = zip(draw.binomial(1, rates), draw.binomial(1, rates), strict=True)
        low, high = DropModel([Stratum(int(a), 1, int(b), 1) for a, b in passed]).interval()
        held += low <= 0 <= high
    assert abs(held / 600 - 0.95) <= 3 * 0.009


@pytest.mark.parametrize(("trials", "is_proof"), [(30, False), (58, False), (75, True)])
def test_passes_alone_prove_no_more_than_their_number_can(trials: int, is_proof: bool) -> None:
    """0.95 to the power of 58 is 0.051: so often 58 trials pass that fail one time in 20."""
    assert DropModel([Stratum(1, 1, 1, 1)] * trials).excludes(0.05, 0.05) is is_proof


def test_more_trials_bring_the_bounds_nearer() -> None:
    strata = [Stratum(9, 10, 1, 1), Stratum(5, 10, 1, 1), Stratum(10, 10, 1, 1)] * 10
    model = DropModel(strata)
    assert model.spread(0.0) > model.spread(0.0, 3) > model.spread(0.0, 10)


def test_at_a_true_drop_of_the_margin_no_worse_is_rare() -> None:
    generator = np.random.Generator(np.random.PCG64(5))
    rates = np.repeat([0.97, 0.5, 0.1], [18, 8, 4])
    after = rates - np.repeat([0.05, 0.06, 0.03], [18, 8, 4])  # 0.05 on the mean
    verdicts = 0
    for _ in range(400):
        passed = zip(generator.binomial(10, rates), generator.binomial(3, after), strict=True)
        verdicts += DropModel([Stratum(int(a), 10, int(b), 3) for a, b in passed]).excludes(
            0.05, 0.05
        )
    assert verdicts / 400 <= 0.05 + 3 * 0.011
