"""Whether an argument of a call is the one that was expected, by the measure of its tool."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Any, Final, Literal

from pytest_toolsandbox.worlds.state import plain

NamedMeasure = Literal["exact", "set", "date"]

_DATE_AND_TIME: Final = "%Y-%m-%d %H:%M:%S"
"""Takes numbers without leading zeros, too, which ISO 8601 does not."""


def equal(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal as Python sees it: 1, 1.0 and true are."""
    return bool(plain(one) == plain(other))


def same_members(one: Any, other: Any) -> bool:
    """Whether two lists have the same members, in any order and any number."""
    if not isinstance(one, (list, tuple)) or not isinstance(other, (list, tuple)):
        return False
    members, others = plain(one), plain(other)
    return all(member in others for member in members) and all(m in members for m in others)


def same_day(one: Any, other: Any) -> bool:
    """Whether two texts are dates and times of one day, or one text."""
    day = _day(one)
    return equal(one, other) or (day is not None and day == _day(other))


MEASURES: Final[Mapping[NamedMeasure, Callable[[Any, Any], bool]]] = {
    "exact": equal,
    "set": same_members,
    "date": same_day,
}


def _day(text: Any) -> date | None:
    if not isinstance(text, str):
        return None
    for read in (_date_and_time, datetime.fromisoformat):
        try:
            return read(text).date()
        except ValueError:
            continue
    return None


def _date_and_time(text: str) -> datetime:
    return datetime.strptime(text, _DATE_AND_TIME)  # noqa: DTZ007  # its day is all that counts
