"""Which scenarios of two samples can be compared, which cannot, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import fsum
from typing import Final

from pytest_toolsandbox.wording.phrases import listed

from .drop import DropModel
from .permutation import Tails, exchanged_labels
from .samples import Result, Sample, SampledScenario
from .strata import Stratum


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
        return {name: _stratum(old[name].all_results, one) for name, one in played.items()}

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
        found: dict[str, list[Stratum]] = {}
        for name, one in self.strata.items():
            for group in self.candidate.scenarios[name].groups:
                found.setdefault(group, []).append(one)
        return {name: found[name] for name in sorted(found) if len(found[name]) < len(self.strata)}

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
        sum(one.passed for one in before),
        len(before),
        sum(one.passed for one in after),
        len(after),
    )


def _missing(expected: set[str], played: Mapping[str, SampledScenario]) -> float:
    shares = [_lost(played[name]) if name in played else 1.0 for name in expected]
    return fsum(shares) / len(shares) if shares else 0.0


def _lost(one: SampledScenario) -> float:
    return one.lost / max(1, one.lost + len(one.all_results))


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
            differences.append(f"{what}: {listed(more, 'and')} here, {listed(before, 'and')} there")
    return differences
