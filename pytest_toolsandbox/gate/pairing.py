"""Pair two samples by scenario, and estimate the mean drop of the pass rate between them.

:func:`pair` determines which scenarios can be compared, and which cannot.

:class:`DropModel` inverts a test of "the drop is ``size``" to get an interval. The test needs the
spread of the observed drop if the true drop is ``size``. The spread at the observed drop would be
biased, since chance makes both small at once. The distribution of pass rates over scenarios is
fitted to the trials of both samples (maximum likelihood over a grid of rates). Each rate is then
moved in log-odds, up before and down after, until the mean drop is ``size``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import fsum, sqrt
from statistics import NormalDist, fmean
from typing import TYPE_CHECKING, Final, NamedTuple

from pytest_toolsandbox.text.formatting import join_words

from .permutation import Stratum, Tails, exchanged_labels, mean_drop
from .rates import Interval, Look, bound, chance_of_more, fitted_rates, last_admitted, moved_rates
from .samples import Result, Sample, SampledScenario

if TYPE_CHECKING:
    from .rates import Floats


_QUANTILES: Final = [NormalDist().inv_cdf((place + 0.5) / 20) for place in range(20)]
"""Equally likely values of a normal distribution."""
_TINY: Final = 1e-9
"""The spread of a drop that has none."""


class Plan(NamedTuple):
    """How many scenarios like these are played, and how many trials of each."""

    scenarios: int
    trials: int


class DropModel:
    """The spread of the mean drop of a suite, for every true drop."""

    def __init__(self, strata: Sequence[Stratum]) -> None:
        self.strata = strata
        self.observed = mean_drop(strata)

    @cached_property
    def _step(self) -> float:
        """The continuity correction: half of the smallest step, one passed trial less."""
        finest = max(max(stratum.trials, stratum.trials_before) for stratum in self.strata)
        return 0.5 / (len(self.strata) * finest)

    @cached_property
    def _rates(self) -> tuple[Floats, Floats]:
        """The numbers of trials before and after, and the fitted rates of their scenarios."""
        return fitted_rates(
            (stratum.passes, stratum.trials_before, stratum.trials) for stratum in self.strata
        )

    def spread(self, size: float, trials: int | None = None) -> float:
        """Return the standard deviation of the observed drop if the true drop is ``size``.

        ``trials`` is the number of trials per scenario of the candidate, instead of its own.
        """
        apart = last_admitted(lambda moves: self._at(moves)[0] >= size)
        return float(self._at(apart, trials)[1][0])

    def _at(self, apart: Floats, trials: int | None = None) -> tuple[Floats, Floats]:
        """Return true drops and their spreads for rates that differ by ``apart`` in log-odds.

        The sample with fewer trials, about which less is known, moves farther.
        """
        import numpy as np

        designs, shares = self._rates
        before, after = designs.T[:, :, None]
        # The larger sample is better known, so it moves less.
        up = after / (before + after) * apart[:, None, None]
        old, new = moved_rates(up), moved_rates(up - apart[:, None, None])
        variances = shares * (old * (1 - old) / before + new * (1 - new) / (trials or after))
        drops = (shares * (old - new)).sum(axis=(1, 2))
        return drops, np.sqrt(variances.sum(axis=(1, 2)) / len(self.strata))

    def excludes(self, size: float, level: float) -> bool:
        """Return whether the true drop is significantly smaller than ``size``, at that level."""
        z = NormalDist().inv_cdf(1 - level)
        # The drop has discrete values: without the correction, a drop just below the bound is
        # excluded too often.
        room = size - self.observed - self._step
        return room > 0 and room > z * self.spread(size)

    def decides(self, margin: float, plan: Plan, levels: tuple[float, float], power: float) -> bool:
        """Return whether a plan would exclude no drop, or the margin, with this power.

        Each test has its own level. The true drop is as likely as the observed one and its spread
        say: a few trials leave open whether it is in between, where many more are needed.
        """
        shrinks = sqrt(len(self.strata) / plan.scenarios)
        # As in ``excludes``, half a step is added, since the drop has discrete values.
        half_a_step = 0.5 / (plan.scenarios * plan.trials)
        known, luck = (self.spread(self.observed, n) for n in (None, plan.trials))
        excluded = [
            NormalDist().inv_cdf(1 - level) * shrinks * self.spread(at, plan.trials) + half_a_step
            for level, at in zip(levels, (0, margin), strict=True)
        ]
        chance = fmean(
            min(1.0, sum(NormalDist(room, shrinks * luck or _TINY).cdf(0.0) for room in rooms))
            for drop in (self.observed + known * z for z in _QUANTILES)
            for rooms in [(excluded[0] - drop, drop + excluded[1] - margin)]
        )
        return chance >= power

    def interval(self, level: float = 0.05, looks: Sequence[Look] = ()) -> Interval:
        """Return both bounds, each of which errs in half of ``level`` of the runs, on average.

        ``looks`` are earlier looks that continued. Unlike :meth:`excludes`, there is no continuity
        correction: with one trial on each side, the interval would hold the truth in 98 of 100 runs
        instead of in 95.
        """

        def at(moves: Floats) -> tuple[Floats, Floats]:
            drops, last = self._at(moves)
            spreads = [*(self._at(moves, look.trials)[1] for look in looks), last]
            return drops, chance_of_more(self.observed, drops, spreads, looks)

        return Interval(bound(at, self.observed, level, -1), bound(at, self.observed, level, 1))

    def looks_before(self, margin: float, spent: Mapping[int, Sequence[float]]) -> list[Look]:
        """Return the bounds between which earlier looks continued, given the levels they spent.

        These are trials → the level of "worse" and "better", and that of "no worse". A look at
        which every drop would have ended the run has no information, and is left out.
        """
        looks = [self._look(trials, margin, *levels) for trials, levels in spent.items()]
        return [look for look in looks if look.low < look.high]

    def _look(self, trials: int, margin: float, worse: float, no_worse: float) -> Look:
        # The look continues between the bounds of "better" and "no worse" below, and that of
        # "worse" above.
        high = NormalDist().inv_cdf(1 - worse) * self.spread(0.0, trials)
        room = NormalDist().inv_cdf(1 - no_worse) * self.spread(margin, trials)
        return Look(trials, max(-high, margin - self._step - room), high)


class IncomparableError(Exception):
    """The sample cannot be compared with the baseline; the text is the difference, in a line."""


@dataclass(frozen=True)
class Pairing:
    """Two samples, scenario by scenario.

    ``changed`` scenarios have another task or world than before, ``new`` ones are only in the
    candidate, ``absent`` ones only in the baseline; ``quarantined`` ones are excluded.
    """

    baseline: Sample
    candidate: Sample
    strata: Mapping[str, Stratum]
    changed: Sequence[str]
    new: Sequence[str]
    absent: Sequence[str]
    quarantined: Sequence[str]
    missing: float
    """The share of the candidate's trials that were lost or never played, from 0 to 1."""

    @cached_property
    def further(self) -> Mapping[str, Stratum]:
        """The further trials that confirm whether scenarios broke, with those of the baseline."""
        old, new = self.baseline.scenarios, self.candidate.scenarios
        played = {name: new[name].further for name in self.strata if new[name].further}
        return {name: _stratum(old[name].all_results, results) for name, results in played.items()}

    @cached_property
    def model(self) -> DropModel:
        """The spread of the drop."""
        return DropModel(list(self.strata.values()))

    @cached_property
    def tails(self) -> Tails:
        """The probabilities of such a drop of this suite if nothing changed."""
        return exchanged_labels(self.model.strata)

    @cached_property
    def groups(self) -> Mapping[str, list[Stratum]]:
        """Category, augmentation, world, agent or prompt → its scenarios, unless these are all."""
        groups: dict[str, list[Stratum]] = {}
        for name, stratum in self.strata.items():
            for group in self.candidate.scenarios[name].groups:
                groups.setdefault(group, []).append(stratum)
        return {
            name: groups[name] for name in sorted(groups) if len(groups[name]) < len(self.strata)
        }

    @cached_property
    def critical(self) -> list[str]:
        """The critical scenarios, each of which fails the gate alone."""
        return [name for name in self.strata if self.candidate.scenarios[name].critical]


def pair(baseline: Sample, candidate: Sample, expected: Sequence[str] = ()) -> Pairing:
    """Return the pairing of two samples; ``expected`` scenarios should be in the candidate.

    Raises :class:`IncomparableError` if the candidate was played under other conditions.
    """
    if differences := _other_conditions(baseline, candidate):
        raise IncomparableError("; ".join(differences))
    old, new = baseline.scenarios, candidate.scenarios
    # The candidate decides: a baseline is older than a quarantine.
    out = sorted(name for name in new if new[name].quarantined)
    both = [name for name in sorted(old.keys() & new.keys()) if name not in out]
    same = [name for name in both if old[name].digest == new[name].digest]
    strata = {
        name: _stratum(old[name].all_results, new[name].all_results)
        for name in same
        if new[name].results
    }
    return Pairing(
        baseline,
        candidate,
        strata,
        changed=[name for name in both if new[name].digest not in ("", old[name].digest)],
        new=sorted(new.keys() - old.keys() - {*out}),
        absent=sorted(old.keys() - new.keys()),
        quarantined=out,
        missing=_missing({*expected, *new} - {*out}, new),
    )


def _stratum(before: Sequence[Result], after: Sequence[Result]) -> Stratum:
    return Stratum(
        sum(result.passed for result in before),
        len(before),
        sum(result.passed for result in after),
        len(after),
    )


def _missing(expected: set[str], played: Mapping[str, SampledScenario]) -> float:
    shares = [
        scenario.lost / max(1, scenario.lost + len(scenario.all_results))
        if (scenario := played.get(name))
        else 1.0
        for name in expected
    ]
    # The mean over scenarios, as the drop is: each scenario has the same weight.
    return fsum(shares) / len(shares) if shares else 0.0


_CONDITIONS: Final = {
    "user": "the user",
    "call_format": "calls",
    "feedback": "feedback",
    "judge": "the judge",
}


def _other_conditions(baseline: Sample, candidate: Sample) -> list[str]:
    """Return the differences in conditions, which could explain a drop instead of the agent."""
    old = [conditions for run in baseline.runs for conditions in run.conditions]
    new = [conditions for run in candidate.runs for conditions in run.conditions]
    differences = []
    for field, what in _CONDITIONS.items():
        before = sorted({getattr(conditions, field) for conditions in old})
        # A condition that is unknown in the baseline cannot differ.
        changed = sorted({getattr(conditions, field) for conditions in new} - {*before})
        if changed and before:
            differences.append(
                f"{what}: {join_words(changed, 'and')} here, {join_words(before, 'and')} there"
            )
    return differences
