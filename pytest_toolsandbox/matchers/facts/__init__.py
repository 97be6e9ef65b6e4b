"""Facts of English texts: in what another text tells something else than the expected one.

Numbers, times, dates, names, and what is denied. Measures of likeness hardly see these: a text of
much the same words, or of a near vector, may still say the opposite.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from .names import other_names
from .negations import contradictions
from .values import other_values

__all__ = ["disagreements"]


@lru_cache(maxsize=4096)
def disagreements(expected: str, found: str) -> tuple[str, ...]:
    """Return in what facts a text differs from the expected one, in words for a report."""
    return tuple(_disagreements(expected, found)) if expected != found else ()


def _disagreements(expected: str, found: str) -> Iterator[str]:
    yield from other_values(expected, found)
    yield from other_names(expected, found)
    yield from contradictions(expected, found)
