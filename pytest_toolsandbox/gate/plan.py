"""Plan a gate: what can be told with so many scenarios and trials, before anything is played."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from math import ceil, sqrt
from statistics import NormalDist, fmean
from typing import Final, NamedTuple

from .distributions import beta_1_12, beta_2_2, beta_25_1
from .pairing import DropModel
from .permutation import Stratum
from .samples import Sample
from .verdict import FIXED, MOST_TRIALS, least_size

TRIALS: Final = (1, 2, 3, 5, 10)
"""The planned numbers of trials of each scenario."""
BASELINE_TRIALS: Final = 10
"""The trials of each scenario in the planned baseline: those of ten nights."""
_POWER: Final = 0.8
_HALVINGS: Final = 20
_ALIKE: Final = 200
"""Scenarios from which on a larger usual suite has more of the same."""
_LARGEST: Final = 0.5
"""The largest margin that is considered."""
_USUAL: Final = ((0.55, beta_25_1), (0.2, beta_1_12), (0.25, beta_2_2))
"""Usual pass rates of a suite: the share of each group, and the quantiles of its distribution.

About half of the scenarios nearly always pass, some hardly ever do, the others are open.
"""


class Reach(NamedTuple):
    """What a number of trials can tell in four of five runs; ``None`` if it cannot.

    ``drop`` is the smallest drop of the pass rate that is "worse", ``margin`` the smallest margin
    at which a run without a change is "no worse".
    """

    trials: int
    drop: float | None
    margin: float | None


class Remedy(NamedTuple):
    """What would tell "no worse" in four of five runs without a change; ``None`` if nothing would.

    Either a ``margin``, or this number of ``trials`` of each scenario, or of ``scenarios`` like
    these, with the planned trials.
    """

    margin: float | None
    trials: int | None
    scenarios: int | None


def usual_rates(scenarios: int) -> list[float]:
    """Return the pass rates of a usual suite of this size, as quantiles without chance."""
    rates: list[float] = []
    done = 0.0
    for share, quantile in _USUAL:
        done += share
        count = round(scenarios * done) - len(rates)
        middles = [(place + 0.5) / count for place in range(count)]
        rates += map(quantile, middles)
    return rates


def rates_of(sample: Sample) -> list[float]:
    """Return the pass rates of the scenarios of a sample that have results."""
    results = (scenario.all_results for scenario in sample.scenarios.values())
    return [sum(result.passed for result in some) / len(some) for some in results if some]


def reaches(rates: Sequence[float], trials: Iterable[int] = TRIALS) -> list[Reach]:
    """Return what each number of trials can tell of scenarios with these pass rates."""
    return [_reach(rates, count) for count in trials]


def remedy_of(rates: Sequence[float], margin: float) -> Remedy | None:
    """Return what would tell "no worse" at a margin if the most planned trials do not.

    A larger usual suite has usual rates too; what is like other scenarios has their rates.
    """
    most, size = TRIALS[-1], len(rates)
    lacks = remedy(_strata(rates, most), most, margin)
    if lacks is None or list(rates) != usual_rates(size):
        return lacks

    @cache
    def model(scenarios: int) -> DropModel:
        return DropModel(_strata(usual_rates(scenarios), most))

    def is_enough(scenarios: int) -> bool:
        return _tells_no_worse(model(min(scenarios, _ALIKE)), margin, most, scenarios)

    return lacks._replace(scenarios=least_size(is_enough, size))


def _strata(rates: Sequence[float], trials: int) -> list[Stratum]:
    return [
        Stratum(round(BASELINE_TRIALS * rate), BASELINE_TRIALS, round(trials * rate), trials)
        for rate in rates
    ]


def _reach(rates: Sequence[float], trials: int) -> Reach:
    strata = _strata(rates, trials)
    return Reach(trials, drop_seen(strata, trials), _margin_reached(strata, trials))


def drop_seen(strata: Sequence[Stratum], trials: int) -> float | None:
    """Return the smallest drop that is "worse" in four of five runs, with so many trials each."""
    rates = [stratum.passed_before / stratum.trials_before for stratum in strata]
    played = [
        stratum._replace(passed=round(trials * rate), trials=trials)
        for stratum, rate in zip(strata, rates, strict=True)
    ]
    model = DropModel(played)
    z, reach = NormalDist().inv_cdf(1 - FIXED.worse), NormalDist().inv_cdf(_POWER)
    needed = z * model.spread(0.0)
    half_a_step = 0.5 / (len(strata) * trials)
    return _smallest(
        lambda drop: drop - half_a_step >= needed + reach * model.spread(drop), fmean(rates)
    )


def remedy(strata: Sequence[Stratum], trials: int, margin: float) -> Remedy | None:
    """Return what would tell "no worse" at a margin if so many trials do not; ``None`` if they do.

    ``strata`` have the trials of the baseline; those of the candidate do not count.
    """
    rates = [stratum.passed_before / stratum.trials_before for stratum in strata]
    model = DropModel(
        [
            stratum._replace(passed=round(trials * rate), trials=trials)
            for stratum, rate in zip(strata, rates, strict=True)
        ]
    )
    size = len(strata)
    if _tells_no_worse(model, margin, trials, size):
        return None
    reached = _smallest(lambda wider: _tells_no_worse(model, wider, trials, size), _LARGEST)
    more = range(trials + 1, MOST_TRIALS + 1)
    return Remedy(
        None if reached is None else ceil(reached * 100) / 100,
        next((count for count in more if _tells_no_worse(model, margin, count, size)), None),
        least_size(lambda larger: _tells_no_worse(model, margin, trials, larger), size),
    )


def _margin_reached(strata: Sequence[Stratum], trials: int) -> float | None:
    model = DropModel(strata)
    return _smallest(lambda margin: _tells_no_worse(model, margin, trials, len(strata)), _LARGEST)


def _tells_no_worse(model: DropModel, margin: float, trials: int, scenarios: int) -> bool:
    """Return whether a run without a change is "no worse" in four of five cases."""
    z, reach = NormalDist().inv_cdf(1 - FIXED.no_worse), NormalDist().inv_cdf(_POWER)
    shrinks = sqrt(len(model.strata) / scenarios)
    # Half a step for the test and half for the observed drop, which both have discrete values.
    luck = reach * shrinks * model.spread(0.0, trials) + 1 / (scenarios * trials)
    return margin - luck >= z * shrinks * model.spread(margin, trials)


def _smallest(is_enough: Callable[[float], bool], largest: float) -> float | None:
    """Return the smallest number that is enough, ``None`` if the largest one is not."""
    low, high = 0.0, largest
    if not is_enough(high):
        return None
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high
