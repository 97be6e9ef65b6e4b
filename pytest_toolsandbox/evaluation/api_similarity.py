"""How alike the names of tools are (SpecTool, section 7.2.2).

The more alike the names, the more often models call the wrong one, or too few.
"""

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
    if len(names) < 2:  # noqa: PLR2004  # there are no pairs
        return None
    tokens = [_tokens(name) for name in names]
    shared = frozenset.intersection(*tokens)
    pairs = list(itertools.combinations([one - shared for one in tokens], 2))
    return fsum(_jaccard(one, other) for one, other in pairs) / len(pairs)


def _tokens(name: str) -> frozenset[str]:
    """Return the words of a name, in ``snake_case`` or ``CamelCase``."""
    return frozenset(token.casefold() for token in _TOKEN.findall(name))


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of common words; two names without any are the same."""
    either = one | other
    return len(one & other) / len(either) if either else 1.0
