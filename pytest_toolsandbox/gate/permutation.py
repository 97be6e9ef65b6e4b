"""Is it worse on this suite? Labels are exchanged within scenarios, and nothing else is assumed.

Without a change the trials of a scenario are exchangeable between baseline and candidate. Given how
many of them passed, the passes of the candidate follow a hypergeometric distribution, and the mean
drop of the suite a convolution of such distributions, which is computed exactly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import comb, gcd, lcm
from typing import TYPE_CHECKING, Final, NamedTuple

from .strata import Stratum

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FINEST: Final = 120
"""Steps of the lattice in a pass rate of 1; more different numbers of trials are rounded to it.

The test stays exact then: the labels are exchanged all the same, and only the weights of the
scenarios differ by less than a hundredth.
"""
DRAWS: Final = 9999
"""Exchanges of labels that are drawn where scores are compared."""
_TIE: Final = 1e-9


class Tails(NamedTuple):
    """The chance, without a change, of a drop as large as this one or larger; and as small."""

    worse: float
    better: float


class _Part(NamedTuple):
    """What a scenario adds to the statistic: ``found`` steps of ``step``, or others."""

    step: int
    chances: tuple[float, ...]
    found: int


def exchanged_labels(strata: Sequence[Stratum]) -> Tails:
    """Return how likely the mean drop is where nothing changed, exactly."""
    kinds, scale = Counter(strata), _scale(strata)
    return _tails([(_exchanged(one, scale), count) for one, count in kinds.items()])


def flipped_signs(strata: Sequence[Stratum]) -> Tails:
    """Return the same for scenarios like these: every scenario's drop may have either sign."""
    kinds, scale = Counter(strata), _scale(strata)
    drops = [(round(one.drop * scale), count) for one, count in kinds.items()]
    return _tails([(_Part(2 * abs(d), (0.5, 0.5), int(d < 0)), count) for d, count in drops if d])


def _scale(strata: Sequence[Stratum]) -> int:
    return min(lcm(*{n for one in strata for n in (one.trials_before, one.trials)}), FINEST)


def _exchanged(one: Stratum, scale: int) -> _Part:
    weight = round(scale / one.trials_before + scale / one.trials)
    least, chances = hypergeometric(one.passes, one.trials_before, one.trials)
    return _Part(weight, chances, one.passed - least)


@lru_cache(maxsize=4096)
def hypergeometric(passes: int, before: int, after: int) -> tuple[int, tuple[float, ...]]:
    """Return the least number of the passes that ``after`` trials can have, and all chances."""
    least, most = max(0, passes - before), min(passes, after)
    ways = [comb(after, k) * comb(before, passes - k) for k in range(least, most + 1)]
    return least, tuple(way / comb(before + after, passes) for way in ways)


def _tails(parts: Iterable[tuple[_Part, int]]) -> Tails:
    """Return both tails, of few passes and of many, from where the suite was found.

    A part comes with how often it is there. The order of the parts does not change a digit.
    """
    import numpy as np

    copies: Counter[tuple[int, tuple[float, ...]]] = Counter()
    found = 0
    for part, count in parts:
        if len(part.chances) > 1:
            copies[part.step, part.chances] += count
            found += part.found * part.step * count
    unit = gcd(*(step for step, _ in copies)) or 1
    total = np.ones(1)
    for (step, chances), count in sorted(copies.items()):
        total = np.convolve(total, _spaced(_repeated(chances, count), step // unit))
    place = found // unit
    worse, better = total[: place + 1].sum(), total[place:].sum()
    return Tails(min(1.0, float(worse)), min(1.0, float(better)))


@lru_cache(maxsize=4096)
def _repeated(chances: tuple[float, ...], count: int) -> NDArray[np.float64]:
    """Return the chances of the sum of so many independent ones."""
    import numpy as np

    if count == 1:
        return np.array(chances)
    half = _repeated(chances, count // 2)
    both = np.convolve(half, half)
    return np.convolve(both, chances) if count % 2 else both


def _spaced(chances: NDArray[np.float64], step: int) -> NDArray[np.float64]:
    import numpy as np

    spaced = np.zeros(step * (len(chances) - 1) + 1)
    spaced[::step] = chances
    return spaced


def exchanged_scores(before: Sequence[Sequence[float]], after: Sequence[Sequence[float]]) -> Tails:
    """Return the same of graded scores, a list for each scenario, from :data:`DRAWS` exchanges.

    The exchanges are drawn with one seed, so that the same scores always give the same answer.
    """
    import numpy as np

    generator = np.random.Generator(np.random.PCG64(0))
    drawn = np.zeros(DRAWS)
    found = 0.0
    for old, new in zip(before, after, strict=True):
        values, counts = np.unique(np.array([*old, *new]), return_counts=True)
        if len(values) == 1:
            continue
        weight = 1 / len(old) + 1 / len(new)
        chosen = generator.multivariate_hypergeometric(counts, len(new), size=DRAWS)
        drawn += weight * (chosen @ values)
        found += weight * float(np.sum(np.array(new)))
    below = int((drawn <= found + _TIE).sum())
    above = int((drawn >= found - _TIE).sum())
    return Tails((1 + below) / (1 + DRAWS), (1 + above) / (1 + DRAWS))
