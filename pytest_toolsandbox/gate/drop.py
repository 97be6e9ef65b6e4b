"""How large the drop may be: bounds of the mean difference between two samples of trials.

A test that the drop is ``size`` is turned into an interval. What the test needs is the spread of
the observed drop where the true one is ``size``, and not the spread where it is as observed: luck
makes both small at once. How the pass rates of scenarios are distributed is fitted to the trials of
both samples (the maximum likelihood over a grid of rates); each rate is then moved apart, up before
and down after, on the scale of log-odds, until the mean drop is ``size``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from statistics import NormalDist
from typing import TYPE_CHECKING, Final, NamedTuple

from .strata import Stratum, mean_drop

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LOG_ODDS: Final = (*range(-7, 8),)
_ROUNDS: Final = 60
"""Of the fit: the likelihood of a suite hardly changes after as many."""
_HALVINGS: Final = 40
_FARTHEST: Final = 25.0
"""In log-odds: rates of 0 and 1, to every digit that counts."""


class Interval(NamedTuple):
    """Two bounds of a figure."""

    low: float
    high: float


class DropModel:
    """The spread of the mean drop of a suite, for every size that the true drop may have."""

    def __init__(self, strata: Sequence[Stratum]) -> None:
        self.strata = strata
        self.found = mean_drop(strata)
        groups = Counter((one.passes, one.trials_before, one.trials) for one in strata)
        self._kinds, self._numbers = list(groups), list(groups.values())

    @cached_property
    def _step(self) -> float:
        """Half of what one trial less that passes adds to the drop: it goes in steps."""
        finest = max(max(one.trials, one.trials_before) for one in self.strata)
        return 0.5 / (len(self.strata) * finest)

    @cached_property
    def _odds(self) -> NDArray[np.float64]:
        """The rates of the grid, as log-odds."""
        import numpy as np

        return np.array(_LOG_ODDS, dtype=float)

    @cached_property
    def _weights(self) -> NDArray[np.float64]:
        """Kind of scenario by rate: how likely it has that rate, times how many there are."""
        import numpy as np

        rates = 1 / (1 + np.exp(-self._odds))
        passes, before, after = np.array(self._kinds).T
        failures = before + after - passes
        numbers = np.array(self._numbers, dtype=float)
        likelihood = np.exp(passes[:, None] * np.log(rates) + failures[:, None] * np.log1p(-rates))
        share = np.full(len(rates), 1 / len(rates))
        for _ in range(_ROUNDS):
            joint = likelihood * share
            known = joint / joint.sum(axis=1, keepdims=True)
            share = numbers @ known / numbers.sum()
        weights: NDArray[np.float64] = known * numbers[:, None]
        return weights

    def spread(self, size: float, trials: int | None = None) -> float:
        """Return the standard deviation of the observed drop where the true one is ``size``.

        ``trials`` is how many the candidate would have of each scenario, instead of those it has.
        """
        low, high = -_FARTHEST, _FARTHEST
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if self._at(middle)[0] < size else (low, middle)
        return self._at(high, trials)[1]

    def _at(self, apart: float, trials: int | None = None) -> tuple[float, float]:
        """Return the true drop, and the spread, where rates are so far apart in log-odds.

        The sample with fewer trials, of which less is known, moves farther.
        """
        import numpy as np

        _, before, after = np.array(self._kinds, dtype=float).T[:, :, None]
        up = after / (before + after) * apart
        old, new = (1 / (1 + np.exp(move - self._odds)) for move in (-up, apart - up))
        share = self._weights / len(self.strata)
        variance = old * (1 - old) / before + new * (1 - new) / (trials or after)
        drop = float((share * (old - new)).sum())
        return drop, float(np.sqrt((share * variance).sum() / len(self.strata)))

    def upper(self, level: float) -> float:
        """Return the largest drop that a test of that level (such as 0.05) does not exclude."""
        return self._bound(NormalDist().inv_cdf(1 - level), 1)

    def excludes(self, size: float, level: float) -> bool:
        """Whether the true drop is smaller than ``size``, at that level."""
        z = NormalDist().inv_cdf(1 - level)
        return size - self.found - self._step > z * self.spread(size)

    def interval(self, level: float = 0.05) -> Interval:
        """Return both bounds, each of which is wrong in half of that share of runs."""
        z = NormalDist().inv_cdf(1 - level / 2)
        return Interval(self._bound(z, -1), self._bound(z, 1))

    def _bound(self, z: float, sign: int) -> float:
        """Return the drop on that side that a test with ``z`` standard deviations just admits."""
        low, high = -_FARTHEST, _FARTHEST
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            size, spread = self._at(middle)
            is_out = sign * (size - self.found) - self._step > z * spread
            low, high = (low, middle) if is_out == (sign > 0) else (middle, high)
        size = self._at(high)[0]
        return max(size, self.found) if sign > 0 else min(size, self.found)
