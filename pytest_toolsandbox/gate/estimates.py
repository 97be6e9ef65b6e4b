"""What is known of an agent from a sample: how often it passes, and how surely."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import comb
from statistics import fmean
from typing import NamedTuple

from .played import Cost
from .rates import Interval, Passes, interval_of_others, suite_interval
from .samples import Sample, SampledScenario, mean_costs

ALL = "all scenarios"


class Estimate(NamedTuple):
    """Figures of some scenarios, from 0 to 1 but for counts.

    ``suite`` is the interval of the pass rate of these very scenarios, ``others`` that of scenarios
    like these. ``always`` is the chance to pass ``trials`` times out of as many (pass^k), ``ever``
    to pass at least once (pass@k). ``flips`` counts scenarios that both passed and failed,
    ``costs`` are what a trial took, and ``patterns`` its mistakes of each error pattern, where
    records tell.
    """

    name: str
    scenarios: int
    trials: int
    rate: float
    suite: Interval | None
    others: Interval | None
    score: float
    always: float
    ever: float
    flips: int
    costs: Cost
    patterns: Mapping[str, float]


def pass_hat(one: Passes, k: int) -> float:
    """Return the chance that ``k`` trials out of those there are all passed (pass^k)."""
    return comb(one.passed, k) / comb(one.trials, k)


def pass_at(one: Passes, k: int) -> float:
    """Return the chance that at least one of ``k`` trials passed (pass@k)."""
    return 1 - comb(one.trials - one.passed, k) / comb(one.trials, k)


def estimates(sample: Sample) -> list[Estimate]:
    """Return the figures of every category, augmentation and world, and of all, which come last."""
    groups: dict[str, list[SampledScenario]] = {}
    played = [one for one in sample.scenarios.values() if one.results and not one.quarantined]
    for one in played:
        for name in one.groups:
            groups.setdefault(name, []).append(one)
    parts = [(name, groups[name]) for name in sorted(groups) if len(groups[name]) < len(played)]
    return [estimate(name, ones) for name, ones in (*parts, (ALL, played)) if ones]


def estimate(name: str, scenarios: Sequence[SampledScenario]) -> Estimate:
    """Return the figures of scenarios, each of which has results."""
    results = [one.all_results for one in scenarios]
    passes = [Passes(sum(each.passed for each in ones), len(ones)) for ones in results]
    k = min(one.trials for one in passes)
    return Estimate(
        name,
        scenarios=len(scenarios),
        trials=k,
        rate=fmean(one.passed / one.trials for one in passes),
        suite=suite_interval(passes),
        others=interval_of_others(passes),
        score=fmean(fmean(each.score for each in ones) for ones in results),
        always=fmean(pass_hat(one, k) for one in passes),
        ever=fmean(pass_at(one, k) for one in passes),
        flips=sum(0 < one.passed < one.trials for one in passes),
        costs=mean_costs(one.costs for one in scenarios),
        patterns=_mean_patterns([one.patterns for one in scenarios]),
    )


def _mean_patterns(patterns: Sequence[Mapping[str, float]]) -> dict[str, float]:
    codes = sorted({code for one in patterns for code in one})
    return {code: fmean(one.get(code, 0.0) for one in patterns) for code in codes}
