"""Plain-text tables, and the properties of JUnit XML that say the same."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

DIGITS = 6
"""Digits after the point of a number in JUnit XML."""
ALL_SCENARIOS = "all scenarios"
"""The name of the total over everything; it has a space, so no category can have it."""
Cells = tuple[str, ...]
"""The cells of a row; an empty one is an empty line."""
Member = TypeVar("Member")


@dataclass(frozen=True)
class Total(Generic[Member]):
    """Some of what was played, which has a row of figures."""

    name: str
    items: Sequence[Member]


@dataclass(frozen=True)
class ReportColumn(Generic[Member]):
    """A figure of a total: its heading in the table and its name as a property of JUnit XML.

    Without a ``heading`` it stands in no table, without a ``name`` it is no property. ``form`` is
    how it is written in the table, as Python's ``format`` has it.
    """

    heading: str | None
    value: Callable[[Sequence[Member]], float | None]
    form: str = "d"
    name: str | None = None

    def cell(self, items: Sequence[Member]) -> str:
        """Return the figure as it is written in the table."""
        return written(self.value(items), self.form)


@dataclass(frozen=True)
class ReportTable(Generic[Member]):
    """Figures: a row for each of ``parts``, groups of rows ``apart``, and one of all ``items``."""

    title: str
    columns: Sequence[ReportColumn[Member]]
    items: Sequence[Member]
    parts: Sequence[Total[Member]] = ()
    apart: Sequence[Sequence[Total[Member]]] = ()

    def rows(self) -> list[Cells]:
        """Return the rows, headings first; none without items."""
        if not self.items:
            return []
        parts, *apart = (
            [row(total, self.columns) for total in group] for group in (self.parts, *self.apart)
        )
        groups = [[*group, ()] for group in apart if group]
        between = [()] if parts and groups else []
        everything = row(Total(ALL_SCENARIOS, self.items), self.columns)
        return [self.headings, *parts, *between, *itertools.chain(*groups), everything]

    @property
    def headings(self) -> Cells:
        """The title, and the headings of the columns."""
        return (self.title, *(each.heading for each in self.columns if each.heading is not None))

    def properties(self, prefix: str) -> dict[str, object]:
        """Return the figures: prefix, name of the total, name of the figure."""
        everything = [Total(ALL_SCENARIOS, self.items)] if self.items else []
        totals = [*self.parts, *everything, *itertools.chain(*self.apart)]
        return properties(prefix, totals, self.columns)


def row(total: Total[Member], columns: Iterable[ReportColumn[Member]]) -> Cells:
    """Return the name and the figures of a total."""
    shown = (column for column in columns if column.heading is not None)
    return (total.name, *(column.cell(total.items) for column in shown))


def figures(items: Sequence[Member], columns: Iterable[ReportColumn[Member]]) -> dict[str, object]:
    """Return the figures of items that there are, by the names of their properties, rounded."""
    values = {column.name: column.value(items) for column in columns if column.name}
    return {name: round(value, DIGITS) for name, value in values.items() if value is not None}


def properties(
    prefix: str, totals: Iterable[Total[Member]], columns: Sequence[ReportColumn[Member]]
) -> dict[str, object]:
    """Return the figures of totals, of which that of all scenarios has no name."""
    return {
        ".".join((prefix, *names, figure)): value
        for total in totals
        for names in [() if total.name == ALL_SCENARIOS else (total.name.replace(" ", "_"),)]
        for figure, value in figures(total.items, columns).items()
    }


def aligned(rows: Sequence[Cells], words: int = 1) -> list[str]:
    """Return a line for each row: the first ``words`` cells to the left, numbers to the right.

    An empty row is an empty line; the others have as many cells as the first.
    """
    widths = [max(map(len, cells)) for cells in zip(*filter(None, rows), strict=True)]
    return [_line(row, widths, words) for row in rows]


def joined_tables(tables: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of tables, with an empty line between each two."""
    return list(itertools.chain.from_iterable(("", *table) for table in tables if table))[1:]


def written(value: float | None, form: str) -> str:
    """Write a number as Python's ``format`` does; ``n/a`` for ``None``."""
    return "n/a" if value is None else format(value, form)


def _line(cells: Sequence[str], widths: Sequence[int], words: int) -> str:
    places = enumerate(zip(cells, widths, strict=False))
    padded = (cell.ljust(w) if place < words else cell.rjust(w) for place, (cell, w) in places)
    return "  ".join(padded).rstrip()
