"""The papers' tables for several agents: a row for each figure, a column for each agent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pytest_toolsandbox.language.error_patterns import PATTERNS
from pytest_toolsandbox.records.record import Summary

from .arms import Arm
from .error_table import ERROR_COLUMNS, error_table, judged
from .summary_columns import SUMMARY_COLUMNS
from .tables import ALL_SCENARIOS, Cells, ReportColumn, ReportTable, written
from .tooltalk_table import CALL_COLUMNS, call_table
from .totals import summary_table


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
