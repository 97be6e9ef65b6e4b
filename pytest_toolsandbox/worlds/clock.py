"""Reads dates and times, absolute or relative to the world's clock, in its time zone."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

_UNITS = {"w": "weeks", "d": "days", "h": "hours", "m": "minutes", "s": "seconds"}
_DAYS = {"yesterday": -1, "today": 0, "tomorrow": 1}
FORMS = (
    "'2025-03-15 17:00', '2025-03-15', 'now', 'now+2h', 'now-1d12h', 'today 09:00', "
    "'tomorrow 17:00' or 'today+3d 17:00'"
)

_TIME = r"((?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?)"
_ABSOLUTE = re.compile(rf"(\d{{4}}-\d{{2}}-\d{{2}})(?:[ T]{_TIME})?", re.ASCII)
_RELATIVE = re.compile(
    rf"(now|yesterday|today|tomorrow)((?:[+-](?:\d{{1,9}}[wdhms])+)?)(?: {_TIME})?", re.ASCII
)


def read_moment(text: str, now: datetime) -> datetime:
    """Return the date and time that a text names, in the time zone of ``now``.

    Days and weeks are added on the calendar (17:00 stays 17:00 when the clocks change), hours,
    minutes and seconds on the time line. Raises ``ValueError``, also for a day that does not exist
    and for a wall time that the clocks skip.
    """
    try:
        return _moment(text, now)
    except OverflowError:
        raise ValueError(f"{text!r} is not in the years 1 to 9999") from None


def _moment(text: str, now: datetime) -> datetime:
    if match := _ABSOLUTE.fullmatch(text):
        day, time = match.groups()
        return _existing(_wall(day, time, now, text), text)
    match = _RELATIVE.fullmatch(text)
    if not match or (match[1] == "now" and match[3]):
        raise ValueError(f"{text!r} is not a date or time; allowed are {FORMS}")
    base, offset, time = match.groups()
    shift = _offset(offset)
    calendar = timedelta(days=shift.pop("days", 0), weeks=shift.pop("weeks", 0))
    if base == "now":
        # Adding a timedelta, even an empty one, loses the fold of two equal wall times.
        return _later(_existing(now + calendar, text) if calendar else now, shift)
    day = (now + timedelta(days=_DAYS[base]) + calendar).date().isoformat()
    return _later(_existing(_wall(day, time, now, text), text), shift)


def _offset(text: str) -> dict[str, int]:
    sign = -1 if text.startswith("-") else 1
    shift: dict[str, int] = {}
    for count, unit in re.findall(r"(\d+)([wdhms])", text):
        shift[_UNITS[unit]] = shift.get(_UNITS[unit], 0) + sign * int(count)
    return shift


def _later(start: datetime, shift: dict[str, int]) -> datetime:
    """Shift on the time line, through UTC: aware datetimes are shifted on the wall clock."""
    return (start.astimezone(UTC) + timedelta(**shift)).astimezone(start.tzinfo)


def _wall(day: str, time: str | None, now: datetime, text: str) -> datetime:
    try:
        return datetime.fromisoformat(f"{day}T{time or '00:00'}").replace(tzinfo=now.tzinfo)
    except ValueError:
        raise ValueError(f"{text!r} does not exist: the calendar has no such day") from None


def _existing(wall: datetime, text: str) -> datetime:
    """Refuse a wall time that the clocks skip: only such a time is earlier with ``fold=1``."""
    if wall.timestamp() > wall.replace(fold=1).timestamp():
        raise ValueError(f"{text!r} does not exist in {wall.tzinfo}: the clocks skip it")
    return wall
