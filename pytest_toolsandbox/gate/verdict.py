"""The verdict of a comparison: worse, no worse, better or inconclusive.

Also the sequential plan: play few trials, look, and continue only if the verdict is inconclusive.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import fmean
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

from pytest_toolsandbox.records.reading import without_parameters

from .pairing import Pairing, Plan
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
"""The maximum probability of a wrong "worse", and of a wrong "no worse"."""
_NOMINAL: Final = 0.042
"""The nominal level of the test of "no worse": its fitted spread then errs in at most ``LEVEL``."""
_OUTSIDE: Final = 0.06
"""The nominal probability that the drop is outside of its interval.

The fitted spread is right if all rates fell, and too large if some scenarios broke. On average over
both cases, the interval contains the drop in 95 of 100 runs.
"""
_MOST_MISSING: Final = 0.1
"""The largest share of missing trials; above it, the comparison is inconclusive."""
_MANY_SCENARIOS: Final = 200
_POWER: Final = 0.8
MOST_TRIALS: Final = 50
"""More trials of each scenario are not proposed."""
_MOST_SCENARIOS: Final = 100_000
_HALVINGS: Final = 20


class Levels(NamedTuple):
    """The probability of a wrong "worse", and of a wrong "no worse" at a drop of the margin.

    Each interim analysis spends part of both error budgets.
    """

    worse: float
    no_worse: float


FIXED: Final = Levels(LEVEL, _NOMINAL)
"""The levels of a single analysis."""
NO_LOOKS: Final[Mapping[int, Levels]] = MappingProxyType({})


class Change(NamedTuple):
    """A scenario whose pass rate differs, with the probability if nothing changed.

    ``is_sure`` means that the change is significant among all scenarios, or among those with
    ``further`` trials; then ``chance`` is the probability of the latter alone. ``parts_at`` is the
    message at which its conversation diverges from the baseline's, if both are known.
    """

    id: str
    stratum: Stratum
    chance: float
    is_sure: bool
    is_critical: bool
    parts_at: int | None
    further: Stratum | None = None


class Scores(NamedTuple):
    """The mean graded scores, and the probabilities of the difference if nothing changed."""

    before: float
    now: float
    tails: Tails


class GroupChange(NamedTuple):
    """The drop of a category, augmentation or world; ``chance`` is adjusted for all groups."""

    name: str
    scenarios: int
    drop: float
    chance: float
    failures: int
    """The failed trials of its scenarios in the candidate."""


class Needed(NamedTuple):
    """The number of trials per scenario that would decide, and the cost of the additional ones."""

    trials: int
    cost: float | None


@dataclass(frozen=True)
class Verdict:
    """The verdict on a pairing, and its basis.

    ``looks`` are earlier looks that continued: trials of each scenario → spent levels.
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
        """The compared scenarios."""
        return list(self.pairing.strata.values())

    @cached_property
    def tails_of_others(self) -> Tails:
        """The same for scenarios like these."""
        return flipped_signs(self.strata)

    @cached_property
    def interval(self) -> Interval:
        """The 95 % confidence interval of the drop."""
        spent = {
            trials: (self.level_of_worse(levels), levels.no_worse)
            for trials, levels in self.looks.items()
        }
        return self.pairing.model.interval(
            _OUTSIDE, self.pairing.model.looks_before(self.margin, spent)
        )

    @cached_property
    def largest_drop(self) -> float:
        """The smallest drop that is excluded: the true one is smaller, as sure as "no worse" is."""
        low, high = 0.0, 1.0
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            is_excluded = self.pairing.model.excludes(middle, self.levels.no_worse)
            low, high = (low, middle) if is_excluded else (middle, high)
        return high

    @cached_property
    def is_below_margin(self) -> bool | None:
        """Whether the drop is smaller than the margin; ``None`` if that is not certain."""
        if self.pairing.missing > _MOST_MISSING:
            return None
        if self.pairing.model.excludes(self.margin, self.levels.no_worse):
            return True
        return False if self.kind == "worse" and self.interval.low > self.margin else None

    @property
    def deciding(self) -> Literal["margin", "worse", "better"] | None:
        """Which question decided: about the margin, or whether it is worse or better."""
        if self.kind == "no worse":
            return "margin"
        return None if self.kind == "inconclusive" or self.broken_critical else self.kind

    def level_of_worse(self, levels: Levels) -> float:
        """Return the level for the whole suite; critical scenarios get the other half."""
        return levels.worse / 2 if self.pairing.critical else levels.worse

    @cached_property
    def scores(self) -> Scores | None:
        """The mean scores; ``None`` if all scores are 0 or 1, like passes and failures."""
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
        """The scenarios that pass less often, significant changes first."""
        return self._changes("worse")

    @cached_property
    def mended(self) -> list[Change]:
        """The scenarios that pass more often, significant changes first."""
        return self._changes("better")

    @cached_property
    def groups(self) -> list[GroupChange]:
        """The drops of all categories, augmentations and worlds, with Holm's correction."""
        groups = self.pairing.groups
        chances = holm([exchanged_labels(group).worse for group in groups.values()])
        return [
            GroupChange(
                name,
                len(group),
                mean_drop(group),
                chance,
                sum(stratum.trials - stratum.passed for stratum in group),
            )
            for (name, group), chance in zip(groups.items(), chances, strict=True)
        ]

    @cached_property
    def needed(self) -> Needed | None:
        """The trials that decide in four of five runs with the observed drop, unless too many."""
        now = max(stratum.trials for stratum in self.strata)
        for trials in range(now + 1, MOST_TRIALS + 1):
            # A new run has one analysis, so it may spend the whole level.
            plan = Plan(len(self.strata), trials)
            if self.pairing.model.decides(self.margin, plan, FIXED, _POWER):
                runs = self.pairing.candidate.runs
                costs = [run.costs["cost"] for run in runs if "cost" in run.costs]
                additional = (trials - now) * len(self.strata)
                return Needed(trials, additional * costs[0] if costs else None)
        return None

    @cached_property
    def needed_plan(self) -> Plan | None:
        """The number of scenarios like these that decides likewise, with the trials of this run."""
        trials = max(stratum.trials for stratum in self.strata)

        def is_enough(scenarios: int) -> bool:
            plan = Plan(scenarios, trials)
            return self.pairing.model.decides(self.margin, plan, FIXED, _POWER)

        scenarios = least_size(is_enough, len(self.strata))
        return Plan(scenarios, trials) if scenarios else None

    def _changes(self, side: Side) -> list[Change]:
        strata, further = self.pairing.strata, self.pairing.further if side == "worse" else {}
        sure = {*changed(strata, side), *changed(further, side)}
        changes = [
            self._change(name, side, further.get(name), is_sure=name in sure)
            for name, stratum in strata.items()
            if (stratum.drop > 0 if side == "worse" else stratum.drop < 0)
        ]

        def rank(change: Change) -> tuple[bool, float, float, float, str]:
            results = self.pairing.candidate.scenarios[change.id].all_results
            score = fmean(result.score for result in results)
            size = abs(change.stratum.drop)
            return not change.is_sure, change.chance, -size, score, change.id

        return sorted(changes, key=rank)

    def _change(self, name: str, side: Side, further: Stratum | None, *, is_sure: bool) -> Change:
        old = self.pairing.baseline.scenarios[name]
        new = self.pairing.candidate.scenarios[name]
        apart = parting(old.path, new.path) if old.path and new.path else None
        stratum = self.pairing.strata[name]
        chance: float = getattr(scenario_test(further or stratum), side)
        return Change(name, stratum, chance, is_sure, new.critical, apart, further)


def least_size(is_enough: Callable[[int], bool], known: int) -> int | None:
    """Return the least number of scenarios above ``known`` that is enough, in two digits."""
    low, high = known, known + 1
    while not is_enough(high):
        low, high = high, 2 * high
        if high > _MOST_SCENARIOS:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    unit = int(10 ** max(0, len(str(high)) - 2))
    return -(-high // unit) * unit


def usual_margin(scenarios: int) -> float:
    """Return the default margin: the largest drop that is tolerated."""
    return 0.05 if scenarios < _MANY_SCENARIOS else 0.03


def judged(
    pairing: Pairing,
    margin: float | None = None,
    levels: Levels = FIXED,
    looks: Mapping[int, Levels] = NO_LOOKS,
) -> Verdict:
    """Return the verdict on a pairing; ``looks`` are the earlier looks that continued."""
    margin = usual_margin(len(pairing.strata)) if margin is None else margin
    critical = pairing.critical  # half of what is spent is theirs
    chances = holm([scenario_test(pairing.strata[name]).worse for name in critical])
    broken = [n for n, chance in zip(critical, chances, strict=True) if chance <= levels.worse / 2]
    verdict = Verdict(pairing, "inconclusive", "", margin, levels, broken, looks)
    if not pairing.strata:
        return replace(verdict, why=_why_nothing(pairing))
    if pairing.missing > _MOST_MISSING:
        why = f"{pairing.missing:.0%} of the trials are missing"
        # The missing trials may be the failed ones, so the others prove nothing.
        return replace(verdict, why=why, broken_critical=())
    kind, why = _kind(verdict)
    return replace(verdict, kind=kind, why=why)


def _why_nothing(pairing: Pairing) -> str:
    """Return that nothing can be compared, and why if ids name agents or prompts on one side."""
    text = "no scenario can be compared"
    known = {without_parameters(name): name for name in pairing.absent}
    pairs = [(name, known.get(without_parameters(name))) for name in pairing.new]
    named = next(((new, old) for new, old in pairs if old), None)
    if named is None:
        return text
    new, old = (name.partition("::")[2] or name for name in named)
    remedy = "make a baseline of a run with the same agents and prompts"
    return f"{text}; an item is named {new} here, and {old} in the baseline; {remedy}"


def _kind(verdict: Verdict) -> tuple[Kind, str]:
    if verdict.broken_critical:
        return "worse", "a critical scenario broke"
    level = verdict.level_of_worse(verdict.levels)
    # Both can be significant: a drop that is real, but smaller than the margin. Then the run is
    # "no worse".
    is_within = verdict.pairing.model.excludes(verdict.margin, verdict.levels.no_worse)
    if verdict.pairing.tails.worse <= level and not is_within:
        return "worse", "it passes less often than the baseline"
    if verdict.pairing.tails.better <= level:
        return "better", "it passes more often than the baseline"
    if is_within:
        return "no worse", f"the drop is smaller than the margin of {verdict.margin:g}"
    return "inconclusive", "the trials are too few to tell"


LOOKS: Final = (1, 2, 3, 5)
"""The numbers of trials per scenario at which the plan looks."""
SPENT: Final = (
    Levels(0.005, 0.015),
    Levels(0.010, 0.016),
    Levels(0.015, 0.018),
    Levels(0.020, 0.020),
)
"""The levels that each look spends.

The sum for "worse" is 0.05. That for "no worse" is larger, since most runs with a drop of the
margin end as worse before. In simulations, the final error is about 0.05
(``benchmarks/gate_error_rates.py``).
"""

CONFIRMING: Final = 5
"""The number of further trials of a scenario that seems to have broken."""


def spent_until(trials: int) -> Mapping[int, Levels]:
    """Return the looks up to a number of trials per scenario, always including the first."""
    looks = dict(zip(LOOKS, SPENT, strict=True))
    return {look: levels for look, levels in looks.items() if look <= max(trials, LOOKS[0])}


def looked(pairing: Pairing, trials: int, margin: float | None = None) -> Verdict:
    """Return the verdict of a look, after a number of trials per scenario."""
    *before, (_, now) = spent_until(trials).items()
    return judged(pairing, margin, now, dict(before))


def concluded(pairing: Pairing, margin: float | None = None) -> Verdict:
    """Return the verdict on a completed run, in rounds or not."""
    rounds = pairing.candidate.rounds
    return looked(pairing, rounds, margin) if rounds else judged(pairing, margin)


def next_look(verdict: Verdict, trials: int) -> int | None:
    """Return the next number of trials per scenario, ``None`` if the plan has ended.

    All scenarios get the same number. If only doubtful scenarios got more, chance would select the
    data, and the test would no longer be exact.
    """
    is_open = verdict.kind == "inconclusive" and bool(verdict.strata)
    later: Sequence[int] = [look for look in LOOKS if look > trials]
    return later[0] if is_open and later else None


def to_confirm(verdict: Verdict) -> list[str]:
    """Return the scenarios for further trials, those that most likely broke first.

    If the suite got worse, these are the scenarios that pass less often, but not yet significantly.
    :data:`CONFIRMING` trials of all of them cost at most one trial of every scenario, but at least
    one scenario is returned. The verdict ignores these trials, since chance selected them, too.
    """
    if verdict.kind != "worse":
        return []
    doubtful = [
        change for change in verdict.broken if not change.is_sure and _may_be_told(change.stratum)
    ]
    return [change.id for change in doubtful[: max(1, len(verdict.strata) // CONFIRMING)]]


def _may_be_told(stratum: Stratum) -> bool:
    """Return whether further trials can be significant, given the trials of the baseline."""
    failed = stratum._replace(passed=0, trials=CONFIRMING)
    return smallest(failed).worse <= FALSE_SHARE
