"""Fitted pass rates, intervals of their mean, and results after several looks."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest
from gate_samples import sample
from hypothesis import given, settings, strategies as st

from pytest_toolsandbox.gate.rates import (
    Look,
    Passes,
    chance_of_more,
    interval_of_others,
    suite_interval,
)
from pytest_toolsandbox.gate.samples import ALL, estimates, pass_at, pass_hat

COUNTS = st.integers(2, 8).flatmap(lambda n: st.builds(Passes, st.integers(0, n), st.just(n)))


@settings(max_examples=40)
@given(st.lists(COUNTS, min_size=2, max_size=20))
def test_the_rate_lies_between_its_bounds(passes: list[Passes]) -> None:
    rate = sum(pass_counts.passed / pass_counts.trials for pass_counts in passes) / len(passes)
    for interval in (suite_interval(passes), interval_of_others(passes)):
        assert interval is not None
        assert -1e-9 <= interval.low <= rate + 1e-9
        assert rate - 1e-9 <= interval.high <= 1 + 1e-9


def test_one_trial_each_says_nothing_of_these_scenarios_alone() -> None:
    assert suite_interval([Passes(1, 1), Passes(0, 1)]) is None
    assert interval_of_others([Passes(1, 1)]) is None


def test_these_scenarios_are_known_better_than_scenarios_like_these() -> None:
    passes = [Passes(10, 10)] * 10 + [Passes(0, 10)] * 10
    suite, interval = suite_interval(passes), interval_of_others(passes)
    assert suite is not None
    assert interval is not None
    assert interval.high - interval.low > 5 * (suite.high - suite.low)


def test_with_one_trial_each_it_is_wilsons_interval_with_students_quantile() -> None:
    from scipy import stats

    passes = [Passes(1, 1)] * 14 + [Passes(0, 1)] * 6
    z = stats.t.ppf(0.975, 19)
    interval = interval_of_others(passes)
    size = 19  # the variance of a sample of 20 is that of 19 trials
    middle = (0.7 + z * z / (2 * size)) / (1 + z * z / size)
    half = z * np.sqrt(0.21 / size + z * z / (4 * size * size)) / (1 + z * z / size)
    assert interval == pytest.approx((middle - half, middle + half))


@pytest.mark.parametrize("which", ["suite", "others"])
def test_intervals_hold_the_truth_as_often_as_they_say(which: str) -> None:
    draw = np.random.Generator(np.random.PCG64(11))
    held = 0
    for _ in range(400):
        rates = draw.beta(2, 1, 40)
        passes = [Passes(int(c), 4) for c in draw.binomial(4, rates)]
        if which == "suite":
            interval, truth = suite_interval(passes), float(rates.mean())
        else:
            interval, truth = interval_of_others(passes), 2 / 3
        assert interval is not None
        held += interval.low <= truth <= interval.high
    assert abs(held / 400 - 0.95) <= 3 * 0.011


def test_pass_hat_and_pass_at() -> None:
    """Of four trials three passed: of the six pairs three passed whole, and none failed whole."""
    assert (pass_hat(Passes(3, 4), 2), pass_at(Passes(3, 4), 2)) == (0.5, 1)
    assert pass_at(Passes(1, 4), 2) == 0.5


def test_estimates_of_a_run() -> None:
    (last,) = estimates(sample({"a": "++", "b": "+-", "c": "--?"}, categories=("light",)))
    assert last.name == ALL  # one category and one world are all scenarios
    assert (last.scenarios, last.trials, last.flips) == (3, 2, 1)
    assert (last.rate, last.always, last.ever) == pytest.approx((0.5, 1 / 3, 2 / 3))


def test_a_category_that_is_not_all_has_a_row() -> None:
    both = sample({"a": "++"}, categories=("light",))
    other = sample({"b": "--"}, categories=("dark",))
    mixed = estimates(type(both)({**both.scenarios, **other.scenarios}, ()))
    assert [(row.name, row.rate) for row in mixed] == [("dark", 0), ("light", 1), (ALL, 0.5)]


LOOKS = [Look(1, -0.02, 0.06), Look(2, 0.0, 0.05), Look(3, 0.01, 0.04)]
SPREADS = [(0.0002 + 0.0008 / trials) ** 0.5 for trials in (1, 2, 3, 5)]


def drawn_share_of_more(rate: float, truth: float, looks: int) -> float:
    """Return how many of many runs came out larger, which were played trial by trial."""
    draw = np.random.Generator(np.random.PCG64(1))
    runs = 200_000
    before = draw.normal(0, 0.0002**0.5, (runs, 1))
    trials = draw.normal(0, 0.0008**0.5, (runs, 5))
    drops = truth + before + (trials.cumsum(axis=1) / np.arange(1, 6))[:, [0, 1, 2, 4]]
    goes_on, more = np.ones(runs, bool), np.zeros(runs, bool)
    for look, drop in zip(LOOKS[:looks], drops.T, strict=False):
        more |= goes_on & (drop >= look.high)
        goes_on &= (look.low < drop) & (drop < look.high)
    return float((more | (goes_on & (drops[:, looks] >= rate))).mean())


@pytest.mark.parametrize("looks", [1, 2, 3])
@pytest.mark.parametrize(("rate", "truth"), [(0.02, 0.0), (0.03, 0.05), (0.015, 0.02)])
def test_runs_that_are_drawn_come_out_as_often(rate: float, truth: float, looks: int) -> None:
    spreads = [np.array([spread]) for spread in SPREADS[: looks + 1]]
    (chance,) = chance_of_more(rate, np.array([truth]), spreads, LOOKS[:looks])
    assert chance == pytest.approx(drawn_share_of_more(rate, truth, looks), abs=0.004)


def test_without_an_earlier_look_it_is_a_normal_distribution() -> None:
    truths, spread = np.array([-0.1, 0.0, 0.1]), np.array([0.05, 0.05, 0.0])
    usual = NormalDist(0, 0.05)
    assert chance_of_more(0.02, truths, [spread]) == pytest.approx(
        [1 - usual.cdf(0.12), 1 - usual.cdf(0.02), 1.0]
    )


def test_a_larger_truth_is_likelier_to_give_more() -> None:
    truths = np.linspace(-0.5, 0.5, 101)
    spreads = [np.full(101, spread) for spread in SPREADS]
    chances = chance_of_more(0.02, truths, spreads, LOOKS)
    assert (np.diff(chances) >= -1e-6).all()
    assert chances[[0, -1]] == pytest.approx([0, 1], abs=1e-6)
