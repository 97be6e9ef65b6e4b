"""How likely a result is that was looked at several times, where the looks before it went on.

Results are ordered by stages (Tsiatis, Rosner & Mehta 1984): what ended a run as worse is more than
all that came of later looks, what ended it otherwise is less, and of the same look the larger drop
is more. Intervals from this order hold the truth as often as they say, whenever the run ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import pi, sqrt
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

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

    spreads = [np.maximum(one, _NOTHING) for one in spreads]
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
