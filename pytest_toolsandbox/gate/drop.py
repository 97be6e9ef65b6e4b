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
from typing import TYPE_CHECKING

from .rates import FARTHEST, HALVINGS, Interval, fitted_weights, moved_rates
from .strata import Stratum, mean_drop

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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
    def _weights(self) -> NDArray[np.float64]:
        """Kind of scenario by rate: how likely it has that rate, times how many there are."""
        kinds = [(passes, before + after) for passes, before, after in self._kinds]
        return fitted_weights(kinds, self._numbers)

    def spread(self, size: float, trials: int | None = None) -> float:
        """Return the standard deviation of the observed drop where the true one is ``size``.

        ``trials`` is how many the candidate would have of each scenario, instead of those it has.
        """
        low, high = -FARTHEST, FARTHEST
        for _ in range(HALVINGS):
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
        old, new = (moved_rates(move) for move in (up, up - apart))
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

    def decides(self, margin: float, trials: int, level: float, power: float) -> bool:
        """Whether so many trials would exclude the margin, or no drop, with that power.

        That is if the drop is as it was found.
        """
        z, reach = NormalDist().inv_cdf(1 - level), NormalDist().inv_cdf(power)
        luck = reach * self.spread(self.found, trials) + 0.5 / (len(self.strata) * trials)
        room = margin - self.found - luck, self.found - luck
        return any(
            r >= z * self.spread(at, trials) for r, at in zip(room, (margin, 0), strict=True)
        )

    def interval(self, level: float = 0.05) -> Interval:
        """Return both bounds, each of which is wrong in half of that share of runs."""
        z = NormalDist().inv_cdf(1 - level / 2)
        return Interval(self._bound(z, -1), self._bound(z, 1))

    def _bound(self, z: float, sign: int) -> float:
        """Return the drop on that side that a test with ``z`` standard deviations just admits."""
        low, high = -FARTHEST, FARTHEST
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            size, spread = self._at(middle)
            is_out = sign * (size - self.found) - self._step > z * spread
            low, high = (low, middle) if is_out == (sign > 0) else (middle, high)
        size = self._at(high)[0]
        return max(size, self.found) if sign > 0 else min(size, self.found)
