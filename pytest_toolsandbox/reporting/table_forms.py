"""Tables of figures as text, Markdown, CSV and LaTeX."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from . import markdown
from .paper_tables import PaperTable
from .tables import Cells, aligned

_LATEX: Final = {
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def as_text(table: PaperTable) -> str:
    """Write a table in columns, its title above it."""
    return "\n".join([table.title, *aligned([table.headings, *table.rows])])


def as_markdown(table: PaperTable) -> str:
    """Write a table as GitHub's Markdown has it."""
    return f"**{markdown.plain(table.title)}**\n\n{markdown.table(table.headings, table.rows)}"


def as_csv(table: PaperTable) -> str:
    """Write a table as comma-separated values; the title is the heading of the first column.

    A cell that a spreadsheet would take for a formula has an apostrophe before it.
    """
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow([table.title, *map(_no_formula, table.headings[1:])])
    writer.writerows([[_no_formula(row[0]), *row[1:]] for row in table.rows])
    return lines.getvalue().rstrip("\n")


def _no_formula(text: str) -> str:
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t") else text


def as_latex(table: PaperTable) -> str:
    """Write a table as LaTeX, with the rules of the package booktabs."""
    return "\n".join(
        [
            r"\begin{table}",
            rf"\caption{{{_latex(table.title)}}}",
            rf"\begin{{tabular}}{{l{'r' * (len(table.headings) - 1)}}}",
            r"\toprule",
            _latex_row(table.headings),
            r"\midrule",
            *map(_latex_row, table.rows),
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
        ]
    )


def _latex_row(cells: Cells) -> str:
    return f"{' & '.join(map(_latex, cells))} \\\\"


def _latex(text: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in text)


FORMS: Final[Mapping[str, Callable[[PaperTable], str]]] = {
    "text": as_text,
    "markdown": as_markdown,
    "csv": as_csv,
    "latex": as_latex,
}


def written_tables(tables: Sequence[PaperTable], form: str) -> str:
    """Write tables in a form of :data:`FORMS`, an empty line between each two."""
    return "\n\n".join(map(FORMS[form], tables))
