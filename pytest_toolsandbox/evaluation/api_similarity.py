"""How alike the names of tools are: models confuse what is alike (SpecTool, section 7.2.2)."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection
from functools import lru_cache
from math import fsum

_TOKEN = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")


def api_similarity(names: Collection[str]) -> float | None:
    """Return the mean Jaccard similarity, in [0, 1], of each two names; ``None`` of fewer.

    A name is the set of its words, without those that all names share.
    """
    return _similarity(tuple(sorted(names)))


@lru_cache(maxsize=256)  # many scenarios offer the same tools
def _similarity(names: tuple[str, ...]) -> float | None:
    words = [frozenset(token.casefold() for token in _TOKEN.findall(name)) for name in names]
    shared = frozenset[str]().union(*words).intersection(*words)
    pairs = list(itertools.combinations([one - shared for one in words], 2))
    return fsum(_jaccard(one, other) for one, other in pairs) / len(pairs) if pairs else None


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of common words; two names without any are the same."""
    return len(one & other) / len(one | other) if one or other else 1.0
