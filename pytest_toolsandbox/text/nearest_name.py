"""The valid name that was probably meant by one that is not."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Final

from .formatting import quote

_LEAST_LIKENESS: Final = 0.5
"""From which likeness on, in [0, 1], a model may have meant a name."""

CLOSE: Final = 0.7
"""From which likeness on, in [0, 1], a person probably mistyped a name."""

SURELY: Final = 0.85
"""From which likeness on, in [0, 1], a name is a misspelling and not another name."""

_COMPARED: Final = 200
"""Characters of a name that are compared: a model may write a name of any length."""

_MOST_COMPARED: Final = 1000
"""How many names one is compared with."""

_MOST_NAMES: Final = 50
"""How many names a message lists."""

FEW_NAMES: Final = 8
"""How many names a message lists beside the nearest one."""


def nearest_name(name: str, valid: Iterable[str], least: float = _LEAST_LIKENESS) -> str | None:
    """Return the valid name that is most alike, if any is ``least`` so; of several, the first.

    Case and what separates words do not count: ``getMovie`` is ``get_movie``. Of very many names
    those are compared whose lengths are nearest.
    """
    names = heapq.nsmallest(
        _MOST_COMPARED, set(valid), lambda one: (abs(len(one) - len(name)), one)
    )
    best: tuple[float, str | None] = least, None
    for most, one in sorted(((_at_most(name, one), one) for one in names), reverse=True):
        if most < best[0]:
            break
        likeness = _likeness(name, one)
        if likeness > best[0] or (likeness == best[0] and (best[1] is None or one < best[1])):
            best = likeness, one
    return best[1]


def did_you_mean(name: str, valid: Iterable[str]) -> str:
    """Return the end of a message about a mistyped name: the nearest that is close."""
    close = nearest_name(name, valid, CLOSE)
    return f"; did you mean {close!r}?" if close else ""


def unknown(kind: str, name: object, allowed: Iterable[str], of: str = "") -> str:
    """Say that a name does not exist, and which is the nearest, or which ones do.

    ``of`` says where, as in ``unknown column 'x' of table 'y'``.
    """
    names = list(allowed)
    hint = did_you_mean(str(name), names)
    problem = f"unknown {kind} {quote(str(name))}{f' {of}' if of else ''}{hint}"
    if hint and len(names) > FEW_NAMES:
        return problem
    if not names:
        return f"{problem} (there are none)"
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"{problem} (allowed: {', '.join(names[:_MOST_NAMES])}{more})"


@lru_cache(maxsize=4096)
def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, _letters(one), _letters(other), autojunk=False).ratio()


def _at_most(one: str, other: str) -> float:
    """Return what the likeness would be if the order of letters did not count."""
    mine, its = _counted(one), _counted(other)
    both = mine.total() + its.total()
    return 2.0 * (mine & its).total() / both if both else 1.0


@lru_cache(maxsize=4096)
def _counted(name: str) -> Counter[str]:
    return Counter(_letters(name))


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name[:_COMPARED].casefold()))
