"""The normal distribution for arrays, and quantiles of Student's t and of three beta distributions.

SciPy has them all, and takes up to a second to import.
"""

from __future__ import annotations

from math import asin, cos, erfc, expm1, fsum, log1p, pi, sin, sqrt, tan
from statistics import NormalDist
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_MANY: Final = 1_000
"""Degrees of freedom from which on the expansion has all digits of a float."""
_HALVINGS: Final = 60


def beta_25_1(share: float) -> float:
    """Return the quantile of the beta distribution of 25 and 1."""
    return float(share ** (1 / 25))


def beta_1_12(share: float) -> float:
    """Return the quantile of the beta distribution of 1 and 12."""
    return -expm1(log1p(-share) / 12)


def beta_2_2(share: float) -> float:
    """Return the quantile of the beta distribution of 2 and 2: the root of ``3 x² - 2 x³``."""
    return 0.5 - sin(asin(1 - 2 * share) / 3)


def normal_chances(values: Floats) -> Floats:
    """Return the probability of a standard normal value below each of these."""
    import numpy as np

    # The complement of the error function keeps the digits of small probabilities.
    tails = np.frompyfunc(erfc, 1, 1)(values * -sqrt(0.5))
    return np.asarray(tails, dtype=float) / 2


def student_quantile(share: float, freedom: int) -> float:
    """Return the quantile of Student's t for a share from 0.5 to below 1.

    ``freedom`` are the degrees of freedom, 1 or more.
    """
    if freedom > _MANY:
        return _expanded(NormalDist().inv_cdf(share), freedom)
    low, high = 0.0, pi / 2
    for _ in range(_HALVINGS):
        angle = (low + high) / 2
        low, high = (angle, high) if _central(angle, freedom) < 2 * share - 1 else (low, angle)
    return sqrt(freedom) * tan((low + high) / 2)


def _central(angle: float, freedom: int) -> float:
    """Return the probability between ``-t`` and ``t = sqrt(freedom) * tan(angle)``.

    The series is exact (Abramowitz & Stegun 1964, 26.7.3 and 26.7.4).
    """
    is_odd = freedom % 2
    square, term, total = cos(angle) ** 2, cos(angle) if is_odd else 1.0, 0.0
    for place in range(2 + is_odd, freedom + 1, 2):
        total += term
        term *= square * (place - 1) / place
    if is_odd:
        return 2 / pi * (angle + sin(angle) * total)
    return sin(angle) * total


def _expanded(z: float, freedom: int) -> float:
    """Expand the quantile around that of the normal distribution (the same, 26.7.5)."""
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92_160,
    )
    return z + fsum(term / freedom**power for power, term in enumerate(terms, 1))
