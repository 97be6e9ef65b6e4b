"""The order of results that were looked at several times, against results that are drawn."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest

from pytest_toolsandbox.gate.rates import Look, chance_of_more

LOOKS = [Look(1, -0.02, 0.06), Look(2, 0.0, 0.05), Look(3, 0.01, 0.04)]
SPREADS = [(0.0002 + 0.0008 / trials) ** 0.5 for trials in (1, 2, 3, 5)]


def drawn_share_of_more(found: float, truth: float, looks: int) -> float:
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
    return float((more | (goes_on & (drops[:, looks] >= found))).mean())


@pytest.mark.parametrize("looks", [1, 2, 3])
@pytest.mark.parametrize(("found", "truth"), [(0.02, 0.0), (0.03, 0.05), (0.015, 0.02)])
def test_runs_that_are_drawn_come_out_as_often(found: float, truth: float, looks: int) -> None:
    spreads = [np.array([one]) for one in SPREADS[: looks + 1]]
    (chance,) = chance_of_more(found, np.array([truth]), spreads, LOOKS[:looks])
    assert chance == pytest.approx(drawn_share_of_more(found, truth, looks), abs=0.004)


def test_without_an_earlier_look_it_is_a_normal_distribution() -> None:
    truths, spread = np.array([-0.1, 0.0, 0.1]), np.array([0.05, 0.05, 0.0])
    usual = NormalDist(0, 0.05)
    assert chance_of_more(0.02, truths, [spread]) == pytest.approx(
        [1 - usual.cdf(0.12), 1 - usual.cdf(0.02), 1.0]
    )


def test_a_larger_truth_is_likelier_to_give_more() -> None:
    truths = np.linspace(-0.5, 0.5, 101)
    spreads = [np.full(101, one) for one in SPREADS]
    chances = chance_of_more(0.02, truths, spreads, LOOKS)
    assert (np.diff(chances) >= -1e-6).all()
    assert chances[[0, -1]] == pytest.approx([0, 1], abs=1e-6)
