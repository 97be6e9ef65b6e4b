"""The distribution of pass rates over the scenarios of a suite, and intervals of their mean.

Also how likely a result is after several looks, of which the earlier ones went on. Results are
ordered by stages (Tsiatis, Rosner & Mehta 1984): a run that ended as worse is above all results of
later looks, one that ended otherwise is below them, and at the same look the larger drop is above.
Intervals from this order have their coverage whenever the run ended.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from math import pi, sqrt
from statistics import fmean, variance
from typing import TYPE_CHECKING, Any, Final, NamedTuple

_POINTS: Final = 16
"""Where what went on is added up (Gauss and Legendre): right to the sixth digit."""
_NOTHING: Final = 1e-12


class Look(NamedTuple):
    """A look that went on since the drop lay between two bounds."""

    trials: int
    low: float
    high: float


def chance_of_more(
    found: float, truths: Floats, spreads: Sequence[Floats], looks: Sequence[Look] = ()
) -> Floats:
    """Return, for each truth, how likely a result is that is as large as this one, or larger.

    ``spreads`` are the standard deviations of the results of each of the earlier ``looks``, and of
    this one. A look counts the trials of those before it, so that the covariance of two is the
    variance of the later one.
    """
    import numpy as np
    from scipy.special import ndtr

    spreads = [np.maximum(values, _NOTHING) for values in spreads]
    means, spread, weights = truths[:, None], spreads[0][:, None], np.ones((len(truths), 1))
    more = np.zeros(len(truths))
    for look, before, after in zip(looks, spreads, spreads[1:], strict=False):
        more += (weights * ndtr((means - look.high) / spread)).sum(axis=1)
        steps, sizes = _points()
        places = look.low + (look.high - look.low) * steps
        away = (places - means[:, :, None]) / spread[:, :, None]
        density = np.exp(-0.5 * away**2) / (spread[:, :, None] * sqrt(2 * pi))
        weights = (weights[:, :, None] * density).sum(axis=1) * sizes * (look.high - look.low)
        kept = ((after / before) ** 2)[:, None]
        means = truths[:, None] + kept * (places - truths[:, None])
        spread = np.maximum(after[:, None] * np.sqrt(np.maximum(1 - kept, 0)), _NOTHING)
    chances: Floats = more + (weights * ndtr((means - found) / spread)).sum(axis=1)
    return chances


@cache
def _points() -> tuple[Floats, Floats]:
    """Return points from 0 to 1, and how much each counts."""
    import numpy as np

    points, sizes = np.polynomial.legendre.leggauss(_POINTS)
    return (points + 1) / 2, sizes / 2


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_FARTHEST: Final = 25.0
"""In log-odds: rates of 0 and 1, to every digit that counts."""
_PARTS: Final = 64
_FINER: Final = 4
"""Times that a bound is looked for between two of so many neighbours: to the sixth digit."""
_LOG_ODDS: Final = range(-7, 8)
_ROUNDS: Final = 60
"""Of the fit: the likelihood of a suite hardly changes after as many."""
_LEVEL: Final = 0.05
"""How often an interval misses."""
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


def fitted_rates(scenarios: Iterable[tuple[int, ...]]) -> tuple[Floats, Floats]:
    """Return numbers of trials, a row each, and row by rate the share of scenarios that have both.

    A scenario is told as its passes and the trials of each of its samples. The distribution of
    rates over a grid is the one under which the trials are likeliest.
    """
    import numpy as np

    kinds = Counter(scenarios)
    counts = np.array(list(kinds.values()), dtype=float) / kinds.total()
    passes, *samples = np.array(list(kinds), dtype=float).T[:, :, None]
    rates, trials = moved_rates(0), sum(samples)
    likelihood = np.exp(passes * np.log(rates) + (trials - passes) * np.log1p(-rates))
    share = np.full(len(rates), 1 / len(rates))
    for _ in range(1, _ROUNDS):
        share = share * ((counts / (likelihood @ share)) @ likelihood)
    joint = likelihood * share * (counts / (likelihood @ share))[:, None]
    designs = sorted({kind[1:] for kind in kinds})
    is_of = np.array([[kind[1:] == design for kind in kinds] for design in designs], dtype=float)
    return np.array(designs), is_of @ joint


def moved_rates(move: Any) -> Any:
    """Return the rates of the grid, moved by that much in log-odds."""
    import numpy as np

    return 1 / (1 + np.exp(-np.array(_LOG_ODDS, dtype=float) - move))


def last_admitted(is_out: Callable[[Floats], Any]) -> Floats:
    """Return the largest move in log-odds that is not out, as the only one of an array."""
    import numpy as np

    low, high = -_FARTHEST, _FARTHEST
    for _ in range(_FINER):
        moves = np.linspace(low, high, _PARTS + 1)
        admitted = np.flatnonzero(~is_out(moves))
        place = min(int(admitted[-1]), _PARTS - 1) if len(admitted) else 0
        low, high = moves[place], moves[place + 1]
    return np.array([high])


def bound(
    at: Callable[[Floats], tuple[Floats, Floats]], found: float, level: float, sign: int
) -> float:
    """Return the figure above (or below: -1) that a test at this level, two-sided, admits.

    ``at`` says what the figure is where rates are moved so far in log-odds, and how likely it then
    is to find as much as was found, or more.
    """

    def is_out(moves: Floats) -> Any:
        _, chances = at(sign * moves)
        return (1 - chances if sign > 0 else chances) < level / 2

    figure = float(at(sign * last_admitted(is_out))[0][0])
    return max(figure, found) if sign > 0 else min(figure, found)


def suite_interval(scenarios: Sequence[Passes]) -> Interval | None:
    """Return where the mean pass rate of these very scenarios lies, were they played for ever.

    ``None`` where each has one trial: nothing then tells luck from what a scenario is like.
    """
    import numpy as np

    if all(scenario.trials < _TWO for scenario in scenarios):
        return None
    trials, shares = fitted_rates(scenarios)

    def at(moves: Floats) -> tuple[Floats, Floats]:
        rates = moved_rates(moves[:, None, None])
        variances = (shares * rates * (1 - rates) / trials).sum(axis=(1, 2)) / len(scenarios)
        means = (shares * rates).sum(axis=(1, 2))
        return means, chance_of_more(rate, means, [np.sqrt(variances)])

    rate = fmean(scenario.passed / scenario.trials for scenario in scenarios)
    return Interval(bound(at, rate, _LEVEL, -1), bound(at, rate, _LEVEL, 1))


def interval_of_others(scenarios: Sequence[Passes]) -> Interval | None:
    """Return where the mean pass rate of scenarios like these lies; ``None`` of a single one.

    It is Wilson's interval, with as many trials as would vary as much as the scenarios do.
    """
    if len(scenarios) < _TWO:
        return None
    from scipy.special import stdtrit

    rates = [scenario.passed / scenario.trials for scenario in scenarios]
    mean, spread = fmean(rates), variance(rates) / len(rates)
    size = mean * (1 - mean) / spread if spread else float(len(rates))
    return wilson_interval(mean, size, float(stdtrit(len(rates) - 1, 1 - _LEVEL / 2)))


def wilson_interval(mean: float, size: float, z: float) -> Interval:
    """Return Wilson's interval of a mean of ``size`` values from 0 to 1; ``z`` is its quantile.

    It is meant for shares. Other values vary less: for their mean it is wider than needed, and
    never too narrow.
    """
    z2 = z * z
    middle = (mean + z2 / (2 * size)) / (1 + z2 / size)
    half = sqrt(z2 * mean * (1 - mean) / size + z2 * z2 / (4 * size * size)) / (1 + z2 / size)
    return Interval(max(0.0, middle - half), min(1.0, middle + half))
