"""Suggests the valid name that is nearest to an unknown one."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Final

from .formatting import quote

_LEAST_LIKENESS: Final = 0.5
"""The minimum similarity, in [0, 1], at which a model may have meant a name."""

CLOSE: Final = 0.7
"""The minimum similarity, in [0, 1], at which a person probably mistyped a name."""

SURELY: Final = 0.85
"""The minimum similarity, in [0, 1], at which a name is certainly misspelt."""

_COMPARED: Final = 200
"""How many characters of a name are compared, since a model may write a name of any length."""

_MOST_COMPARED: Final = 1000
"""With how many names a name is compared."""

_MOST_NAMES: Final = 50
"""How many names a message lists."""

FEW_NAMES: Final = 8
"""How many names a message lists in addition to the nearest one."""


def nearest_name(name: str, valid: Iterable[str], least: float = _LEAST_LIKENESS) -> str | None:
    """Return the most similar valid name, if its similarity is at least ``least``.

    Case and separators do not count: ``getMovie`` equals ``get_movie``. Ties go to the first in
    alphabetical order. Of very many names, those with the nearest lengths are compared.
    """
    names = heapq.nsmallest(
        _MOST_COMPARED, set(valid), lambda candidate: (abs(len(candidate) - len(name)), candidate)
    )
    best, nearest = least, None
    # Sorted by an upper bound, which is cheap, so that few names need the slow comparison.
    for bound, candidate in sorted(
        ((_upper_bound(name, candidate), candidate) for candidate in names), reverse=True
    ):
        if bound < best:
            break
        similarity = _similarity(name, candidate)
        if similarity > best or (similarity == best and (nearest is None or candidate < nearest)):
            best, nearest = similarity, candidate
    return nearest


def did_you_mean(name: str, valid: Iterable[str]) -> str:
    """Return the end of a message about an unknown name: the nearest one, if it is close."""
    close = nearest_name(name, valid, CLOSE)
    return f"; did you mean {close!r}?" if close else ""


def unknown(kind: str, name: object, allowed: Iterable[str], owner: str = "") -> str:
    """Return the message for an unknown name, with the nearest and the allowed names.

    ``owner`` is its place, as in ``unknown column 'x' of table 'y'``.
    """
    names = list(allowed)
    hint = did_you_mean(str(name), names)
    problem = f"unknown {kind} {quote(str(name))}{f' {owner}' if owner else ''}{hint}"
    if hint and len(names) > FEW_NAMES:
        return problem
    if not names:
        return f"{problem} (there are none)"
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"{problem} (allowed: {', '.join(names[:_MOST_NAMES])}{more})"


@lru_cache(maxsize=4096)
def _similarity(first: str, second: str) -> float:
    return SequenceMatcher(None, _letters(first), _letters(second), autojunk=False).ratio()


def _upper_bound(first: str, second: str) -> float:
    """Return the similarity without regard to the order of letters."""
    letters, other_letters = _letter_counts(first), _letter_counts(second)
    total = letters.total() + other_letters.total()
    return 2.0 * (letters & other_letters).total() / total if total else 1.0


@lru_cache(maxsize=4096)
def _letter_counts(name: str) -> Counter[str]:
    return Counter(_letters(name))


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name[:_COMPARED].casefold()))
