"""Exact permutation tests: did the suite, a group of scenarios, or a single scenario get worse?

If nothing changed, the trials of a scenario are exchangeable between baseline and candidate. Given
the number of passes of both together, those of the candidate follow a hypergeometric distribution.
The mean drop of the suite is a convolution of these distributions, which is computed exactly.

For many tests, the corrections of Benjamini and Hochberg and of Holm apply.
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
    """The passes and trials of a scenario in the baseline (``before``) and in the candidate.

    Both numbers of trials are at least 1.
    """

    passed_before: int
    trials_before: int
    passed: int
    trials: int

    @property
    def passes(self) -> int:
        """The number of passes in both samples."""
        return self.passed_before + self.passed

    @property
    def drop(self) -> float:
        """The fall of the pass rate, from -1 to 1."""
        return self.passed_before / self.trials_before - self.passed / self.trials


def mean_drop(strata: Sequence[Stratum]) -> float:
    """Return the mean fall of the pass rate, with equal weights of the scenarios."""
    return fsum(stratum.drop for stratum in strata) / len(strata)


_FINEST: Final = 120
"""The maximum number of lattice steps in a pass rate of 1, to which weights are rounded.

The test remains exact, since the labels are exchanged in the same way. Only the weights of the
scenarios change, by less than a hundredth.
"""
DRAWS: Final = 9999
"""The number of random exchanges of labels in the test of graded scores."""
_TIE: Final = 1e-9


class Tails(NamedTuple):
    """The probabilities, if nothing changed, of a drop at least, and at most, this large."""

    worse: float
    better: float


class _Part(NamedTuple):
    """The contribution of a scenario to the statistic: multiples of ``step``.

    ``chances`` are their probabilities, ``observed`` is the actual multiple.
    """

    step: int
    chances: tuple[float, ...]
    observed: int


def exchanged_labels(strata: Sequence[Stratum]) -> Tails:
    """Return the exact probabilities of the mean drop of this suite if nothing changed."""
    kinds, scale = Counter(strata), _scale(strata)
    return _tails([(_exchanged(stratum, scale), count) for stratum, count in kinds.items()])


def flipped_signs(strata: Sequence[Stratum]) -> Tails:
    """Return the same for the population of scenarios like these.

    If nothing changed, the drop of every scenario has either sign with equal probability.
    """
    kinds, scale = Counter(strata), _scale(strata)
    drops = [(round(stratum.drop * scale), count) for stratum, count in kinds.items()]
    return _tails([(_Part(2 * abs(d), (0.5, 0.5), int(d < 0)), count) for d, count in drops if d])


def _scale(strata: Sequence[Stratum]) -> int:
    return min(
        lcm(*{n for stratum in strata for n in (stratum.trials_before, stratum.trials)}), _FINEST
    )


def _exchanged(stratum: Stratum, scale: int) -> _Part:
    # Given all passes, one more pass of the candidate is one less of the baseline: its weight is
    # the sum of both rates.
    weight = round(scale / stratum.trials_before + scale / stratum.trials)
    least, chances = hypergeometric(stratum.passes, stratum.trials_before, stratum.trials)
    return _Part(weight, chances, stratum.passed - least)


@lru_cache(maxsize=4096)
def hypergeometric(passes: int, before: int, after: int) -> tuple[int, tuple[float, ...]]:
    """Return the smallest possible number of passes in ``after`` trials, and all probabilities."""
    least, most = max(0, passes - before), min(passes, after)
    ways = [comb(after, k) * comb(before, passes - k) for k in range(least, most + 1)]
    return least, tuple(way / comb(before + after, passes) for way in ways)


def _tails(parts: Iterable[tuple[_Part, int]]) -> Tails:
    """Return both tails at the observed statistic.

    Each part comes with its number of copies. The order of the parts does not change any digit.
    """
    import numpy as np

    copies: Counter[tuple[int, tuple[float, ...]]] = Counter()
    observed = 0
    for part, count in parts:
        # A scenario that always or never passed has one outcome only, and carries no information.
        if len(part.chances) > 1:
            copies[part.step, part.chances] += count
            observed += part.observed * part.step * count
    unit = gcd(*(step for step, _ in copies)) or 1
    total = np.ones(1)
    # Sums of floats depend on their order: sorting makes the result independent of file order.
    for (step, chances), count in sorted(copies.items()):
        total = np.convolve(total, _spaced(_repeated(chances, count), step // unit))
    place = observed // unit
    worse, better = total[: place + 1].sum(), total[place:].sum()
    return Tails(min(1.0, float(worse)), min(1.0, float(better)))


@lru_cache(maxsize=4096)
def _repeated(chances: tuple[float, ...], count: int) -> NDArray[np.float64]:
    """Return the probabilities of the sum of ``count`` independent copies."""
    import numpy as np

    if count == 1:
        return np.array(chances)
    # Repeated squaring: a suite has a few kinds of strata, but hundreds of copies.
    half = _repeated(chances, count // 2)
    both = np.convolve(half, half)
    return np.convolve(both, chances) if count % 2 else both


def _spaced(chances: NDArray[np.float64], step: int) -> NDArray[np.float64]:
    import numpy as np

    spaced = np.zeros(step * (len(chances) - 1) + 1)
    spaced[::step] = chances
    return spaced


def exchanged_scores(before: Sequence[Sequence[float]], after: Sequence[Sequence[float]]) -> Tails:
    """Return the tails for graded scores, a list per scenario, from :data:`DRAWS` exchanges.

    The random numbers have a fixed seed, so equal scores always give equal results.
    """
    import numpy as np

    generator = np.random.Generator(np.random.PCG64(0))
    drawn = np.zeros(DRAWS)
    observed = 0.0
    for old, new in zip(before, after, strict=True):
        values, counts = np.unique(np.array([*old, *new]), return_counts=True)
        if len(values) == 1:
            continue
        weight = 1 / len(old) + 1 / len(new)
        chosen = generator.multivariate_hypergeometric(counts, len(new), size=DRAWS)
        drawn += weight * (chosen @ values)
        observed += weight * float(np.sum(np.array(new)))
    # The tolerance counts draws that differ from the observed value by rounding only.
    below = int((drawn <= observed + _TIE).sum())
    above = int((drawn >= observed - _TIE).sum())
    # The observed exchange counts as one of the draws, so no probability is 0 and the test is
    # valid (Phipson & Smyth 2010).
    return Tails((1 + below) / (1 + DRAWS), (1 + above) / (1 + DRAWS))


Side = Literal["worse", "better"]
FALSE_SHARE: Final = 0.1
"""The expected share of false discoveries among the listed changes (Benjamini & Hochberg)."""
_SINGLE_TIE: Final = 1e-12


def scenario_test(stratum: Stratum) -> Tails:
    """Return the probabilities of at most, and at least, so many passes of the candidate."""
    least, chances = hypergeometric(stratum.passes, stratum.trials_before, stratum.trials)
    extra = stratum.passed - least
    return Tails(min(1.0, sum(chances[: extra + 1])), min(1.0, sum(chances[extra:])))


def smallest(stratum: Stratum) -> Tails:
    """Return the smallest possible probabilities of a scenario with this number of passes."""
    _, chances = hypergeometric(stratum.passes, stratum.trials_before, stratum.trials)
    return Tails(chances[0], chances[-1])


def discoveries(chances: Sequence[float], possible: Sequence[float]) -> set[int]:
    """Return the places of the tests that are significant (Benjamini & Hochberg).

    A test whose smallest ``possible`` probability is above ``FALSE_SHARE`` can never be
    significant, so it does not count towards the number of tests (Tarone; Gilbert).
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
    """Return the scenarios that changed significantly, in their order."""
    chances = [getattr(scenario_test(stratum), side) for stratum in strata.values()]
    possible = [getattr(smallest(stratum), side) for stratum in strata.values()]
    places = discoveries(chances, possible)
    return [name for place, name in enumerate(strata) if place in places]


def holm(chances: Sequence[float]) -> list[float]:
    """Return adjusted probabilities for all tests together (Holm), in the order of the tests."""
    ranked = sorted(range(len(chances)), key=lambda place: chances[place])
    adjusted, largest = [1.0] * len(chances), 0.0
    for rank, place in enumerate(ranked):
        # Adjusted values must not decrease with the rank.
        largest = max(largest, min(1.0, (len(chances) - rank) * chances[place]))
        adjusted[place] = largest
    return adjusted
