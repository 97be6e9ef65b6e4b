"""Exact permutation tests: did the suite, a group, or a single scenario get worse?

Without a change the trials of a scenario are exchangeable between baseline and candidate. Given how
many of them passed, the passes of the candidate follow a hypergeometric distribution, and the mean
drop of the suite a convolution of these distributions, which is computed exactly.

Corrections for many tests are Benjamini and Hochberg's and Holm's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import comb, fsum, gcd, lcm
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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
    return fsum(stratum.drop for stratum in strata) / len(strata)


_FINEST: Final = 120
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
    return _tails([(_exchanged(stratum, scale), count) for stratum, count in kinds.items()])


def flipped_signs(strata: Sequence[Stratum]) -> Tails:
    """Return the same for scenarios like these: every scenario's drop may have either sign."""
    kinds, scale = Counter(strata), _scale(strata)
    drops = [(round(stratum.drop * scale), count) for stratum, count in kinds.items()]
    return _tails([(_Part(2 * abs(d), (0.5, 0.5), int(d < 0)), count) for d, count in drops if d])


def _scale(strata: Sequence[Stratum]) -> int:
    return min(
        lcm(*{n for stratum in strata for n in (stratum.trials_before, stratum.trials)}), _FINEST
    )


def _exchanged(stratum: Stratum, scale: int) -> _Part:
    weight = round(scale / stratum.trials_before + scale / stratum.trials)
    least, chances = hypergeometric(stratum.passes, stratum.trials_before, stratum.trials)
    return _Part(weight, chances, stratum.passed - least)


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


Side = Literal["worse", "better"]
FALSE_SHARE: Final = 0.1
"""The share of scenarios listed as changed that are not, on the mean (Benjamini & Hochberg)."""
_SINGLE_TIE: Final = 1e-12


def scenario_test(stratum: Stratum) -> Tails:
    """Return how likely so few passes of the candidate are without a change, and so many."""
    least, chances = hypergeometric(stratum.passes, stratum.trials_before, stratum.trials)
    extra = stratum.passed - least
    return Tails(min(1.0, sum(chances[: extra + 1])), min(1.0, sum(chances[extra:])))


def smallest(stratum: Stratum) -> Tails:
    """Return the smallest chances that a scenario can have, which passed as often in all."""
    _, chances = hypergeometric(stratum.passes, stratum.trials_before, stratum.trials)
    return Tails(chances[0], chances[-1])


def discoveries(chances: Sequence[float], possible: Sequence[float]) -> set[int]:
    """Return the places of the tests that found something (Benjamini & Hochberg).

    A test whose smallest ``possible`` chance is above ``FALSE_SHARE`` can find nothing, and does
    not count as one of many (Tarone; Gilbert).
    """
    able = [place for place, least in enumerate(possible) if least <= FALSE_SHARE + _SINGLE_TIE]
    ranked = sorted(able, key=lambda place: (chances[place], place))
    limits = [FALSE_SHARE * rank / len(able) for rank in range(1, len(able) + 1)]
    good = [
        rank
        for rank, (place, limit) in enumerate(zip(ranked, limits, strict=True), 1)
        if chances[place] <= limit + _SINGLE_TIE
    ]
    return set(ranked[: max(good, default=0)])


def changed(strata: Mapping[str, Stratum], side: Side) -> list[str]:
    """Return the scenarios that are found changed among these, in their order."""
    chances = [getattr(scenario_test(stratum), side) for stratum in strata.values()]
    possible = [getattr(smallest(stratum), side) for stratum in strata.values()]
    places = discoveries(chances, possible)
    return [name for place, name in enumerate(strata) if place in places]


def holm(chances: Sequence[float]) -> list[float]:
    """Return chances that hold for all tests together (Holm), in the order of the tests."""
    ranked = sorted(range(len(chances)), key=lambda place: chances[place])
    adjusted, largest = [1.0] * len(chances), 0.0
    for rank, place in enumerate(ranked):
        largest = max(largest, min(1.0, (len(chances) - rank) * chances[place]))
        adjusted[place] = largest
    return adjusted
