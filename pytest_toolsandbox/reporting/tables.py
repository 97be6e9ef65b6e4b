"""Plain-text tables."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

GAP = "  "
Cells = tuple[str, ...]
"""The cells of a row; an empty one is an empty line."""


def aligned(rows: Sequence[Cells], words: int = 1) -> list[str]:
    """Return a line for each row: the first ``words`` cells to the left, numbers to the right.

    An empty row is an empty line; the others have as many cells as the first.
    """
    widths = [max(map(len, cells)) for cells in zip(*filter(None, rows), strict=True)]
    return [_line(row, widths, words) for row in rows]


def joined_tables(tables: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of tables, with an empty line between each two."""
    return list(itertools.chain.from_iterable(("", *table) for table in tables if table))[1:]


def with_total(
    rows: Sequence[Cells], apart: Iterable[Sequence[Cells]], total: Cells
) -> list[Cells]:
    """Return rows, groups of rows that stand apart, if there are any, and last the total."""
    groups = [row for group in apart if group for row in (*group, ())]
    return [*rows, *([()] if rows and groups else []), *groups, total]


def decimal(value: float | None, digits: int) -> str:
    """Write a mean with so many digits after the point; ``n/a`` for ``None``."""
    return "n/a" if value is None else f"{value:.{digits}f}"


def _line(cells: Sequence[str], widths: Sequence[int], words: int) -> str:
    places = enumerate(zip(cells, widths, strict=False))
    padded = (cell.ljust(w) if place < words else cell.rjust(w) for place, (cell, w) in places)
    return GAP.join(padded).rstrip()
