"""Helpers of the query environments: finding records, checking arguments, pages."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from pytest_toolsandbox.worlds.context import NoDataError

Entry = Mapping[str, Any]


def find_record(records: Iterable[Entry], field: str, value: Any, kind: str) -> Entry:
    """Return the record whose ``field`` has the value. Raises ``NoDataError``."""
    for record in records:
        if record[field] == value:
            return record
    raise NoDataError(f"there is no {kind} with {field} {value!r}")


def shown(record: Entry, *fields: str) -> dict[str, Any]:
    """Return a copy of these fields of a record, in this order."""
    return {field: copy.deepcopy(record[field]) for field in fields}


def mentions(words: str | None, *texts: str) -> bool:
    """Whether each of the words begins a word of the texts; case does not count.

    Without words, every text matches.
    """
    text_words = _words(" ".join(texts))
    return all(
        any(word.startswith(wanted) for word in text_words) for wanted in _words(words or "")
    )


def allows(wanted: Any, value: Any) -> bool:
    """Whether a value passes an optional filter."""
    return wanted is None or wanted == value


def day(name: str, text: str | None) -> date | None:
    """Return the date in an argument, ``None`` if it has none. Raises ``ValueError``."""
    if text is None:
        return None
    try:
        parsed = date.fromisoformat(text)
    except ValueError:
        parsed = None
    # ISO 8601 has other ways to write a date, which the tools do not promise to read.
    if parsed is None or parsed.isoformat() != text:
        raise ValueError(f"{name} must be a date such as 2024-03-31, not {text!r}")
    return parsed


def within(text: str, first: date | None, last: date | None) -> bool:
    """Whether a date, or the date of a timestamp in ISO 8601, is in a span with both its ends."""
    parsed = date.fromisoformat(text[:10])
    return (first is None or first <= parsed) and (last is None or parsed <= last)


def whole(name: str, value: int, least: int, most: int | None = None) -> int:
    """Return the value of an argument, which must be in a range. Raises ``ValueError``."""
    if value < least or (most is not None and value > most):
        span = f"{least} or more" if most is None else f"from {least} to {most}"
        raise ValueError(f"{name} must be {span}, not {value}")
    return value


def page_of(rows: Sequence[Any], page: int, size: int) -> list[Any]:
    """Return the rows on a page, of which the first is 1; none beyond the last."""
    start = (whole("page", page, 1) - 1) * size
    return list(rows[start : start + size])


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())
