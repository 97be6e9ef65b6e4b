"""Dates and times of day in other notations: ``2022-06-01`` and ``June 1, 2022``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set as AbstractSet
from functools import lru_cache
from typing import Final

from . import MOMENTS, quantities_in
from .quantity import Meaning, Quantity

_MAY_BE: Final = re.compile(r"\d[-/.:]\d|\d\s*[ap]\.?m\b|[a-z]{3}", re.IGNORECASE)
_GLUE: Final = re.compile(r"\b(?:at|on|the)\b", re.IGNORECASE)


def has_moment(target: str, text: str) -> bool:
    """Whether ``target`` is a date, a time of day or both, and a text gives the same.

    A date is met by its day and, where it has one, its year, which may stand elsewhere, unless
    the day has another one. A time that may be in either half of the day, such as ``10:00``, is
    none here, and meets none.
    """
    wanted = _moments(target)
    if not wanted:
        return False
    full = _full_dates(quantities_in(target, MOMENTS))
    same = (one for one in quantities_in(text, MOMENTS) if _is_definite(one) and _may_be(full, one))
    return wanted <= {meaning for one in same for meaning in one.given}


@lru_cache(maxsize=4096)
def _moments(target: str) -> frozenset[Meaning]:
    """Return what a text must give where the target is nothing but a date and a time."""
    if not _MAY_BE.search(target):
        return frozenset()
    found, rest = quantities_in(target, MOMENTS), target
    for one in found:
        rest = rest.replace(one.written, " ")
    asked = [one.asked for one in found]
    kinds = {kind for meanings in asked for kind, *_ in meanings}
    if (
        any(map(str.isalnum, _GLUE.sub("", rest)))
        or not kinds & {"date", "time"}
        or not kinds <= _KINDS
    ):
        return frozenset()
    return frozenset().union(*asked) if all(len(one) == 1 for one in asked) else frozenset()


_KINDS: Final = frozenset({"date", "time", "number"})
"""A year is a number."""


def _may_be(full: AbstractSet[Meaning], one: Quantity) -> bool:
    """Whether a date may be one of these, as far as both have a year."""
    years = _full_dates([one])
    return not full or not years or not full.isdisjoint(years)


def _full_dates(found: Iterable[Quantity]) -> AbstractSet[Meaning]:
    return {meaning for one in found for meaning in one.given if meaning[0] == "full date"}


def _is_definite(one: Quantity) -> bool:
    return sum(kind == "time" for kind, *_ in one.given) <= 1
