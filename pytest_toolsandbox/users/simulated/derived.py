"""What follows from quantities that are known, so that who says it makes nothing up."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, combinations, pairwise, permutations, product
from typing import Any, Final

from pytest_toolsandbox.matchers.quantities import Meaning, quantities_in

SOME_YEAR: Final = 2000
"""For dates without one: a leap year."""
_YEARS: Final = range(2020, 2031)
"""In these a date is once on each day of the week."""
_DAY: Final = 86_400
_UNITS: Final = (3600, _DAY, 7 * _DAY)
_MONTH: Final = 30 * _DAY
_HOLIDAYS: Final = {
    "christmas": (12, 25),
    "xmas": (12, 25),
    "new year": (1, 1),
    "halloween": (10, 31),
}
_TODAY: Final = re.compile(r"\b(?:today|now)\b", re.IGNORECASE)
_NEIGHBOURS: Final = re.compile(r"\b(?:before|after|next|following|eve)\b", re.IGNORECASE)
_END: Final = re.compile(r"(?<=[.!?])\s+|\n")
_TOLD_BY: Final = {-1: "yesterday", 0: "today", 1: "tomorrow", 2: "after tomorrow"}


@lru_cache(maxsize=256)
def follows_from(lines: tuple[str, ...]) -> frozenset[Meaning]:
    """Return what follows: days before and after, how far they are from today, rounded durations.

    Where a day is known and a month, it may be one of that month.
    """
    known = "\n".join(lines)
    given = frozenset[tuple[Any, ...]]().union(*map(_given, lines))
    with_weekday = chain.from_iterable(map(_days_with_weekday, lines))
    days = {*_days(given), *with_weekday, *_holidays(known)}
    apart = [(one - other).days * _DAY for one, other in permutations(days, 2)]
    if _NEIGHBOURS.search(known):
        days |= {day + dt.timedelta(step) for day in days for step in (-1, 1)}
    durations = [one[1] for one in given if one[0] == "seconds"]
    return frozenset(
        (
            *(meaning for day in days for meaning in _meanings(day)),
            *_days_of_months(given),
            *_last_days(known),
            *(("number", one[1] // 3600 % 12 or 12) for one in given if one[0] == "time"),
            *(meaning for today in _todays(known) for meaning in _from(today, days, given)),
            *(meaning for one in durations for meaning in _rounded(one)),
            *(("seconds", one) for one in apart),
            *_shifted(given, durations),
            *(("seconds", one - other) for one, other in permutations(durations, 2)),
            *(("seconds", one + other) for one, other in combinations(durations, 2)),
        )
    )


def _given(text: str) -> frozenset[tuple[Any, ...]]:
    return frozenset().union(*(one.given for one in quantities_in(text)))


def _days(given: frozenset[tuple[Any, ...]]) -> Iterator[dt.date]:
    for kind, *numbers in given:
        if kind == "full date":
            yield from _day(*numbers)
        elif kind == "date":
            yield from _day(SOME_YEAR, *numbers)


def _day(year: Any, month: Any, day: Any) -> Iterator[dt.date]:
    try:
        yield dt.date(year, month, day)
    except ValueError:  # February 30 is no day
        return


def _last_days(known: str) -> Iterator[Meaning]:
    return (("ordinal", day) for day in range(28, 32) if "last day" in known)


def _holidays(known: str) -> Iterator[dt.date]:
    found = {date for name, date in _HOLIDAYS.items() if name in known.casefold()}
    return (dt.date(SOME_YEAR, *date) for date in found)


def _days_with_weekday(known: str) -> Iterator[dt.date]:
    """Yield the days whose weekday is told beside them: ``Friday, May 23``."""
    for pair in pairwise(quantities_in(known)):
        weekdays = [one for both in pair for one in both.given if one[0] == "weekday"]
        for _, *date in (one for both in pair for one in both.given if one[0] == "date"):
            found = (day for year in _YEARS for day in _day(year, *date))
            yield from (day for day in found if ("weekday", day.weekday()) in weekdays)


def _meanings(day: dt.date) -> Iterator[Meaning]:
    yield "date", day.month, day.day
    yield "ordinal", day.day
    if day.year != SOME_YEAR:
        yield "weekday", day.weekday()


def _days_of_months(given: frozenset[tuple[Any, ...]]) -> Iterator[Meaning]:
    months = {one[1] for one in given if one[0] in ("month", "date")}
    ordinals = {one[1] for one in given if one[0] == "ordinal"}
    return (("date", month, day) for month, day in product(months, ordinals))


def _todays(known: str) -> Iterator[dt.date]:
    """Yield what day it is today, if a sentence says so."""
    for sentence in _END.split(known):
        if _TODAY.search(sentence):
            yield from (day.replace(year=SOME_YEAR) for day in _days(_given(sentence)))


def _from(
    today: dt.date, days: set[dt.date], given: frozenset[tuple[Any, ...]]
) -> Iterator[Meaning]:
    """Yield tomorrow for its date and its date for tomorrow, and in how many days a day is."""
    for day in days:
        distance = (day.replace(year=SOME_YEAR) - today).days
        yield "seconds", distance * _DAY
        if distance in _TOLD_BY:
            yield "day", _TOLD_BY[distance]
    for distance, told in _TOLD_BY.items():
        if ("day", told) in given:
            yield from _meanings(today + dt.timedelta(distance))


def _rounded(seconds: Any) -> Iterator[Meaning]:
    """Yield a duration in whole larger units: 37 days are five weeks, and a month."""
    for unit in _UNITS:
        if seconds >= unit:
            yield "seconds", seconds // unit * unit
            yield "seconds", round(seconds / unit) * unit
    if seconds >= _MONTH:
        yield "months", seconds // _MONTH


def _shifted(given: frozenset[tuple[Any, ...]], durations: list[Any]) -> Iterator[Meaning]:
    """Yield the times of day that lie a known duration before or after a known one."""
    times = (one[1] for one in given if one[0] == "time")
    for time, duration in product(times, durations):
        yield "time", (time + duration) % _DAY
        yield "time", (time - duration) % _DAY
