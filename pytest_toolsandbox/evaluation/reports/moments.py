"""Points in time that stand in rows, arguments and results as seconds since 1970, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from math import isfinite
from typing import Any, Final

_TIMESTAMPS: Final = range(10**9, 4 * 10**9)
"""Numbers that are points in time."""
_DAYS: Final = {
    -1: "yesterday",
    0: "today",
    1: "tomorrow",
    2: "the day after tomorrow",
}
_NOON, _EVENING = 12, 17
"""The hours at which these parts of a day begin."""


def _is_timestamp(value: Any) -> bool:
    return type(value) in (int, float) and isfinite(value) and int(value) in _TIMESTAMPS


def moments_in(value: Any, now: datetime) -> Iterator[str]:
    """Yield the days and times of the numbers in a JSON value that are such, but for the present.

    They are in the time zone of ``now``, a line such as "Friday, January 02, 2026, 18:00, 06:00
    PM, tomorrow" each.
    """
    if isinstance(value, Mapping):
        for one in value.values():
            yield from moments_in(one, now)
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from moments_in(one, now)
    elif _is_timestamp(value) and value != now.timestamp():
        yield in_words(datetime.fromtimestamp(value, now.tzinfo), now)


def days_until(value: Any, now: datetime) -> Iterator[str]:
    """Yield in how many days, and minutes, the points in time of a JSON value are: ``38 days``."""
    if isinstance(value, (Mapping, list, tuple)):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from days_until(one, now)
    elif _is_timestamp(value):
        moment = datetime.fromtimestamp(value, now.tzinfo)
        yield f"{(moment.date() - now.date()).days} days"
        yield f"{abs(moment - now).total_seconds() // 60:.0f} minutes"


def in_words(moment: datetime, now: datetime) -> str:
    """Return a point in time as people may tell it."""
    far = (moment.date() - now.date()).days
    part = "morning" if moment.hour < _NOON else "afternoon"
    part = "evening" if moment.hour >= _EVENING else part
    today = f", this {part}{', tonight' * (part == 'evening')}" if far == 0 else ""
    day = f", {_DAYS[far]}{today}" if far in _DAYS else ""
    clock = "" if moment.hour == _NOON else f" {moment:%H:%M},"  # 12:00 may be midnight
    return f"{moment:%A, %B %d, %Y},{clock} {moment:%I:%M %p}{day}"
