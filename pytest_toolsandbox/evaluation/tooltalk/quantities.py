"""Numbers, dates and times in the free texts of calls, in a conversation whose day is known."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from pytest_toolsandbox.matchers.quantities import Meaning, Quantity, missing, quantities_in
from pytest_toolsandbox.matchers.quantities.dates import in_years

_DAYS: Final = {
    "today": 0, "some time today": 0, "evening": 0, "morning": 0, "afternoon": 0, "tomorrow": 1,
    "after tomorrow": 2, "yesterday": -1, "before yesterday": -2,
}  # fmt: skip
_WEEK: Final = 7
_DAY: Final = "day"
_OF_DAYS: Final = frozenset(("date", "full date", "weekday"))


def other_quantities(expected: str, found: str, today: dt.date | None) -> tuple[str, ...]:
    """Return what a text has in the place of numbers, dates and times of another one.

    What is only left out does not count: it may be written in a way that is not read here, such as
    ``Wed`` or ``9-12``. ``tomorrow`` and ``on Saturday`` are the same day if they are on ``today``,
    if that is known.
    """
    found = _with_days_of(expected, found, today) if today else found
    lacking = missing(expected, found)
    kinds = {
        kind for one in quantities_in(expected) if one.written in lacking for kind in _kinds(one)
    }
    given = _given(expected)
    others = (one for one in quantities_in(found) if one.asked and one.asked.isdisjoint(given))
    return tuple(dict.fromkeys(one.written for one in others if kinds & _kinds(one)))


def _kinds(one: Quantity) -> frozenset[str]:
    """Return of which kinds a quantity is; dates and days of the week are days."""
    return frozenset(_DAY if kind in _OF_DAYS else str(kind) for kind, *_ in one.asked)


def unknown_quantities(text: str, known: Iterable[str]) -> Iterator[str]:
    """Yield the numbers, dates and times of a text that no known text has.

    Durations are left out: they may be worked out from times.
    """
    asked = [one for one in quantities_in(text) if one.asked]
    given = frozenset[Meaning]().union(*map(_given, known)) if asked else frozenset()
    for one in asked:
        is_span = any(kind in ("seconds", "months") for kind, *_ in one.asked)
        if one.asked.isdisjoint(given) and not is_span:
            yield one.written


def _with_days_of(expected: str, found: str, today: dt.date) -> str:
    """Return a text in which days are named as in another: ``tomorrow`` for ``on Saturday``."""
    named = {day: one.written for one in quantities_in(expected) for day in _days_of(one, today)}
    for one in dict.fromkeys(quantities_in(found)) if named else ():
        words = next((named[day] for day in _days_of(one, today) if day in named), one.written)
        if words != one.written:
            found = re.sub(rf"(?<!\w){re.escape(one.written)}(?!\w)", words, found)
    return found


@lru_cache(maxsize=1024)
def _given(text: str) -> frozenset[Meaning]:
    return frozenset().union(*(one.given for one in quantities_in(text)))


def _days_of(one: Quantity, today: dt.date) -> Iterator[dt.date]:
    """Yield the days that a quantity may name."""
    for kind, *values in one.asked:
        if kind == "weekday":
            ahead = (int(str(values[0])) - today.weekday()) % _WEEK
            yield today + dt.timedelta(ahead)
            if not ahead:
                yield today + dt.timedelta(_WEEK)
        elif kind == "day" and values[0] in _DAYS:
            yield today + dt.timedelta(_DAYS[str(values[0])])
        elif kind == "date":
            month, day = map(int, map(str, values))
            yield from in_years((today.year, today.year + 1), month, day)
