"""Which scenarios changed: an exact test of each, and what keeps many tests from finding luck."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal

from .permutation import Tails, hypergeometric
from .strata import Stratum

Side = Literal["worse", "better"]
FALSE_SHARE: Final = 0.1
"""The share of scenarios listed as changed that are not, on the mean (Benjamini & Hochberg)."""
_TIE: Final = 1e-12


def scenario_test(one: Stratum) -> Tails:
    """Return how likely so few passes of the candidate are without a change, and so many."""
    least, chances = hypergeometric(one.passes, one.trials_before, one.trials)
    found = one.passed - least
    return Tails(min(1.0, sum(chances[: found + 1])), min(1.0, sum(chances[found:])))


def smallest(one: Stratum) -> Tails:
    """Return the smallest chances that a scenario can have, which passed as often in all."""
    _, chances = hypergeometric(one.passes, one.trials_before, one.trials)
    return Tails(chances[0], chances[-1])


def discoveries(chances: Sequence[float], possible: Sequence[float]) -> set[int]:
    """Return the places of the tests that found something (Benjamini & Hochberg).

    A test whose smallest ``possible`` chance is above ``FALSE_SHARE`` can find nothing, and does
    not count as one of many (Tarone; Gilbert).
    """
    able = [place for place, least in enumerate(possible) if least <= FALSE_SHARE + _TIE]
    ranked = sorted(able, key=lambda place: (chances[place], place))
    limits = [FALSE_SHARE * rank / len(able) for rank in range(1, len(able) + 1)]
    good = [
        rank
        for rank, (place, limit) in enumerate(zip(ranked, limits, strict=True), 1)
        if chances[place] <= limit + _TIE
    ]
    return set(ranked[: max(good, default=0)])


def changed(strata: Mapping[str, Stratum], side: Side) -> list[str]:
    """Return the scenarios that are found changed among these, in their order."""
    chances = [getattr(scenario_test(one), side) for one in strata.values()]
    possible = [getattr(smallest(one), side) for one in strata.values()]
    found = discoveries(chances, possible)
    return [name for place, name in enumerate(strata) if place in found]


def holm(chances: Sequence[float]) -> list[float]:
    """Return chances that hold for all tests together (Holm), in the order of the tests."""
    ranked = sorted(range(len(chances)), key=lambda place: chances[place])
    adjusted, largest = [1.0] * len(chances), 0.0
    for rank, place in enumerate(ranked):
        largest = max(largest, min(1.0, (len(chances) - rank) * chances[place]))
        adjusted[place] = largest
    return adjusted
