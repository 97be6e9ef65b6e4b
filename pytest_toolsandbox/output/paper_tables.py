"""The papers' tables for several agents: a row for each figure, a column for each agent.

Tables of figures as text, Markdown, CSV and LaTeX.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pytest_toolsandbox.language.error_patterns import PATTERNS
from pytest_toolsandbox.records.record import Summary

from . import markdown
from .arms import Arm
from .error_table import ERROR_COLUMNS, error_table, judged
from .tables import ALL_SCENARIOS, Cells, ReportColumn, ReportTable, aligned, written
from .tooltalk_table import CALL_COLUMNS, call_table
from .totals import SUMMARY_COLUMNS, summary_table


class PaperTable(NamedTuple):
    """Figures of agents; the first cell of each row says of what."""

    title: str
    headings: Cells
    rows: tuple[Cells, ...]


Tables = Mapping[str, ReportTable[Any]]
"""The name of an arm → its table; without items it has no figures."""


def paper_tables(arms: Sequence[Arm[Summary]]) -> list[PaperTable]:
    """Return the tables that the records have something for, as each paper lays them out.

    ToolSandbox (Lu et al. 2024), tables 5 and 11: scores and turns by category and augmentation.
    ToolTalk (Farn & Shin 2023), table 1. SpecTool (Kokane et al. 2024), table 4.
    """
    found = {arm.name: summary_table(arm.records) for arm in arms}
    score, turns = (_columns(SUMMARY_COLUMNS, name) for name in ("score", "turn_count"))
    calls = {arm.name: call_table(arm.records) for arm in arms}
    patterns = {arm.name: error_table(judged(arm.records)) for arm in arms}
    shown = ("success_rate", "precision", "recall", "incorrect_action_rate")
    tables = (
        _beside("mean score (ToolSandbox, table 5)", found, score),
        _beside("mean number of turns (ToolSandbox, table 11)", found, turns),
        _beside(
            "recorded conversations (ToolTalk, table 1)", calls, _columns(CALL_COLUMNS, *shown)
        ),
        _beside("error patterns (SpecTool, table 4)", patterns, _patterns()),
    )
    return [table for table in tables if table.rows]


def _columns(columns: Sequence[ReportColumn[Any]], *names: str) -> list[ReportColumn[Any]]:
    return [column for column in columns if column.name in names]


def _patterns() -> list[ReportColumn[Any]]:
    return _columns(ERROR_COLUMNS, "success", *PATTERNS)


def _beside(title: str, tables: Tables, columns: Sequence[ReportColumn[Any]]) -> PaperTable:
    rows = tuple(_rows(tables, columns))
    return PaperTable(title, ("", *tables), rows)


def _rows(tables: Tables, columns: Sequence[ReportColumn[Any]]) -> Iterator[Cells]:
    totals = {name: _totals(table) for name, table in tables.items()}
    names = dict.fromkeys(name for found in totals.values() for name in found)
    ordered = [*(name for name in names if name != ALL_SCENARIOS), ALL_SCENARIOS]
    for name in ordered if names else ():
        for column in columns:
            values = [_value(totals[arm].get(name, ()), column) for arm in tables]
            if any(value is not None for value in values):
                what = f"{name}: {column.heading}" if len(columns) > 1 else name
                yield (what, *(written(value, column.form) for value in values))


def _value(items: Sequence[Any], column: ReportColumn[Any]) -> float | None:
    return column.value(items) if items else None


def _totals(table: ReportTable[Any]) -> dict[str, Sequence[Any]]:
    if not table.items:
        return {}
    groups = (table.parts, *table.apart)
    parts = {total.name: total.items for group in groups for total in group}
    return {**parts, ALL_SCENARIOS: table.items}


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
