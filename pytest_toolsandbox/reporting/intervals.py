"""How sure a mean score is: an interval around it."""

from __future__ import annotations

from math import sqrt
from typing import Final, NamedTuple

Z: Final = 1.959964
"""Of the normal distribution: 95 % lie within so many deviations."""


class Interval(NamedTuple):
    """A range of values from 0 to 1."""

    low: float
    high: float


def mean_interval(mean: float, count: int) -> Interval:
    """Return the 95 % interval of a mean of ``count`` values in [0, 1], by Wilson's formula.

    It is meant for shares. Values between 0 and 1 vary less than those that are either: for a mean
    score it is wider than needed, and never too narrow. Raises ``ValueError`` without values.
    """
    if count < 1:
        raise ValueError("there is no interval without values")
    weight = Z * Z / count
    middle = (mean + weight / 2) / (1 + weight)
    half = Z / (1 + weight) * sqrt(mean * (1 - mean) / count + weight / (4 * count))
    return Interval(max(0.0, middle - half), min(1.0, middle + half))
