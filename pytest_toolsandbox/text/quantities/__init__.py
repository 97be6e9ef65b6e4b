"""Quantities in English texts: what a paraphrase must keep, whatever words it uses.

Numbers in digits and in words, times of day, dates, days of the week and days such as tomorrow,
durations, numbers to call and codes. Sentence embeddings hardly see the difference between
``5 pm`` and ``6 pm``; this does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Set as AbstractSet
from functools import lru_cache
from operator import itemgetter
from typing import Final

from pytest_toolsandbox.text.normal_text import typewritten
from pytest_toolsandbox.text.numerals import with_commas

from . import clock, dates, days, durations, numbers
from .quantity import Meaning, Quantity, Rule, taken

__all__ = ["Meaning", "Quantity", "has_moment", "missing", "quantities_in"]

_Rules = tuple[Rule, ...]

MOMENTS: Final[_Rules] = (numbers.TO_CALL, *dates.RULES, *clock.RULES, numbers.IN_DIGITS)
"""Rules for dates and times, and years that stand apart."""
ALL: Final[_Rules] = (*MOMENTS[:-1], *dates.ORDINALS, *days.RULES, *durations.RULES, *numbers.RULES)
"""In this order: what one rule has taken, the next ones do not see."""

_MAY_BE_MOMENT: Final = re.compile(r"\d[-/.:]\d|\d\s*[ap]\.?m\b|[a-z]{3}", re.IGNORECASE)
_GLUE: Final = re.compile(r"\b(?:at|on|the)\b", re.IGNORECASE)

_HOUR: Final = 3600
_DECIMALS: Final = {"1/2": "5", "1/4": "25", "3/4": "75"}
_MIXED: Final = re.compile(r"(?<![\w.,:/-])(?P<whole>\d{1,4})[ -](?P<part>1/2|1/4|3/4)(?![\d/])")
"""``2 1/2``, which is one number."""
_MARKERS: Final = re.compile(r"^([ \t]*)(\d{1,2})[.)](?=[ \t])", re.MULTILINE)


@lru_cache(maxsize=4096)
def quantities_in(text: str, rules: _Rules = ALL) -> tuple[Quantity, ...]:
    """Return what these rules find in a text, in its order."""
    rest = _without_markers(typewritten(with_commas(text)).replace("\u2044", "/"))
    rest = _MIXED.sub(lambda match: f"{match['whole']}.{_DECIMALS[match['part']]}", rest)
    found: list[tuple[int, Quantity]] = []
    for rule in rules:
        rest, more = taken(rule, rest)
        found.extend(more)
    return tuple(one for _, one in sorted(found, key=itemgetter(0)))


def missing(target: str, found: str) -> tuple[str, ...]:
    """Return the quantities of ``target`` that do not occur in ``found``, as they are written."""
    wanted = [one for one in quantities_in(target) if one.asked]
    given = _given(found) if wanted else frozenset()
    return tuple(dict.fromkeys(one.written for one in wanted if one.asked.isdisjoint(given)))


@lru_cache(maxsize=4096)
def _given(text: str) -> frozenset[Meaning]:
    return frozenset().union(*(one.given for one in quantities_in(text)))


def has_moment(target: str, text: str) -> bool:
    """Whether ``target`` is a date, a time of day or both, and a text gives the same.

    It may do so in other notations, as ``June 1, 2022`` gives ``2022-06-01``. A date is met by its
    day and, where it has one, its year, which may stand elsewhere, unless the day has another one.
    A time with a colon and without a half of the day, such as ``10:00``, is one of 24 hours; what
    else may be in either half, such as ``ten o'clock``, gives no more than that.
    """
    wanted = _moments(target)
    if not wanted:
        return False
    full = _full_dates(quantities_in(target, MOMENTS))
    given: set[Meaning] = set()
    for one in quantities_in(text, MOMENTS):
        years = _full_dates([one])
        is_of_another_year = full and years and full.isdisjoint(years)
        if not is_of_another_year:
            is_open = sum(kind == "time" for kind, *_ in one.given) > 1
            given |= _open_time(one) if is_open else one.given
    return not any(map(given.isdisjoint, wanted))


@lru_cache(maxsize=4096)
def _moments(target: str) -> tuple[frozenset[Meaning], ...]:
    """Return what a text must give, one of each set, if the target is but a date and a time."""
    if not _MAY_BE_MOMENT.search(target):
        return ()
    found, rest = quantities_in(target, MOMENTS), target
    for one in found:
        rest = rest.replace(one.written, " ")
    asked = [one.asked if len(one.asked) == 1 else _on_clock(one) for one in found]
    kinds = {kind for one in found for kind, *_ in one.asked}
    is_moment = kinds & {"date", "time"} and kinds <= {"date", "time", "number"}  # such as a year
    is_all = not any(map(str.isalnum, _GLUE.sub("", rest)))
    return tuple(asked) if is_moment and is_all and all(asked) else ()


def _on_clock(found: Quantity) -> frozenset[Meaning]:
    """Return what is asked for by a time with a colon that says no half of the day."""
    return _open_time(found) if ":" in found.written else frozenset()


def _open_time(found: Quantity) -> frozenset[Meaning]:
    """Return what a time gives that may be in either half of the day, and is nothing else.

    It is as open as others of its hour; with a colon it is one of 24 hours, too.
    """
    if {kind for kind, *_ in found.given} != {"time"}:
        return frozenset()
    hour, colon, _ = found.written.partition(":")
    on_clock = (one for one in found.given if colon and _is_in_hour(one, int(hour)))
    return frozenset({("either half", found.given), *on_clock})


def _is_in_hour(time: Meaning, hour: int) -> bool:
    _, seconds = time
    return isinstance(seconds, int) and seconds // _HOUR == hour


def _full_dates(found: Iterable[Quantity]) -> AbstractSet[Meaning]:
    return {meaning for one in found for meaning in one.given if meaning[0] == "full date"}


def _without_markers(text: str) -> str:
    """Blank out the numbers of a list's items, which count nothing."""
    numbers = {match[2] for match in _MARKERS.finditer(text)}
    if not numbers >= {"1", "2"}:
        return text
    return _MARKERS.sub(lambda match: " " * len(match[0]), text)
