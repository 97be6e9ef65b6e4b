"""What a gate can tell of suites of several sizes."""

from __future__ import annotations

from random import Random

import pytest
from gate_samples import sample

from pytest_toolsandbox.gate.pairing import pair
from pytest_toolsandbox.gate.plan import BASELINE_TRIALS, reaches, usual_rates
from pytest_toolsandbox.gate.verdict import judged


@pytest.mark.parametrize("size", [1, 7, 30, 129])
def test_usual_rates(size: int) -> None:
    rates = usual_rates(size)
    assert len(rates) == size
    assert all(0 < rate < 1 for rate in rates)


def test_larger_suites_and_more_trials_tell_more() -> None:
    plans = [reaches(usual_rates(size)) for size in (10, 30, 129)]
    for plan in plans:
        for figure in ("drop", "margin"):
            values = [getattr(reach, figure) for reach in plan]
            assert values == sorted(values, reverse=True)
    margins = [plan[0].margin or 1 for plan in plans]
    assert margins == sorted(margins, reverse=True)


def test_a_suite_that_always_passes_needs_few_trials() -> None:
    (reach,) = reaches([1.0] * 30, [1])
    (usual,) = reaches(usual_rates(30), [1])
    assert reach.margin is not None
    assert usual.margin is not None
    assert reach.margin < usual.margin


def test_the_margin_is_reached_in_four_of_five_runs() -> None:
    """Verdicts of simulated runs without a change, at the margin of the plan."""
    rates, trials, random = usual_rates(60), 2, Random(5)  # a fixed seed
    (reach,) = reaches(rates, [trials])

    def played(count: int) -> dict[str, str]:
        passes = (["-+"[random.random() < rate] for _ in range(count)] for rate in rates)
        return {f"s{place}": "".join(each) for place, each in enumerate(passes)}

    kinds = [
        judged(pair(sample(played(BASELINE_TRIALS)), sample(played(trials))), reach.margin).kind
        for _ in range(60)
    ]
    assert kinds.count("no worse") + kinds.count("better") == pytest.approx(48, abs=10)
