"""The pause that a provider asks for in the headers of a refusal, in all formats in use."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

_UNITS: Final = (("retry-after-ms", 1000), ("retry-after", 1))
"""Headers with a number, and how many of its units make a second."""


def asked_pause(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the pause in seconds that headers with names in lower case ask for.

    A negative number, infinity and NaN ask for nothing, like a text that is not a date. A date in
    the past asks for no pause, since the clocks may differ.
    """
    for name, unit in _UNITS:
        with contextlib.suppress(LookupError, ValueError, TypeError):
            if 0 <= (seconds := float(headers[name]) / unit) < math.inf:
                return seconds
    with contextlib.suppress(LookupError, ValueError, TypeError, OverflowError):
        then = parsedate_to_datetime(headers["retry-after"])
        # Without a time zone, or with -0000, HTTP dates are in UTC.
        then = then if then.tzinfo else then.replace(tzinfo=UTC)
        return max(0.0, (then - now).total_seconds())
    return None
