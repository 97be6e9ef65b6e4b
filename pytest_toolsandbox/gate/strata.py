"""The trials of a scenario before a change and after it, as counts of passes."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import NamedTuple


class Stratum(NamedTuple):
    """A scenario's passes and trials, in the baseline (``before``) and in the candidate.

    Both numbers of trials are 1 or more.
    """

    passed_before: int
    trials_before: int
    passed: int
    trials: int

    @property
    def passes(self) -> int:
        """The passes of both samples together."""
        return self.passed_before + self.passed

    @property
    def drop(self) -> float:
        """By how much the share of passes fell, from -1 to 1."""
        return self.passed_before / self.trials_before - self.passed / self.trials


def mean_drop(strata: Sequence[Stratum]) -> float:
    """Return the mean fall of the pass rate; each scenario counts the same."""
    return fsum(one.drop for one in strata) / len(strata)
