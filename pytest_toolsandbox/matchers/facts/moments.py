"""Days and times of a text on a day that is known, beside those of another."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from pytest_toolsandbox.matchers.quantities import Meaning, Quantity, quantities_in
from pytest_toolsandbox.matchers.quantities.dates import in_years

_DAYS: Final = {
    "today": 0, "some time today": 0, "evening": 0, "morning": 0, "afternoon": 0, "tomorrow": 1,
    "after tomorrow": 2, "yesterday": -1, "before yesterday": -2,
}  # fmt: skip
_TIME: Final = re.compile(r"\b([01]\d|2[0-3]):([0-5]\d):[0-5]\d\b")
_NIGHT: Final = re.compile(r"\bin the night\b")
_PERIOD: Final = re.compile(r"\b(?:next|last|this) (?:week|month|year|time)\b|\bin \w+ weeks?\b")
_HALF_A_DAY: Final = 12 * 3600
_DAY: Final = 2 * _HALF_A_DAY
_AWAKE: Final = range(6 * 3600, 21 * 3600)


def with_days_of(expected: str, found: str, today: dt.date) -> str:
    """Return a text in which days are named as in another: ``tomorrow`` for ``on Saturday``."""
    named = {day: one.written for one in quantities_in(expected) for day in _days_of(one, today)}
    for one in dict.fromkeys(quantities_in(found)) if named else ():
        words = next((named[day] for day in _days_of(one, today) if day in named), one.written)
        if words != one.written:
            found = re.sub(rf"(?<!\w){re.escape(one.written)}(?!\w)", words, found)
    return found


def other_moments(expected: str, found: str, known: Sequence[str], today: dt.date) -> Iterator[str]:
    """Yield the days and times of a text that neither another nor the conversation has."""
    texts = (expected, *known)
    days = {today}.union(*(_all_days(one, today) for one in texts))
    strange = {*unknown_values(found, (*texts, str(today.year)))}
    for one in quantities_in(found):
        its = _days_of(one, today)
        if its.isdisjoint(days) if its else one in strange:
            yield one.written
    yield from _other_halves(expected, found, known)
    for pattern in (_NIGHT, _PERIOD):
        more = pattern.search(found.casefold())
        if more and more[0] not in " ".join(texts).casefold():
            yield more[0]


def _other_halves(expected: str, found: str, known: Sequence[str]) -> Iterator[str]:
    """Yield times in the half of the day that is not meant: ``10 pm`` for ``at ten``."""
    told = frozenset().union(*map(_times_in, known))
    own = [_times(one) for one in quantities_in(expected)]
    for one in quantities_in(found):
        times = _times(one)
        if len(times) == 1 and any(times < its for its in own) and times.isdisjoint(told):
            time = min(times)
            if (time + _HALF_A_DAY) % _DAY in told or time not in _AWAKE:
                yield one.written


def _times(one: Quantity) -> frozenset[int]:
    return frozenset(int(str(values[0])) for kind, *values in one.asked if kind == "time")


def unknown_values(text: str, known: Iterable[str]) -> Iterator[Quantity]:
    """Yield what stands in no known text, but for durations, which may be reckoned."""
    asked = [one for one in quantities_in(text) if one.asked]
    given = frozenset().union(*map(_given, known)) if asked else frozenset()
    for one in asked:
        is_span = any(kind in ("seconds", "months") for kind, *_ in one.asked)
        if one.asked.isdisjoint(given) and not is_span:
            yield one


@lru_cache(maxsize=1024)
def _given(text: str) -> frozenset[Meaning]:
    return frozenset().union(*(one.given for one in quantities_in(text)))


@lru_cache(maxsize=1024)
def _times_in(text: str) -> frozenset[int]:
    """Return the times of day that a text has without doubt, in seconds."""
    written = {int(hour) * 3600 + int(minute) * 60 for hour, minute in _TIME.findall(text)}
    read = (_times(one) for one in quantities_in(text))
    return frozenset(written.union(*(times for times in read if len(times) == 1)))


@lru_cache(maxsize=1024)
def _all_days(text: str, today: dt.date) -> frozenset[dt.date]:
    return frozenset(day for one in quantities_in(text) for day in _days_of(one, today))


def _days_of(one: Quantity, today: dt.date) -> frozenset[dt.date]:
    """Return the days that a quantity may name."""
    return frozenset(_days(one.asked, today))


def _days(meanings: Iterable[Meaning], today: dt.date) -> Iterator[dt.date]:
    for kind, *values in meanings:
        if kind == "weekday":
            ahead = (int(str(values[0])) - today.weekday()) % 7
            yield today + dt.timedelta(ahead)
            if not ahead:
                yield today + dt.timedelta(7)
        elif kind == "day" and values[0] in _DAYS:
            yield today + dt.timedelta(_DAYS[str(values[0])])
        elif kind == "date":
            month, day = map(int, map(str, values))
            yield from in_years((today.year, today.year + 1), month, day)
