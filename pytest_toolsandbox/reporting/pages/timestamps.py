"""Timestamps that people can read."""

from __future__ import annotations

import re
from datetime import datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pytest_toolsandbox.records.record import Record

_NUMBER = r"(\d{9,10}(?:\.\d+)?)\b(?!')"  # seconds since 1970; from 1973 to 2286
_ALONE = re.compile(rf"(?<![\w.+'-]){_NUMBER}")
_NAMED = re.compile(rf"(timestamp\w*: ){_NUMBER}")


def zone_of(record: Record) -> tzinfo | None:
    """Return the time zone of the record's world, by its name or else as the clock has it."""
    try:
        return ZoneInfo(record.get("time_zone", ""))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return datetime.fromisoformat(record["now"]).tzinfo


def with_wall_times(text: str, zone: tzinfo, name: str = "") -> str:
    """Add the wall time to the timestamps in a text.

    A number is one behind a name with "timestamp" in it, ``reminder_timestamp: 1741968000``, and
    anywhere if ``name``, that of the column or argument that the text is about, has that in it.
    """
    if "timestamp" in name:
        return _ALONE.sub(lambda found: f"{found[1]} ({_wall_time(found[1], zone)})", text)
    return _NAMED.sub(lambda found: f"{found[0]} ({_wall_time(found[2], zone)})", text)


def _wall_time(seconds: str, zone: tzinfo) -> str:
    moment = datetime.fromtimestamp(float(seconds), zone)
    return f"{moment:%Y-%m-%d %H:%M:%S}".removesuffix(":00")
