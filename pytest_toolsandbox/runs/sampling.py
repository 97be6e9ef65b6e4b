"""Choose a sample of a suite: some scenarios of each world, balanced over their categories.

The choice is the same on every machine, and a smaller sample is a part of a larger one.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

_SEED: Final = "toolsandbox sample 1"
"""Seeds the choice among scenarios that balance equally well."""


class Place(NamedTuple):
    """Where a scenario is in a suite: its world, and its categories."""

    world: str
    categories: Sequence[str]


def sampled(places: Mapping[str, Place], size: int) -> frozenset[str]:
    """Return the ids of at most ``size`` scenarios of each world; the order of ids is irrelevant.

    The next scenario is always of the category that has the fewest so far, and among those of it
    one whose other categories have few.
    """
    worlds: dict[str, dict[str, Sequence[str]]] = {}
    for name, place in places.items():
        worlds.setdefault(place.world, {})[name] = [*dict.fromkeys(place.categories)] or [""]
    return frozenset(name for of_world in worlds.values() for name in _chosen(of_world, size))


def _chosen(categories: Mapping[str, Sequence[str]], size: int) -> Iterator[str]:
    counts: Counter[str] = Counter()
    left = {name: _digest(name) for name in categories}
    for _ in range(min(size, len(left))):
        there = {category for name in left for category in categories[name]}
        fewest = min(counts[category] for category in there)
        rare = {category for category in there if counts[category] == fewest}
        nearest = [name for name in left if rare.intersection(categories[name])]
        name = min(nearest, key=lambda name: (_mean(counts, categories[name]), left[name]))
        counts.update(categories[name])
        del left[name]
        yield name


def _mean(counts: Mapping[str, int], categories: Sequence[str]) -> float:
    return sum(counts.get(category, 0) for category in categories) / len(categories)


def _digest(name: str) -> bytes:
    return hashlib.sha256(f"{_SEED}/{name}".encode("utf-8", "surrogatepass")).digest()
