"""The papers' tables with a column for each arm: an agent with one prompt in one run.

ToolSandbox (Lu et al. 2024), tables 5 and 11: scores and turns by category and augmentation.
ToolTalk (Farn & Shin 2023), table 1. SpecTool (Kokane et al. 2024), table 4.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from pytest_toolsandbox.language.error_patterns import PATTERNS
from pytest_toolsandbox.records.reading import without_parameters
from pytest_toolsandbox.records.record import Summary
from pytest_toolsandbox.text.redaction import redacted_line

from .error_table import ERROR_COLUMNS, error_table, judged_items
from .tables import (
    ALL_SCENARIOS,
    Cells,
    ReportColumn,
    ReportTable,
    TitledTable,
    format_figure,
)
from .tooltalk_table import CALL_COLUMNS, call_table
from .totals import SUMMARY_COLUMNS, summary_table

AnySummary = TypeVar("AnySummary", bound=Summary)


class Player(NamedTuple):
    """What distinguishes arms: the run, the agent, and the parameter of its fixture."""

    run: str
    agent: str
    parameter: str | None


class Place(NamedTuple):
    """What two arms have in common: the scenario, in which augmentation, with feedback or not."""

    scenario: str
    variant: str | None
    feedback: bool


class Arm(NamedTuple, Generic[AnySummary]):
    """The records of one agent with one prompt in one run, under a unique name."""

    name: str
    records: Sequence[AnySummary]


def player_of(record: Summary, run: str) -> Player:
    """Return who played a record of a run."""
    settings: Any = record.get("agent_settings", {})
    return Player(run, record["agent"], settings.get("parameter"))


def place_of(record: Summary) -> Place:
    """Return what was played, by any agent."""
    scenario = without_parameters(record["id"])
    return Place(scenario, record.get("variant"), record.get("feedback", False))


def arm_names(players: Iterable[Player]) -> dict[Player, str]:
    """Return a name for each arm: the agent, and what else distinguishes it from others."""
    arms = list(dict.fromkeys(players))
    differs = [len(set(values)) > 1 for values in zip(*arms, strict=True)] if arms else []
    if len({player[1:] for player in arms}) == len(arms):
        differs[:1] = [False]  # they are unique without the run
    names = {}
    for player in arms:
        parts = [
            player.agent,
            f"[{player.parameter}]" if differs[2] and player.parameter else "",
            f"({player.run})" if differs[0] else "",
        ]
        names[player] = redacted_line(" ".join(filter(None, parts)))
    return names


def arms_of(played: Sequence[tuple[Player, AnySummary]]) -> list[Arm[AnySummary]]:
    """Return the records of each player, in the order of their first records."""
    names = arm_names(player for player, _ in played)
    records: dict[str, list[AnySummary]] = {name: [] for name in names.values()}
    for player, record in played:
        records[names[player]].append(record)
    return [Arm(name, of_arm) for name, of_arm in records.items()]


_Tables = Mapping[str, ReportTable[Any]]
"""The name of an arm → its table; without items it has no figures."""
_Columns = Sequence[ReportColumn[Any]]


def paper_tables(arms: Sequence[Arm[Summary]]) -> list[TitledTable]:
    """Return the tables that the records have figures for, laid out as in each paper."""
    scores = {arm.name: summary_table(arm.records) for arm in arms}
    calls = {arm.name: call_table(arm.records) for arm in arms}
    patterns = {arm.name: error_table(judged_items(arm.records)) for arm in arms}
    rates = ("success_rate", "precision", "recall", "incorrect_action_rate")
    tables = (
        ("mean score (ToolSandbox, table 5)", scores, SUMMARY_COLUMNS, ("score",)),
        ("mean number of turns (ToolSandbox, table 11)", scores, SUMMARY_COLUMNS, ("turn_count",)),
        ("recorded conversations (ToolTalk, table 1)", calls, CALL_COLUMNS, rates),
        ("error patterns (SpecTool, table 4)", patterns, ERROR_COLUMNS, ("success", *PATTERNS)),
    )
    beside = [
        TitledTable(title, ("", *of_arms), [*_rows(of_arms, columns, names)])
        for title, of_arms, columns, names in tables
    ]
    return [table for table in beside if table.rows]


def _rows(tables: _Tables, columns: _Columns, figures: Sequence[str]) -> Iterator[Cells]:
    """Yield a row for each figure of each total, with a cell for each arm."""
    shown = [column for column in columns if column.name in figures]
    totals = {arm: _totals(table) for arm, table in tables.items()}
    names = dict.fromkeys(name for of_arm in totals.values() for name in of_arm)
    for name in [*(n for n in names if n != ALL_SCENARIOS), ALL_SCENARIOS] if names else ():
        for column in shown:
            items = [totals[arm].get(name) for arm in tables]
            values = [column.value(of_arm) if of_arm else None for of_arm in items]
            if any(value is not None for value in values):
                what = f"{name}: {column.heading}" if len(shown) > 1 else name
                yield (what, *(format_figure(value, column.form) for value in values))


def _totals(table: ReportTable[Any]) -> dict[str, Sequence[Any]]:
    if not table.items:
        return {}
    groups = (table.parts, *table.apart)
    parts = {total.name: total.items for group in groups for total in group}
    return {**parts, ALL_SCENARIOS: table.items}
