"""How the pass rates of a suite's scenarios are distributed, and what follows for their mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist, fmean, variance
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FARTHEST: Final = 25.0
"""In log-odds: rates of 0 and 1, to every digit that counts."""
HALVINGS: Final = 40
_LOG_ODDS: Final = range(-7, 8)
_ROUNDS: Final = 60
"""Of the fit: the likelihood of a suite hardly changes after as many."""
_TWO: Final = 2
"""Trials from which on a scenario tells how much its results vary."""


class Interval(NamedTuple):
    """Two bounds of a figure."""

    low: float
    high: float


class Passes(NamedTuple):
    """How often a scenario passed, of how many trials."""

    passed: int
    trials: int


def fitted_weights(kinds: Sequence[tuple[int, int]], numbers: Sequence[int]) -> NDArray[np.float64]:
    """Return, kind by rate, how likely it has that rate, times how many of the kind there are.

    A kind has as many passes of so many trials. The distribution of rates over a grid is the one
    under which the trials are likeliest.
    """
    import numpy as np

    rates = moved_rates(0)
    passes, trials = np.array(kinds, dtype=float).T[:, :, None]
    likelihood = np.exp(passes * np.log(rates) + (trials - passes) * np.log1p(-rates))
    counts = np.array(numbers, dtype=float)
    share = np.full(len(rates), 1 / len(rates))
    for _ in range(_ROUNDS):
        joint = likelihood * share
        known = joint / joint.sum(axis=1, keepdims=True)
        share = counts @ known / counts.sum()
    weights: NDArray[np.float64] = known * counts[:, None]
    return weights


def moved_rates(move: Any) -> Any:
    """Return the rates of the grid, moved by that much in log-odds."""
    import numpy as np

    return 1 / (1 + np.exp(-np.array(_LOG_ODDS, dtype=float) - move))


def suite_interval(scenarios: Sequence[Passes], level: float = 0.05) -> Interval | None:
    """Return where the mean pass rate of these very scenarios lies, were they played for ever.

    ``None`` where each has one trial: nothing then tells luck from what a scenario is like.
    """
    import numpy as np

    if all(one.trials < _TWO for one in scenarios):
        return None
    kinds = Counter(scenarios)
    weights = fitted_weights(list(kinds), list(kinds.values())) / len(scenarios)
    trials = np.array([[one.trials] for one in kinds], dtype=float)
    found = fmean(one.passed / one.trials for one in scenarios)
    z = NormalDist().inv_cdf(1 - level / 2)

    def bound(sign: int) -> float:
        low, high = -FARTHEST, FARTHEST
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            rates = moved_rates(middle)
            mean = float((weights * rates).sum())
            spread = sqrt((weights * rates * (1 - rates) / trials).sum() / len(scenarios))
            is_out = sign * (mean - found) > z * spread
            low, high = (low, middle) if is_out == (sign > 0) else (middle, high)
        mean = float((weights * moved_rates(high)).sum())
        return max(mean, found) if sign > 0 else min(mean, found)

    return Interval(bound(-1), bound(1))


def interval_of_others(scenarios: Sequence[Passes], level: float = 0.05) -> Interval | None:
    """Return where the mean pass rate of scenarios like these lies; ``None`` of a single one.

    It is Wilson's interval, with as many trials as would vary as much as the scenarios do.
    """
    if len(scenarios) < _TWO:
        return None
    from scipy.special import stdtrit

    rates = [one.passed / one.trials for one in scenarios]
    mean, spread = fmean(rates), variance(rates) / len(rates)
    size = mean * (1 - mean) / spread if spread else float(len(rates))
    z2 = float(stdtrit(len(rates) - 1, 1 - level / 2)) ** 2
    middle = (mean + z2 / (2 * size)) / (1 + z2 / size)
    half = sqrt(z2 * mean * (1 - mean) / size + z2 * z2 / (4 * size * size)) / (1 + z2 / size)
    return Interval(max(0.0, middle - half), min(1.0, middle + half))
