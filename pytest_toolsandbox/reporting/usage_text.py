"""What trials used of models, in words: tokens, cost and time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

UNKNOWN = "unknown"
"""What is said of a figure that a provider does not tell."""


def spent_words(records: Sequence[Mapping[str, Any]]) -> tuple[str, str, str]:
    """Return tokens, cost in US dollars and seconds of all who asked a model, in words.

    They are empty where nothing was asked of a model, ``unknown`` where it is not told.
    """
    used = [one for record in records for one in record.get("usage", {}).values()]
    if not used:
        return "", "", ""
    tokens = total(one[name] for one in used for name in ("input_tokens", "output_tokens"))
    cost = total(one["cost"] for one in used)
    seconds = total(None if one.get("timed") == 0 else one["latency"] for one in used)
    return (
        UNKNOWN if tokens is None else f"{tokens:.0f}",
        UNKNOWN if cost is None else f"{cost:.4f}",
        UNKNOWN if seconds is None else f"{seconds:.1f}",
    )


def total(numbers: Iterable[float | None]) -> float | None:
    """Return the sum of numbers; ``None`` where one of them is not known."""
    found = list(numbers)
    known = [one for one in found if one is not None]
    return sum(known) if len(known) == len(found) else None
