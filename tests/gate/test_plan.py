"""What a gate can tell of suites of several sizes."""

from __future__ import annotations

from random import Random

import pytest
from gate_samples import sample

from pytest_toolsandbox.gate.pairing import pair
from pytest_toolsandbox.gate.permutation import Stratum
from pytest_toolsandbox.gate.plan import BASELINE_TRIALS, reaches, remedy, remedy_of, usual_rates
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


def test_each_remedy_is_enough_and_not_much_more_than_that() -> None:
    strata = [Stratum(passed, 10, 0, 1) for passed in (10, 10, 10, 9, 9, 8, 7, 5, 4, 0)]
    lacks = remedy(strata, 5, 0.1)
    assert lacks is not None
    assert lacks.margin is not None
    assert lacks.trials is not None
    assert lacks.scenarios is not None
    assert remedy(strata, 5, lacks.margin) is None
    assert remedy(strata, 5, lacks.margin - 0.01) is not None
    assert remedy(strata, lacks.trials, 0.1) is None
    assert remedy(strata * (lacks.scenarios // 10 + 1), 5, 0.1) is None
    assert remedy(strata * (lacks.scenarios // 10 - 1), 5, 0.1) is not None


def test_no_margin_is_no_question_of_trials_or_scenarios() -> None:
    lacks = remedy([Stratum(8, 10, 0, 1)] * 20, 5, 0.0)
    assert lacks is not None
    assert (lacks.trials, lacks.scenarios) == (None, None)


def test_as_many_scenarios_as_a_plan_proposes_are_enough() -> None:
    """Of a usual suite: a larger one has its own rates, not more of the same few."""
    needed = {size: remedy_of(usual_rates(size), 0.05) for size in (1, 10, 30)}
    (enough,) = {lacks.scenarios for lacks in needed.values() if lacks}
    assert enough is not None
    for size, is_enough in ((enough, True), (enough - 1, False)):
        (reach,) = reaches(usual_rates(size), [10])
        assert ((reach.margin or 1) <= 0.05) is is_enough
    assert remedy_of(usual_rates(enough), 0.05) is None


def test_no_number_of_scenarios_is_proposed_if_none_is_enough() -> None:
    lacks = remedy_of(usual_rates(30), 0.0005)
    assert lacks is not None
    assert (lacks.trials, lacks.scenarios) == (None, None)
    assert lacks.margin is not None
