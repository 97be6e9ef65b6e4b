"""The distribution of pass rates over the scenarios of a suite, and confidence intervals of means.

Also the probability of a result after interim analyses that continued. Results are ordered by
stages (Tsiatis, Rosner & Mehta 1984): a run that ended as worse is above all results of later
looks, a run that ended otherwise is below them, and at the same look the larger drop is above.
Intervals from this order keep their coverage, whenever the run ended.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from math import pi, sqrt
from statistics import fmean, variance
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from .distributions import normal_chances, student_quantile

_POINTS: Final = 16
"""The points of the Gauss-Legendre integration over continued looks: six digits are exact."""
_NOTHING: Final = 1e-12


class Look(NamedTuple):
    """An interim analysis that continued, since the drop was between two bounds."""

    trials: int
    low: float
    high: float


def chance_of_more(
    observed: float, truths: Floats, spreads: Sequence[Floats], looks: Sequence[Look] = ()
) -> Floats:
    """Return, for each truth, the probability of a result at least as large as this one.

    ``spreads`` are the standard deviations of the results at each of the earlier ``looks``, and at
    this one. A look includes the trials of earlier looks, so the covariance of two looks is the
    variance of the later one.
    """
    import numpy as np

    spreads = [np.maximum(values, _NOTHING) for values in spreads]
    means, spread, weights = truths[:, None], spreads[0][:, None], np.ones((len(truths), 1))
    tail = np.zeros(len(truths))
    for look, before, after in zip(looks, spreads, spreads[1:], strict=False):
        tail += (weights * normal_chances((means - look.high) / spread)).sum(axis=1)
        steps, sizes = _points()
        places = look.low + (look.high - look.low) * steps
        away = (places - means[:, :, None]) / spread[:, :, None]
        density = np.exp(-0.5 * away**2) / (spread[:, :, None] * sqrt(2 * pi))
        weights = (weights[:, :, None] * density).sum(axis=1) * sizes * (look.high - look.low)
        # Given the earlier result, the later mean moves towards the truth by the share of new
        # trials.
        kept = ((after / before) ** 2)[:, None]
        means = truths[:, None] + kept * (places - truths[:, None])
        spread = np.maximum(after[:, None] * np.sqrt(np.maximum(1 - kept, 0)), _NOTHING)
    chances: Floats = tail + (weights * normal_chances((means - observed) / spread)).sum(axis=1)
    return chances


@cache
def _points() -> tuple[Floats, Floats]:
    """Return the points of the integration in [0, 1], and their weights."""
    import numpy as np

    points, sizes = np.polynomial.legendre.leggauss(_POINTS)
    return (points + 1) / 2, sizes / 2


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_FARTHEST: Final = 25.0
"""The largest move in log-odds: rates are then 0 or 1 within the precision of floats."""
_PARTS: Final = 64
_FINER: Final = 4
"""The number of refinements of a bound, each on a grid of ``_PARTS`` points: six digits."""
_LOG_ODDS: Final = range(-7, 8)
_ROUNDS: Final = 60
"""The iterations of the fit; further ones hardly change the likelihood of a suite."""
_LEVEL: Final = 0.05
"""The probability that an interval misses the true value."""
_TWO: Final = 2
"""The minimum number of trials of a scenario that shows the variance of its results."""


class Interval(NamedTuple):
    """A confidence interval."""

    low: float
    high: float


class Passes(NamedTuple):
    """The passes and trials of a scenario."""

    passed: int
    trials: int


def fitted_rates(scenarios: Iterable[tuple[int, ...]]) -> tuple[Floats, Floats]:
    """Return the distinct numbers of trials, and the share of scenarios by them and by rate.

    A scenario is given as its passes, and its trials in each sample. The distribution of rates over
    a grid maximizes the likelihood of the trials.
    """
    import numpy as np

    kinds = Counter(scenarios)
    counts = np.array(list(kinds.values()), dtype=float) / kinds.total()
    passes, *samples = np.array(list(kinds), dtype=float).T[:, :, None]
    rates, trials = moved_rates(0), sum(samples)
    likelihood = np.exp(passes * np.log(rates) + (trials - passes) * np.log1p(-rates))
    share = np.full(len(rates), 1 / len(rates))
    for _ in range(1, _ROUNDS):
        # One step of expectation maximization (the nonparametric estimate of Laird 1978).
        share = share * ((counts / (likelihood @ share)) @ likelihood)
    joint = likelihood * share * (counts / (likelihood @ share))[:, None]
    designs = sorted({kind[1:] for kind in kinds})
    is_of = np.array([[kind[1:] == design for kind in kinds] for design in designs], dtype=float)
    return np.array(designs), is_of @ joint


def moved_rates(move: Any) -> Any:
    """Return the rates of the grid, moved by ``move`` in log-odds."""
    import numpy as np

    return 1 / (1 + np.exp(-np.array(_LOG_ODDS, dtype=float) - move))


def last_admitted(is_out: Callable[[Floats], Any]) -> Floats:
    """Return the largest move in log-odds that is not rejected, as an array of one."""
    import numpy as np

    low, high = -_FARTHEST, _FARTHEST
    for _ in range(_FINER):
        moves = np.linspace(low, high, _PARTS + 1)
        admitted = np.flatnonzero(~is_out(moves))
        place = min(int(admitted[-1]), _PARTS - 1) if len(admitted) else 0
        low, high = moves[place], moves[place + 1]
    return np.array([high])


def bound(
    at: Callable[[Floats], tuple[Floats, Floats]], observed: float, level: float, sign: int
) -> float:
    """Return the upper bound (lower: ``sign`` -1) of a two-sided test at this level.

    ``at`` returns the figure for rates that are moved in log-odds, and the probability of a result
    at least as large as ``observed``.
    """

    def is_out(moves: Floats) -> Any:
        _, chances = at(sign * moves)
        return (1 - chances if sign > 0 else chances) < level / 2

    figure = float(at(sign * last_admitted(is_out))[0][0])
    # The fitted grid may exclude the observed value itself, which an interval must contain.
    return max(figure, observed) if sign > 0 else min(figure, observed)


def suite_interval(scenarios: Sequence[Passes]) -> Interval | None:
    """Return the interval of the mean pass rate of exactly these scenarios.

    ``None`` if each has one trial only, which does not show the variance of its results.
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
    """Return the interval of the mean pass rate of similar scenarios; ``None`` for a single one.

    It is Wilson's interval, with the number of trials that has the variance of the scenarios.
    """
    if len(scenarios) < _TWO:
        return None

    rates = [scenario.passed / scenario.trials for scenario in scenarios]
    # The scenarios are the sample here, so the variance between them counts and not that of
    # trials.
    mean, spread = fmean(rates), variance(rates) / len(rates)
    size = mean * (1 - mean) / spread if spread else float(len(rates))
    return wilson_interval(mean, size, student_quantile(1 - _LEVEL / 2, len(rates) - 1))


def wilson_interval(mean: float, size: float, z: float) -> Interval:
    """Return Wilson's interval of the mean of ``size`` values from 0 to 1; ``z`` is its quantile.

    It is meant for shares. Other values vary less, so their interval is conservative.
    """
    z2 = z * z
    middle = (mean + z2 / (2 * size)) / (1 + z2 / size)
    half = sqrt(z2 * mean * (1 - mean) / size + z2 * z2 / (4 * size * size)) / (1 + z2 / size)
    return Interval(max(0.0, middle - half), min(1.0, middle + half))
