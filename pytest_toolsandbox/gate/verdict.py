"""The verdict of a comparison: worse, no worse, better or inconclusive.

Also the sequential plan: play few trials, look, and go on only if the verdict is inconclusive.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import fmean
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

from .pairing import DropModel, Pairing
from .permutation import (
    FALSE_SHARE,
    Side,
    Stratum,
    Tails,
    changed,
    exchanged_labels,
    exchanged_scores,
    flipped_signs,
    holm,
    mean_drop,
    scenario_test,
    smallest,
)
from .played import parting
from .rates import Interval
from .samples import Sample

Kind = Literal["worse", "no worse", "better", "inconclusive"]
LEVEL: Final = 0.05
"""How often "worse" may be said of an agent that did not change, and "no worse" of one that did."""
_NOMINAL: Final = 0.042
"""The level of the test of "no worse", whose spread is a fit: it is wrong in at most ``LEVEL``."""
_OUTSIDE: Final = 0.06
"""The nominal share of runs in which the drop lies outside of its interval.

The spread is a fit that is right where all rates fell and too large where some scenarios broke: on
the mean of both the interval holds the drop in 95 of 100 runs.
"""
_MOST_MISSING: Final = 0.1
"""The share of trials that may be missing; above it nothing is concluded."""
_MANY_SCENARIOS: Final = 200
_POWER: Final = 0.8
_MOST_TRIALS: Final = 50


class Levels(NamedTuple):
    """How often "worse" may be said where nothing changed, and "no worse" at a drop of the margin.

    One who looks several times spends a part of both at each look.
    """

    worse: float
    no_worse: float


FIXED: Final = Levels(LEVEL, _NOMINAL)
"""Of a verdict that is asked for once."""
NO_LOOKS: Final[Mapping[int, Levels]] = MappingProxyType({})


class Change(NamedTuple):
    """A scenario whose pass rate differs: how likely that is without a change.

    ``is_sure`` says that it is found changed among all scenarios, or among those of which there are
    ``further`` trials; these alone are then what ``chance`` is of. ``parts_at`` is the message at
    which its conversation parts from that of the baseline, where both are known.
    """

    id: str
    stratum: Stratum
    chance: float
    is_sure: bool
    is_critical: bool
    parts_at: int | None
    further: Stratum | None = None


class Scores(NamedTuple):
    """The mean graded scores, and the chances of such a change where there is none."""

    before: float
    now: float
    tails: Tails


class GroupChange(NamedTuple):
    """The drop of a category, augmentation or world; the chance holds for all groups together."""

    name: str
    scenarios: int
    drop: float
    chance: float


class Needed(NamedTuple):
    """How many trials of each scenario would decide, and what the further ones would cost."""

    trials: int
    cost: float | None


@dataclass(frozen=True)
class Verdict:
    """What is concluded of a pairing, and from what.

    ``looks`` are earlier ones that went on: trials of each scenario → what was spent.
    """

    pairing: Pairing
    kind: Kind
    why: str
    margin: float
    levels: Levels
    broken_critical: Sequence[str]
    looks: Mapping[int, Levels]

    @cached_property
    def strata(self) -> list[Stratum]:
        """The scenarios that were compared."""
        return list(self.pairing.strata.values())

    @property
    def model(self) -> DropModel:
        """The spread of the drop."""
        return self.pairing.model

    @property
    def tails(self) -> Tails:
        """The chance of such a drop on this suite where nothing changed."""
        return self.pairing.tails

    @cached_property
    def tails_of_others(self) -> Tails:
        """The same for scenarios like these."""
        return flipped_signs(self.strata)

    @cached_property
    def interval(self) -> Interval:
        """Where the drop lies, in 95 of 100 runs."""
        spent = {
            trials: (self.level_of_worse(levels), levels.no_worse)
            for trials, levels in self.looks.items()
        }
        return self.model.interval(_OUTSIDE, self.model.looks_before(self.margin, spent))

    def level_of_worse(self, levels: Levels) -> float:
        """Return what is spent on the whole suite; half is that of critical scenarios."""
        return levels.worse / 2 if self.pairing.critical else levels.worse

    @cached_property
    def scores(self) -> Scores | None:
        """The mean scores; ``None`` where they say no more than passes and failures do."""
        before, now = map(self._scores_of, (self.pairing.baseline, self.pairing.candidate))
        if all(score in (0, 1) for scores in (*before, *now) for score in scores):
            return None
        old, new = fmean(map(fmean, before)), fmean(map(fmean, now))
        return Scores(old, new, exchanged_scores(before, now))

    def _scores_of(self, side: Sample) -> list[list[float]]:
        scenarios = (side.scenarios[name] for name in self.pairing.strata)
        return [[result.score for result in scenario.all_results] for scenario in scenarios]

    @cached_property
    def broken(self) -> list[Change]:
        """The scenarios that pass less often, those that surely changed first."""
        return self._changes("worse")

    @cached_property
    def mended(self) -> list[Change]:
        """The scenarios that pass more often, likewise."""
        return self._changes("better")

    @cached_property
    def groups(self) -> list[GroupChange]:
        """Every category, augmentation and world, with Holm's correction over them."""
        groups = self.pairing.groups
        chances = holm([exchanged_labels(group).worse for group in groups.values()])
        return [
            GroupChange(name, len(group), mean_drop(group), chance)
            for (name, group), chance in zip(groups.items(), chances, strict=True)
        ]

    @cached_property
    def needed(self) -> Needed | None:
        """What would decide in four of five runs, if the drop is as it looks, unless too much."""
        now = max(stratum.trials for stratum in self.strata)
        for trials in range(now + 1, _MOST_TRIALS + 1):
            if self.model.decides(self.margin, trials, FIXED, _POWER):
                runs = self.pairing.candidate.runs
                costs = [run.costs["cost"] for run in runs if "cost" in run.costs]
                more = (trials - now) * len(self.strata)
                return Needed(trials, more * costs[0] if costs else None)
        return None

    def _changes(self, side: Side) -> list[Change]:
        strata, further = self.pairing.strata, self.pairing.further if side == "worse" else {}
        sure = {*changed(strata, side), *changed(further, side)}
        changes = [
            self._change(name, side, further.get(name), is_sure=name in sure)
            for name, stratum in strata.items()
            if (stratum.drop > 0 if side == "worse" else stratum.drop < 0)
        ]
        return sorted(changes, key=lambda c: (not c.is_sure, c.chance, -abs(c.stratum.drop), c.id))

    def _change(self, name: str, side: Side, further: Stratum | None, *, is_sure: bool) -> Change:
        old = self.pairing.baseline.scenarios[name]
        new = self.pairing.candidate.scenarios[name]
        apart = parting(old.path, new.path) if old.path and new.path else None
        stratum = self.pairing.strata[name]
        chance: float = getattr(scenario_test(further or stratum), side)
        return Change(name, stratum, chance, is_sure, new.critical, apart, further)


def usual_margin(scenarios: int) -> float:
    """Return the drop that is tolerated unless the user says otherwise."""
    return 0.05 if scenarios < _MANY_SCENARIOS else 0.03


def judged(
    pairing: Pairing,
    margin: float | None = None,
    levels: Levels = FIXED,
    looks: Mapping[int, Levels] = NO_LOOKS,
) -> Verdict:
    """Return what a pairing says; ``looks`` are those after which more was played."""
    margin = usual_margin(len(pairing.strata)) if margin is None else margin
    critical = pairing.critical  # half of what is spent is theirs
    chances = holm([scenario_test(pairing.strata[name]).worse for name in critical])
    broken = [n for n, chance in zip(critical, chances, strict=True) if chance <= levels.worse / 2]
    verdict = Verdict(pairing, "inconclusive", "", margin, levels, broken, looks)
    if not pairing.strata:
        return replace(verdict, why="no scenario can be compared")
    if pairing.missing > _MOST_MISSING:
        why = f"{pairing.missing:.0%} of the trials are missing"
        return replace(verdict, why=why, broken_critical=())
    kind, why = _kind(verdict)
    return replace(verdict, kind=kind, why=why)


def _kind(verdict: Verdict) -> tuple[Kind, str]:
    if verdict.broken_critical:
        return "worse", "a critical scenario broke"
    level = verdict.level_of_worse(verdict.levels)
    is_within = verdict.model.excludes(verdict.margin, verdict.levels.no_worse)
    if verdict.tails.worse <= level and not is_within:
        return "worse", "it passes less often than the baseline"
    if verdict.tails.better <= level:
        return "better", "it passes more often than the baseline"
    if is_within:
        return "no worse", f"the drop is smaller than the margin of {verdict.margin:g}"
    return "inconclusive", "the trials are too few to tell"


LOOKS: Final = (1, 2, 3, 5)
"""The numbers of trials of each scenario after which the plan looks."""
SPENT: Final = (
    Levels(0.005, 0.015),
    Levels(0.010, 0.016),
    Levels(0.015, 0.018),
    Levels(0.020, 0.020),
)
"""Look → what it may spend.

For "worse" the sum is 0.05. For "no worse" it is more, since at a drop of the margin most runs are
told worse before: what is said wrongly in the end was simulated, and is about 0.05.
"""

CONFIRMING: Final = 5
"""Further trials of a scenario that seems to have broken."""


def spent_until(trials: int) -> Mapping[int, Levels]:
    """Return the looks until so many trials of each scenario, the first one always."""
    looks = dict(zip(LOOKS, SPENT, strict=True))
    return {look: levels for look, levels in looks.items() if look <= max(trials, LOOKS[0])}


def looked(pairing: Pairing, trials: int, margin: float | None = None) -> Verdict:
    """Return the verdict of a look, after so many trials of each scenario."""
    *before, (_, now) = spent_until(trials).items()
    return judged(pairing, margin, now, dict(before))


def concluded(pairing: Pairing, margin: float | None = None) -> Verdict:
    """Return the verdict of what was played, in rounds or at once."""
    rounds = pairing.candidate.rounds
    return looked(pairing, rounds, margin) if rounds else judged(pairing, margin)


def next_look(verdict: Verdict, trials: int) -> int | None:
    """Return how many trials each scenario should have next; ``None`` where the plan ends.

    All scenarios get the same number. Where more would go to those that were doubtful so far, luck
    would choose what is counted, and the test would no longer be exact.
    """
    is_open = verdict.kind == "inconclusive" and bool(verdict.strata)
    later: Sequence[int] = [look for look in LOOKS if look > trials]
    return later[0] if is_open and later else None


def to_confirm(verdict: Verdict) -> list[str]:
    """Return the scenarios of which further trials tell most, those first that likely broke.

    Where the suite got worse, these are the ones that pass less often and may yet be luck.
    :data:`CONFIRMING` trials of each cost at most as much as one of every scenario, but one of them
    is asked at least. The verdict does not count these trials, since luck, too, chose them.
    """
    if verdict.kind != "worse":
        return []
    doubtful = [
        change for change in verdict.broken if not change.is_sure and _may_be_told(change.stratum)
    ]
    return [change.id for change in doubtful[: max(1, len(verdict.strata) // CONFIRMING)]]


def _may_be_told(stratum: Stratum) -> bool:
    """Whether further trials could show that a scenario broke, beside so many of the baseline."""
    failed = stratum._replace(passed=0, trials=CONFIRMING)
    return smallest(failed).worse <= FALSE_SHARE
