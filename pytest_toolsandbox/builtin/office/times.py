"""Times of day, dates and times in the office's format, without a time zone.

Numbers without leading zeros are valid, and texts are stored unchanged.
"""

from __future__ import annotations

from datetime import datetime, time
from functools import lru_cache
from typing import Final

from pytest_toolsandbox.worlds.context import Context

TIME = "%H:%M:%S"
MOMENT = "%Y-%m-%d %H:%M:%S"
_KNOWN: Final = 4096
"""How many texts are read once: tools read all rows of a table at each call, and it is slow."""


def now(context: Context) -> datetime:
    """Return the world's time without a time zone, for comparisons."""
    return context.now.replace(tzinfo=None)


@lru_cache(_KNOWN)
def time_of_day(text: str) -> time:
    """Read ``07:30:00``. Raises ``ValueError``."""
    try:
        return datetime.strptime(text, TIME).time()  # noqa: DTZ007  # there are no time zones
    except ValueError:
        raise ValueError(f"{text!r} is no time of day: write it like '18:30:00'") from None


@lru_cache(_KNOWN)
def moment(text: str) -> datetime:
    """Read ``2025-09-15 09:00:00``. Raises ``ValueError``."""
    try:
        return datetime.strptime(text, MOMENT)  # noqa: DTZ007  # there are no time zones
    except ValueError:
        raise ValueError(
            f"{text!r} is no date and time: write them like '2025-09-15 18:30:00'"
        ) from None
