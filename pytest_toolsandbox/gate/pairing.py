"""Pairs two samples by scenario, and bounds the mean drop of the pass rate between them.

:func:`pair` says which scenarios can be compared, which cannot, and why.

:class:`DropModel` inverts a test that the drop is ``size`` to get an interval. The test needs the
spread of the observed drop if the true one is ``size``; the spread at the observed drop would not
do, since luck makes both small at once. The distribution of pass rates over scenarios is fitted to
the trials of both samples (maximum likelihood over a grid of rates). Each rate is then moved in
log-odds, up before and down after, until the mean drop is ``size``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import fsum
from statistics import NormalDist
from typing import TYPE_CHECKING, Final

from pytest_toolsandbox.text.formatting import join_words

from .permutation import Stratum, Tails, exchanged_labels, mean_drop
from .rates import Interval, Look, bound, chance_of_more, fitted_rates, last_admitted, moved_rates
from .samples import Result, Sample, SampledScenario

if TYPE_CHECKING:
    from .rates import Floats


class DropModel:
    """The spread of the mean drop of a suite, for every size that the true drop may have."""

    def __init__(self, strata: Sequence[Stratum]) -> None:
        self.strata = strata
        self.found = mean_drop(strata)

    @cached_property
    def _step(self) -> float:
        """Half of what one trial less that passes adds to the drop: it goes in steps."""
        finest = max(max(stratum.trials, stratum.trials_before) for stratum in self.strata)
        return 0.5 / (len(self.strata) * finest)

    @cached_property
    def _rates(self) -> tuple[Floats, Floats]:
        """Numbers of trials before and after, and how the rates of their scenarios are spread."""
        return fitted_rates(
            (stratum.passes, stratum.trials_before, stratum.trials) for stratum in self.strata
        )

    def spread(self, size: float, trials: int | None = None) -> float:
        """Return the standard deviation of the observed drop where the true one is ``size``.

        ``trials`` is how many the candidate would have of each scenario, instead of those it has.
        """
        apart = last_admitted(lambda moves: self._at(moves)[0] >= size)
        return float(self._at(apart, trials)[1][0])

    def _at(self, apart: Floats, trials: int | None = None) -> tuple[Floats, Floats]:
        """Return true drops, and their spreads, where rates are so far apart in log-odds.

        The sample with fewer trials, of which less is known, moves farther.
        """
        import numpy as np

        designs, shares = self._rates
        before, after = designs.T[:, :, None]
        up = after / (before + after) * apart[:, None, None]
        old, new = moved_rates(up), moved_rates(up - apart[:, None, None])
        variances = shares * (old * (1 - old) / before + new * (1 - new) / (trials or after))
        drops = (shares * (old - new)).sum(axis=(1, 2))
        return drops, np.sqrt(variances.sum(axis=(1, 2)) / len(self.strata))

    def excludes(self, size: float, level: float) -> bool:
        """Whether the true drop is smaller than ``size``, at that level."""
        z = NormalDist().inv_cdf(1 - level)
        room = size - self.found - self._step
        return room > 0 and room > z * self.spread(size)

    def decides(
        self, margin: float, trials: int, levels: tuple[float, float], power: float
    ) -> bool:
        """Whether so many trials would exclude no drop, or the margin, with that power.

        Each has its level. That is if the drop is as it was found.
        """
        reach = NormalDist().inv_cdf(power)
        luck = reach * self.spread(self.found, trials) + 0.5 / (len(self.strata) * trials)
        room = self.found - luck, margin - self.found - luck
        return any(
            r >= NormalDist().inv_cdf(1 - level) * self.spread(at, trials)
            for r, at, level in zip(room, (0, margin), levels, strict=True)
        )

    def interval(self, level: float = 0.05, looks: Sequence[Look] = ()) -> Interval:
        """Return both bounds, each of which is wrong in half of that share of runs, on the mean.

        ``looks`` are earlier ones, after which the run went on. Unlike :meth:`excludes` it allows
        nothing for the steps in which the drop goes: with one trial on each side it would hold the
        truth in 98 of 100 runs instead of in 95.
        """

        def at(moves: Floats) -> tuple[Floats, Floats]:
            drops, last = self._at(moves)
            spreads = [*(self._at(moves, look.trials)[1] for look in looks), last]
            return drops, chance_of_more(self.found, drops, spreads, looks)

        return Interval(bound(at, self.found, level, -1), bound(at, self.found, level, 1))

    def looks_before(self, margin: float, spent: Mapping[int, Sequence[float]]) -> list[Look]:
        """Return between which drops earlier looks went on, by what each spent.

        That is trials → the level of "worse" and "better", and that of "no worse". A look at which
        every drop would have ended the run tells nothing, and is left out.
        """
        looks = [self._look(trials, margin, *levels) for trials, levels in spent.items()]
        return [look for look in looks if look.low < look.high]

    def _look(self, trials: int, margin: float, worse: float, no_worse: float) -> Look:
        high = NormalDist().inv_cdf(1 - worse) * self.spread(0.0, trials)
        room = NormalDist().inv_cdf(1 - no_worse) * self.spread(margin, trials)
        return Look(trials, max(-high, margin - self._step - room), high)


class IncomparableError(Exception):
    """Why a sample is no baseline of another one: the difference, in a line."""


@dataclass(frozen=True)
class Pairing:
    """Two samples, scenario by scenario.

    ``changed`` scenarios have another task or world than before, ``new`` ones are in the candidate
    alone, ``absent`` ones in the baseline alone; ``quarantined`` ones are left out on purpose.
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
        """The trials that were played to see whether a scenario broke, beside the baseline's."""
        old, new = self.baseline.scenarios, self.candidate.scenarios
        played = {name: new[name].further for name in self.strata if new[name].further}
        return {name: _stratum(old[name].all_results, results) for name, results in played.items()}

    @cached_property
    def model(self) -> DropModel:
        """The spread of the drop."""
        return DropModel(list(self.strata.values()))

    @cached_property
    def tails(self) -> Tails:
        """The chance of such a drop on this suite where nothing changed."""
        return exchanged_labels(self.model.strata)

    @cached_property
    def groups(self) -> Mapping[str, list[Stratum]]:
        """Category, augmentation, world, agent or prompt → its scenarios, where not all."""
        groups: dict[str, list[Stratum]] = {}
        for name, stratum in self.strata.items():
            for group in self.candidate.scenarios[name].groups:
                groups.setdefault(group, []).append(stratum)
        return {
            name: groups[name] for name in sorted(groups) if len(groups[name]) < len(self.strata)
        }

    @cached_property
    def critical(self) -> list[str]:
        """The scenarios that gate alone."""
        return [name for name in self.strata if self.candidate.scenarios[name].critical]


def pair(baseline: Sample, candidate: Sample, expected: Sequence[str] = ()) -> Pairing:
    """Return two samples side by side; ``expected`` scenarios should be in the candidate.

    Raises :class:`IncomparableError` where the candidate was played under other conditions.
    """
    if differences := _other_conditions(baseline, candidate):
        raise IncomparableError("; ".join(differences))
    old, new = baseline.scenarios, candidate.scenarios
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
        one.lost / max(1, one.lost + len(one.all_results)) if (one := played.get(name)) else 1.0
        for name in expected
    ]
    return fsum(shares) / len(shares) if shares else 0.0


_CONDITIONS: Final = {
    "user": "the user",
    "call_format": "calls",
    "feedback": "feedback",
    "judge": "the judge",
}


def _other_conditions(baseline: Sample, candidate: Sample) -> list[str]:
    """Return what was played otherwise, so that a difference may not be the agent's."""
    old = [one for run in baseline.runs for one in run.conditions]
    new = [one for run in candidate.runs for one in run.conditions]
    differences = []
    for field, what in _CONDITIONS.items():
        before = sorted({getattr(one, field) for one in old})
        more = sorted({getattr(one, field) for one in new} - {*before})
        if more and before:
            differences.append(
                f"{what}: {join_words(more, 'and')} here, {join_words(before, 'and')} there"
            )
    return differences
