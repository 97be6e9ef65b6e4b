"""The gate on trials between which nothing changed."""

from __future__ import annotations

import pytest
from gate_samples import sample

from pytest_toolsandbox.gate.permutation import Stratum
from pytest_toolsandbox.gate.plan import drop_seen
from pytest_toolsandbox.gate.self_test import self_test

MIXED = {f"s{n:02}": "+" * 10 if n % 3 else "+++++-----" for n in range(40)}


def test_false_alarms_are_as_rare_as_they_should_be() -> None:
    test = self_test(sample(MIXED), draws=300)
    assert test.scenarios == 40
    assert sum(test.shares.values()) == pytest.approx(1)
    assert test.shares["worse"] <= 0.05 + 3 * 0.0126
    assert test.shares["worse"] + test.shares["better"] > 0


def test_the_same_trials_always_say_the_same() -> None:
    assert self_test(sample(MIXED), draws=20) == self_test(sample(MIXED), draws=20)


def test_more_trials_see_smaller_drops() -> None:
    seen = self_test(sample(MIXED), draws=1).seen
    drops = [drop for drop in seen.values() if drop is not None]
    assert drops == sorted(drops, reverse=True)
    assert len(drops) == 4


def test_the_drop_that_is_seen_is_that_of_the_simulations() -> None:
    """129 scenarios, 10 trials in the baseline and 3 now: 4.1 points were simulated."""
    kinds = [Stratum(10, 10, 0, 1)] * 71 + [Stratum(1, 10, 0, 1)] * 26
    coins = [Stratum(passed, 10, 0, 1) for passed in (2, 3, 4, 5, 5, 6, 7, 8)] * 4
    drop = drop_seen(kinds + coins, 3)
    assert drop == pytest.approx(0.041, abs=0.01)


def test_a_suite_that_never_passes_can_get_no_worse() -> None:
    assert drop_seen([Stratum(0, 10, 0, 1)] * 20, 3) is None


def test_a_single_trial_has_no_halves() -> None:
    with pytest.raises(ValueError, match="no scenario has two trials"):
        self_test(sample({"a": "+"}))
