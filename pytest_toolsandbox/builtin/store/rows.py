"""Finding rows by their identifiers, stages of items, pages of results, times and identifiers."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeVar

from pytest_toolsandbox.text.nearest_name import did_you_mean
from pytest_toolsandbox.worlds.context import Context, NoDataError
from pytest_toolsandbox.worlds.state import Row, plain

_Item = TypeVar("_Item")

PAGE_SIZE: Final = 5
"""The results on a page of a list."""


def row_of(context: Context, table: str, key: str, value: str) -> Row:
    """Return the row with this identifier. Raises :class:`NoDataError`."""
    rows = context.state[table].where(**{key: value})
    if not rows:
        hint = did_you_mean(value, (row[key] for row in context.rows(table)))
        raise NoDataError(f"there is no {table.replace('_', ' ')} {value!r}{hint}")
    return rows[0]


def rows_of(context: Context, table: str, sort_by: str, **fields: Any) -> list[Row]:
    """Return the rows with these values, sorted: changed rows move to the end of their table."""
    return sorted(context.state[table].where(**fields), key=lambda row: str(row[sort_by]))


def now_text(context: Context) -> str:
    """Return the time as tables have it."""
    return f"{context.now:%Y-%m-%d %H:%M}"


def new_number(context: Context, letter: str) -> str:
    """Return an identifier that staff can read out, such as ``R-3F2A9C1B``."""
    return f"{letter}-{context.new_identifier()[:8].upper()}"


def stage_of(context: Context, item: Row) -> str:
    """Return where an item is: cancelled, exchanged, processing, or the status of its delivery."""
    if item["state"] != "ordered":
        return str(item["state"])
    if item["delivery_id"] is None:
        return "processing"
    return str(row_of(context, "delivery", "delivery_id", item["delivery_id"])["status"])


def page_of(items: Sequence[_Item], page: int) -> dict[str, Any]:
    """Return a page of the items, and how many pages there are. Raises ``ValueError``."""
    pages = max(1, -(-len(items) // PAGE_SIZE))
    if not 1 <= page <= pages:
        raise ValueError(f"there is no page {page}; the pages are 1 to {pages}")
    start = (page - 1) * PAGE_SIZE
    return {"results": list(items[start : start + PAGE_SIZE]), "page": page, "pages": pages}


def without(row: Mapping[str, Any], *columns: str) -> dict[str, Any]:
    """Return a row as a tool shows it, without some columns."""
    return {name: plain(value) for name, value in row.items() if name not in columns}


def has_words(text: str, wanted: str) -> bool:
    """Whether each word of ``wanted`` is part of a text, whatever their case and accents."""
    return all(word in _folded(text) for word in _folded(wanted).split())


def _folded(text: str) -> str:
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(part for part in parts if not unicodedata.combining(part))
