"""The statistics of a suite as plain text, a titled table after the other."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median

from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Query
from pytest_toolsandbox.reporting.tables import (
    Cells,
    Member,
    ReportColumn,
    Total,
    aligned,
    joined_tables,
    row,
    written,
)

from . import suite as statistics
from .queries import QUERY_COLUMNS, SIMILARITY_COLUMNS, per_world
from .recordings import COLUMNS, recordings
from .suite import Named, SolvedScenario, events_of

WRAP_WIDTH = 80

Row = tuple[object, ...]
"""Cells before they are written: means are floats, ``None`` where there is nothing to count."""


def similarity_lines(suite: Sequence[SolvedScenario]) -> list[str]:
    """Return how alike the names of the tools are, world by world (SpecTool, section 7.2.2)."""
    title = "Similarity of the tools' names (SpecTool, section 7.2.2)"
    return _totals(title, "world", SIMILARITY_COLUMNS, per_world(suite))


def statistics_lines(suite: Sequence[SolvedScenario], variants: int = 1) -> list[str]:
    """Return the statistics of at least one scenario.

    Each scenario is run in so many ``variants``: by that the test cases are more than the
    scenarios. Of several worlds, tables and tools are told apart by the name of their world.
    """
    scenarios = [one.scenario for one in suite]
    with_user = [scenario for scenario in scenarios if scenario.task.has_user]
    return joined_tables(
        [
            _size(suite, variants),
            *_groups(scenarios, variants),
            *(_expectations(with_user, variants) if with_user else ()),
            _recordings(scenarios),
            _queries(suite),
            *_needs(suite),
        ]
    )


def _size(suite: Sequence[SolvedScenario], variants: int) -> list[str]:
    size = statistics.size(suite)
    rows: list[Row] = [
        ("scenarios", size.scenarios),
        ("test cases", size.scenarios * variants),
        ("tools", size.tools),
        ("mean messages", size.messages),
        ("mean turns", size.turns),
        ("mean tool calls", size.tool_calls),
    ]
    return _table("Size (ToolSandbox, table 4)", rows)


def _groups(scenarios: Sequence[Scenario], variants: int) -> Iterator[list[str]]:
    for name, source, counts in (
        ("category", " (ToolSandbox, table 6)", statistics.per_category(scenarios)),
        ("tag", "", statistics.per_tag(scenarios)),
    ):
        rows = [((key,), count) for key, count in counts.items()]
        title = f"Scenarios per {name}{source}"
        yield _multiplied(title, (name,), rows, ("scenarios", "test cases"), variants)


def _expectations(scenarios: Sequence[Scenario], variants: int) -> Iterator[list[str]]:
    """Yield the tables of scenarios with a simulated user."""
    yield _milestones(scenarios)
    histogram = statistics.milestones_per_scenario(scenarios)
    title = "Scenarios per number of milestones"
    yield _table(title, histogram.items(), ("milestones", "scenarios"), words=0)
    shapes = statistics.per_shape(scenarios)
    yield _table("Shapes of the milestones' graphs", shapes.items(), ("shape", "scenarios"))
    yield _constraints(scenarios)
    for title, names, counts in (
        ("table and column (ToolSandbox, table 7)", ("table", "column"), statistics.per_column),
        ("tool (ToolSandbox, table 8)", ("tool",), statistics.per_tool),
    ):
        header, rows = _told_apart(scenarios, names, counts(scenarios))
        what = ("milestones", "in test cases")
        yield _multiplied(f"Milestones per {title}", header, rows, what, variants)


def _milestones(scenarios: Sequence[Scenario]) -> list[str]:
    events = [events_of(scenario) for scenario in scenarios]
    counts = [len(one.milestones) for one in events]
    minefields = [len(one.minefields) for one in events]
    rows: list[Row] = [
        ("milestones", sum(counts)),
        ("in a scenario: fewest", min(counts)),
        ("in a scenario: median", f"{median(counts):g}"),
        ("in a scenario: most", max(counts)),
        ("minefields", sum(minefields)),
        ("scenarios with minefields", sum(map(bool, minefields))),
        ("scenarios with protected tables", sum(bool(one.protected) for one in events)),
    ]
    return _table("Milestones and minefields", rows)


def _constraints(scenarios: Sequence[Scenario]) -> list[str]:
    milestones = statistics.per_kind(events_of(scenario).milestones for scenario in scenarios)
    minefields = statistics.per_kind(events_of(scenario).minefields for scenario in scenarios)
    rows = [
        (kind, count, minefields[kind])
        for kind, count in milestones.items()
        if count or minefields[kind]
    ]
    return _table("Constraints", rows, ("kind", "in milestones", "in minefields"))


def _recordings(scenarios: Sequence[Scenario]) -> list[str]:
    title = "Recorded conversations (ToolTalk, section 2)"
    return _totals(title, "", COLUMNS, recordings(scenarios))


def _queries(suite: Sequence[SolvedScenario]) -> list[str]:
    queries = (one for one in suite if isinstance(one.scenario.task, Query))
    title = "Queries (SpecTool, table 2), and how they were made from others"
    return _totals(title, "world", QUERY_COLUMNS, per_world(queries))


def _totals(
    title: str, name: str, columns: Sequence[ReportColumn[Member]], totals: Iterable[Total[Member]]
) -> list[str]:
    rows = (row(total, columns) for total in totals)
    return _table(title, rows, (name, *(column.heading or "" for column in columns)))


def _needs(suite: Sequence[SolvedScenario]) -> Iterator[list[str]]:
    counts = statistics.per_need(suite)
    header, rows = _told_apart([one.scenario for one in suite], ("tool",), counts)
    needed = [(*key, count) for key, count in rows if count]
    title = "Scenarios that need a tool"
    yield _table(title, needed, (*header, "scenarios"), words=len(header))
    unneeded = [".".join(key) for key, count in rows if not count]
    lines = textwrap.wrap(", ".join(unneeded), WRAP_WIDTH, break_on_hyphens=False)
    yield [f"Tools that no scenario needs: {len(unneeded)}", *lines]


def _multiplied(
    title: str,
    names: Cells,
    counts: Iterable[tuple[Cells, int]],
    what: tuple[str, str],
    variants: int,
) -> list[str]:
    """Return a table of counts and, where there are several variants, of their products."""
    factors = (1, variants) if variants > 1 else (1,)
    rows = ((*key, *(count * factor for factor in factors)) for key, count in counts)
    return _table(title, rows, (*names, *what[: len(factors)]), words=len(names))


def _told_apart(
    scenarios: Iterable[Scenario], names: Cells, counts: Mapping[Named, int]
) -> tuple[Cells, list[tuple[Cells, int]]]:
    """Return header and counts by names: those of worlds are left out where there is only one."""
    start = 1 if len({scenario.world.name for scenario in scenarios}) == 1 else 0
    return ("world", *names)[start:], [(key[start:], count) for key, count in counts.items()]


def _table(
    title: str, rows: Iterable[Row], header: Cells | None = None, words: int = 1
) -> list[str]:
    """Return the lines of a table; none without any row."""
    cells = [tuple(map(_cell, row)) for row in rows]
    return [title, *aligned([*([header] if header else []), *cells], words)] if cells else []


def _cell(value: object) -> str:
    return written(value, ".1f") if value is None or isinstance(value, float) else str(value)
