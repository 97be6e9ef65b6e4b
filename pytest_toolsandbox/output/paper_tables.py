"""The papers' tables with a column or rows for each arm: an agent with one prompt in one run.

ToolSandbox (Lu et al. 2024), tables 5, 9 and 11: scores and turns by category and augmentation, and
scores by call format. ToolTalk (Farn & Shin 2023), table 1, and calls by plugin. SpecTool (Kokane
et al. 2024), table 4.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, Generic, Literal, NamedTuple, TypeVar

from pytest_toolsandbox.language.error_patterns import PATTERNS
from pytest_toolsandbox.records.reading import without_parameters
from pytest_toolsandbox.records.record import Summary
from pytest_toolsandbox.records.trials import played_items
from pytest_toolsandbox.text.formatting import join_words
from pytest_toolsandbox.text.redaction import redacted_line

from .error_table import ERROR_COLUMNS, LOWEST, error_table, judged_items
from .tables import (
    ALL_SCENARIOS,
    Cells,
    ReportColumn,
    ReportTable,
    TitledTable,
    Total,
    figure_row,
    format_figure,
)
from .tooltalk_table import CALL_COLUMNS, RATES, call_table, plugin_table, tool_table
from .totals import (
    MEAN_SCORE,
    SUMMARY_COLUMNS,
    Items,
    summary_table,
    toolsandbox_title,
    what_is_held,
)

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


Rows = Literal["figures", "agents"]
"""What the rows of a table are: its figures, with a column for each arm, or the arms."""


class _Paper(NamedTuple):
    """A table of a paper: for each arm its totals, and which columns are its figures."""

    title: str
    tables: Mapping[str, ReportTable[Any]]
    columns: Sequence[ReportColumn[Any]]

    @property
    def totals(self) -> dict[str, dict[str, Sequence[Any]]]:
        """The name of each arm → its totals; the one of all scenarios is the last."""
        return {arm: _totals(table) for arm, table in self.tables.items()}

    @property
    def names(self) -> list[str]:
        """The names of all totals, that of all scenarios last."""
        names = dict.fromkeys(name for totals in self.totals.values() for name in totals)
        return sorted(names, key=lambda name: name == ALL_SCENARIOS)


def paper_tables(arms: Sequence[Arm[Summary]], rows: Rows = "figures") -> list[TitledTable]:
    """Return the tables that the records have figures for, laid out as in each paper."""
    laid_out = _with_agents_as_rows if rows == "agents" else _with_agents_as_columns
    scores = {arm.name: summary_table(arm.records) for arm in arms}
    held = _held(record for arm in arms for record in arm.records)
    title = partial(toolsandbox_title, held=held)
    calls = {arm.name: call_table(arm.records) for arm in arms}
    plugins = {arm.name: plugin_table(arm.records) for arm in arms}
    tools = {arm.name: tool_table(arm.records) for arm in arms}
    errors = {arm.name: judged_items(arm.records) for arm in arms}
    worlds = {name: error_table(items) for name, items in errors.items()}
    rates = ("success_rate", "precision", "recall", "incorrect_action_rate")
    patterns = _columns(ERROR_COLUMNS, "success", *PATTERNS)
    before = [
        laid_out(_Paper(name, scores, _columns(SUMMARY_COLUMNS, figure)))
        for name, figure in (
            (title("mean score", 5), "score"),
            (title("mean number of turns", 11), "turn_count"),
        )
    ]
    after = [
        laid_out(_Paper(name, tables, columns))
        for name, tables, columns in (
            ("recorded conversations (ToolTalk, table 1)", calls, _columns(CALL_COLUMNS, *rates)),
            ("calls of recorded conversations by plugin (ToolTalk)", plugins, RATES),
            ("calls of recorded conversations by tool (ToolTalk)", tools, RATES),
        )
    ]
    by_world = _Paper("error patterns by world (SpecTool, table 4)", worlds, patterns)
    more = [laid_out(by_world)] if len(by_world.names) > 2 else []  # noqa: PLR2004  # a world, and all
    tables = [*before, _by_call_format(arms), *after, _of_each_agent(errors), *more]
    return [table for table in tables if table.rows]


def _held(records: Iterable[Summary]) -> list[str]:
    return what_is_held(record.get("protocol", "milestones") for record in records)


def _columns(columns: Sequence[ReportColumn[Any]], *names: str) -> list[ReportColumn[Any]]:
    return [column for column in columns if column.name in names]


def _with_agents_as_columns(paper: _Paper) -> TitledTable:
    """Return a row for each figure of each total, with a cell for each arm."""
    rows: list[Cells] = []
    for name in paper.names:
        for column in paper.columns:
            items = [totals.get(name) for totals in paper.totals.values()]
            values = [column.value(of_arm) if of_arm else None for of_arm in items]
            if any(value is not None for value in values):
                what = f"{name}: {column.heading}" if len(paper.columns) > 1 else name
                rows.append((what, *(format_figure(value, column.form) for value in values)))
    return TitledTable(paper.title, ("", *paper.tables), rows)


def _with_agents_as_rows(paper: _Paper) -> TitledTable:
    """Return a row for each arm, as in the papers; of several figures, for each of its totals."""
    *parts, everything = paper.names or [ALL_SCENARIOS]
    names = [everything, *parts]
    if len(paper.columns) > 1:
        rows = [
            (arm, name, *(column.cell(totals[name]) for column in paper.columns))
            for arm, totals in paper.totals.items()
            for name in names
            if totals.get(name)
        ]
        headings = ("", "", *(column.heading or "" for column in paper.columns))
        return TitledTable(paper.title, headings, rows, words=2)
    (column,) = paper.columns
    known = {
        name: [column.value(totals[name]) if totals.get(name) else None for totals in arms]
        for arms in [[*paper.totals.values()]]
        for name in names
    }
    shown = {n: v for n, v in known.items() if any(value is not None for value in v)}
    rows_of_one = [
        (arm, *(format_figure(values[place], column.form) for values in shown.values()))
        for place, arm in enumerate(paper.tables)
        if shown
    ]
    return TitledTable(paper.title, ("", *shown), rows_of_one)


_LEAST: Final = {
    name: replace(column, heading=f"least {name}", form=".2f")
    for name in LOWEST
    for column in ERROR_COLUMNS
    if column.name == f"{name}.lowest"
}
"""Pattern → the column of its least score over all solutions, which is the paper's."""


def _of_each_agent(errors: Mapping[str, Items]) -> TitledTable:
    """Return SpecTool's table itself: a row for each arm, with all its queries.

    Without queries it has all scenarios. Where the paper's scores are other ones, they are beside
    those of the closest solution.
    """
    queries = {arm: [i for i in items if "query" in i[0]] for arm, items in errors.items()}
    chosen = queries if any(queries.values()) else errors
    known = {arm: items for arm, items in chosen.items() if items}
    columns: list[ReportColumn[Any]] = []
    for column in _columns(ERROR_COLUMNS, "success", *PATTERNS):
        least = [each for name, each in _LEAST.items() if name == column.name]
        columns.append(column)
        columns += [
            each
            for each in least
            if any(each.value(items) != column.value(items) for items in known.values())
        ]
    held = _held(trials[0] for items in known.values() for trials in items)
    rows = [figure_row(Total(arm, items), columns) for arm, items in known.items()]
    title = f"error patterns of {join_words(held, 'and')} (SpecTool, table 4)"
    return TitledTable(title, ReportTable("", columns, ()).headings, rows)


def _by_call_format(arms: Sequence[Arm[Summary]]) -> TitledTable:
    """Return the mean score of each agent that played with several call formats.

    The means are of what the agent played with each of them.
    """
    records = [record for arm in arms for record in arm.records]
    formats = [f for f in _CALL_FORMATS if any(_call_format(record) == f for record in records)]
    rows = []
    for arm in arms_of([(player_of(record, ""), record) for record in records]):
        played = [[r for r in arm.records if _call_format(r) == name] for name in formats]
        if sum(map(bool, played)) > 1:
            common = set.intersection(*({*map(place_of, each)} for each in played if each))
            shared = ([r for r in each if place_of(r) in common] for each in played)
            rows.append((arm.name, *(MEAN_SCORE.cell(played_items(each)) for each in shared)))
    return TitledTable("mean score by call format (ToolSandbox, table 9)", ("", *formats), rows)


_CALL_FORMATS: Final = ("native", "text", "react")


def _call_format(record: Summary) -> str:
    return record.get("call_format", "native")


def _totals(table: ReportTable[Any]) -> dict[str, Sequence[Any]]:
    if not table.items:
        return {}
    groups = (table.parts, *table.apart)
    parts = {total.name: total.items for group in groups for total in group}
    return {**parts, ALL_SCENARIOS: table.items}
