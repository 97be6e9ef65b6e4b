"""Lists of records as web APIs return them: ordered, in pages, with the total."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import Any

from .records import Entry, page_of

PAGE_SIZE = 5
"""Records on a page."""


def between(least: float | None, value: float, most: float | None) -> bool:
    """Whether a value is in a span with both its ends, each of which may be open."""
    return (least is None or least <= value) and (most is None or value <= most)


def ordered(
    records: Iterable[Entry], field: str, key: str, *, descending: bool = False
) -> list[Entry]:
    """Return the records in the order of a field; those with the same value in that of the key."""
    by_key = sorted(records, key=lambda record: str(record[key]))
    return sorted(by_key, key=lambda record: record[field], reverse=descending)


def paged(records: Sequence[Entry], page: int) -> dict[str, Any]:
    """Return a page of records, from page 1 on, and the total.

    A page beyond the last has no results. Raises ``ValueError`` for a page before the first.
    """
    return {
        "page": page,
        "total_pages": -(-len(records) // PAGE_SIZE),
        "total_results": len(records),
        "results": [copy.deepcopy(dict(record)) for record in page_of(records, page, PAGE_SIZE)],
    }
