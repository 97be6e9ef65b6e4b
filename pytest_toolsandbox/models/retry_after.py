"""The pause that a provider asks for in a refusal, in all formats in use."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

_UNITS: Final = (("retry-after-ms", 1000), ("retry-after", 1))
"""Headers with a number, and how many of its units make a second."""
_DEEPEST: Final = 6
"""How deep the body of a refusal is searched."""


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


def pause_in(body: Any, depth: int = _DEEPEST) -> float | None:
    """Return the pause that the body of a refusal asks for, as Google's does without a header.

    It is a duration such as ``45.8s`` in a ``google.rpc.RetryInfo`` among the details.
    """
    if not isinstance(body, (Mapping, list)) or not depth:
        return None
    if isinstance(body, Mapping) and str(body.get("@type")).endswith("google.rpc.RetryInfo"):
        with contextlib.suppress(ValueError):
            seconds = float(str(body.get("retryDelay")).removesuffix("s"))
            return seconds if 0 <= seconds < math.inf else None
    parts = body.values() if isinstance(body, Mapping) else body
    pauses = (pause_in(part, depth - 1) for part in parts)
    return next((pause for pause in pauses if pause is not None), None)
