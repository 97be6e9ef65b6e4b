"""Tables of figures: columns, rows and totals, written as text, Markdown, CSV or LaTeX.

The same columns give the properties of JUnit XML, so that both say the same.
"""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, NamedTuple, TypeVar

DIGITS = 6
"""Digits after the point of a number in JUnit XML."""
ALL_SCENARIOS = "all scenarios"
"""The name of the total over everything; it has a space, so no category can have it."""
Cells = tuple[str, ...]
"""The cells of a row; an empty one is an empty line."""
Member = TypeVar("Member")


@dataclass(frozen=True)
class Total(Generic[Member]):
    """Some of what was played, which has a row of figures.

    ``key`` is what properties of JUnit XML call it, if not by its name.
    """

    name: str
    items: Sequence[Member]
    key: str = ""


@dataclass(frozen=True)
class ReportColumn(Generic[Member]):
    """A figure of a total: its heading in the table and its name as a property of JUnit XML.

    A column without ``heading`` is in no table, one without ``name`` is no property. ``form`` is a
    format specification of Python.
    """

    heading: str | None
    value: Callable[[Sequence[Member]], float | None]
    form: str = "d"
    name: str | None = None

    def cell(self, items: Sequence[Member]) -> str:
        """Return the figure as it is written in the table."""
        return format_figure(self.value(items), self.form)


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
            [figure_row(total, self.columns) for total in group]
            for group in (self.parts, *self.apart)
        )
        groups = [[*group, ()] for group in apart if group]
        between = [()] if parts and groups else []
        everything = figure_row(Total(ALL_SCENARIOS, self.items), self.columns)
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


def figure_row(total: Total[Member], columns: Iterable[ReportColumn[Member]]) -> Cells:
    """Return the name and the figures of a total."""
    shown = (column for column in columns if column.heading is not None)
    return (total.name, *(column.cell(total.items) for column in shown))


def figures(items: Sequence[Member], columns: Iterable[ReportColumn[Member]]) -> dict[str, object]:
    """Return the known figures of items by the names of their properties, rounded."""
    values = {column.name: column.value(items) for column in columns if column.name}
    return {name: round(value, DIGITS) for name, value in values.items() if value is not None}


def properties(
    prefix: str, totals: Iterable[Total[Member]], columns: Sequence[ReportColumn[Member]]
) -> dict[str, object]:
    """Return the figures of totals; the total of all scenarios has no name."""
    return {
        ".".join((prefix, *names, figure)): value
        for total in totals
        for key in [total.key or total.name.replace(" ", "_")]
        for names in [() if total.name == ALL_SCENARIOS else (key,)]
        for figure, value in figures(total.items, columns).items()
    }


def format_figure(value: float | None, form: str) -> str:
    """Return a number in a format specification of Python; ``n/a`` for ``None``."""
    return "n/a" if value is None else format(value, form)


def chance_text(value: float) -> str:
    """Return a probability so that a small one is not shown as 0."""
    return f"{value:.3f}" if value >= 0.0005 else "<0.001"  # noqa: PLR2004  # where .3f says 0.000


class TitledTable(NamedTuple):
    """A table of texts with a title.

    The first ``words`` columns are words, aligned to the left; with 0 it is the last column alone.
    A table that ``may_be_luck`` is shown in less detail.
    """

    title: str
    headings: Cells
    rows: Sequence[Cells]
    words: int = 1
    may_be_luck: bool = False


def aligned(rows: Sequence[Cells], words: int = 1) -> list[str]:
    """Return a line for each row: the first ``words`` cells to the left, numbers to the right.

    An empty row is an empty line; the others have as many cells as the first.
    """
    widths = [max(map(len, cells)) for cells in zip(*filter(None, rows), strict=True)]
    lines = []
    for row in rows:
        places = enumerate(zip(row, widths, strict=False))
        padded = (cell.ljust(w) if place < words else cell.rjust(w) for place, (cell, w) in places)
        lines.append("  ".join(padded).rstrip())
    return lines


def joined_tables(tables: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of tables, with an empty line between each two."""
    return list(itertools.chain.from_iterable(("", *table) for table in tables if table))[1:]


def table_lines(table: TitledTable, most: int) -> list[str]:
    """Return the title and below it at most so many rows, with how many are left out."""
    rows = [table.headings, *table.rows[:most]]
    if table.words:
        lines = aligned(rows, table.words)
    else:
        numbers = aligned([row[:-1] for row in rows], 0)
        width = max(map(len, numbers))  # of a row whose last figure is empty, too
        lines = [f"{line:{width}}  {row[-1]}" for line, row in zip(numbers, rows, strict=True)]
    left = len(table.rows) - most
    return [table.title, *(f"  {line}" for line in [*lines, *[f"and {left} more"] * (left > 0)])]


def plain_markdown(text: str) -> str:
    """Return a text that Markdown shows as it is: names come from files and from models."""
    return "".join(f"\\{char}" if char in "\\`*_<>[]~#" else char for char in text)


def markdown_cell(text: str) -> str:
    """Return a text for a cell of a Markdown table."""
    return plain_markdown(text).replace("|", "\\|")


def markdown_row(cells: Iterable[str]) -> str:
    """Return a row of cells that are Markdown already."""
    return f"| {' | '.join(cells)} |"


def markdown_table(headings: Sequence[str], rows: Iterable[Sequence[str]], words: int = 1) -> str:
    """Return a table of texts: the first ``words`` columns to the left, else the last one."""
    left = range(words) if words else (len(headings) - 1,)
    rules = ["---" if place in left else "---:" for place in range(len(headings))]
    lines = [map(markdown_cell, headings), rules, *(map(markdown_cell, row) for row in rows)]
    return "\n".join(map(markdown_row, lines))


_LATEX: Final = str.maketrans(
    {letter: f"\\{letter}" for letter in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
)


def _as_text(table: TitledTable) -> str:
    return "\n".join([table.title, *aligned([table.headings, *table.rows], table.words)])


def _as_markdown(table: TitledTable) -> str:
    title, body = plain_markdown(table.title), table[1:4]
    return f"**{title}**\n\n{markdown_table(*body)}"


def _as_csv(table: TitledTable) -> str:
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow([table.title, *map(_no_formula, table.headings[1:])])
    writer.writerows([[_no_formula(row[0]), *row[1:]] for row in table.rows])
    return lines.getvalue().rstrip("\n")


def _no_formula(text: str) -> str:
    """Put an apostrophe before what a spreadsheet would take for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t") else text


def _as_latex(table: TitledTable) -> str:
    """Return LaTeX with the rules of the package booktabs."""
    headings, *rows = (
        f"{' & '.join(cell.translate(_LATEX) for cell in cells)} \\\\"
        for cells in (table.headings, *table.rows)
    )
    return "\n".join(
        [
            r"\begin{table}",
            rf"\caption{{{table.title.translate(_LATEX)}}}",
            rf"\begin{{tabular}}{{{'l' * table.words}{'r' * (len(table.headings) - table.words)}}}",
            r"\toprule",
            headings,
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
        ]
    )


_FORMS: Final[Mapping[str, Callable[[TitledTable], str]]] = {
    "text": _as_text,
    "markdown": _as_markdown,
    "csv": _as_csv,
    "latex": _as_latex,
}


def written_tables(tables: Iterable[TitledTable], form: str) -> str:
    """Return tables as ``text``, ``markdown``, ``csv`` or ``latex``, separated by empty lines."""
    return "\n\n".join(map(_FORMS[form], tables))
