"""The statistics of a suite as plain-text tables with titles."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

from pytest_toolsandbox.language.tasks import Query
from pytest_toolsandbox.output.tables import (
    ALL_SCENARIOS,
    Cells,
    ReportTable,
    Total,
    aligned,
    figure_row,
    joined_tables,
)
from pytest_toolsandbox.output.totals import categories_in_order, grouped

from .statistics import (
    CONSTRAINT_KINDS,
    EVENTS,
    GRAPH_SHAPES,
    QUERIES,
    RECORDINGS,
    SIMILARITY,
    SIZE,
    Columns,
    SolvedScenario,
    Suite,
    called_tools,
    columns,
    count,
    events_of,
    graph_shape,
    kinds,
    needed_tools,
    tools,
)

WRAP_WIDTH = 80


class CountTable(NamedTuple):
    """A table of how often something occurs.

    ``names`` are the headings of what is counted, a ``world`` only where there are several;
    ``counted`` is that of the count, and one of the count in test cases where that is told.
    """

    title: str
    names: Cells
    counted: Cells
    keys: Callable[[SolvedScenario], Iterable[Any]]
    order: Callable[[Iterable[Any]], Iterable[Any]] = sorted


_CASES = ("scenarios", "test cases")
_MILESTONES = ("milestones", "in test cases")
GROUPS = (
    CountTable(
        "Scenarios per category (ToolSandbox, table 6)",
        ("category",),
        _CASES,
        lambda one: set(one.scenario.categories),
        categories_in_order,
    ),
    CountTable("Scenarios per tag", ("tag",), _CASES, lambda one: set(one.scenario.tags)),
)
GRAPHS = (
    CountTable(
        "Scenarios per number of milestones",
        ("milestones",),
        ("scenarios",),
        lambda one: [len(events_of(one).milestones)],
    ),
    CountTable(
        "Shapes of the milestones' graphs",
        ("shape",),
        ("scenarios",),
        lambda one: [graph_shape(events_of(one).milestones)],
        lambda found: sorted(found, key=GRAPH_SHAPES.index),
    ),
)
ASKED = (
    CountTable(
        "Milestones per table and column (ToolSandbox, table 7)",
        ("world", "table", "column"),
        _MILESTONES,
        columns,
    ),
    CountTable(
        "Milestones per tool (ToolSandbox, table 8)", ("world", "tool"), _MILESTONES, called_tools
    ),
)
NEEDS = CountTable("Scenarios that need a tool", ("world", "tool"), ("scenarios",), needed_tools)


def similarity_lines(suite: Suite) -> list[str]:
    """Return how alike the names of the tools are, world by world (SpecTool, section 7.2.2)."""
    title = "Similarity of the tools' names (SpecTool, section 7.2.2)"
    return _totals(title, "world", SIMILARITY, _per_world(suite))


def statistics_lines(suite: Suite, variants: int = 1) -> list[str]:
    """Return the statistics of at least one scenario.

    Each scenario is run in so many ``variants``: by that the test cases are more than the
    scenarios. Of several worlds, tables and tools are told apart by the name of their world.
    """
    return joined_tables(_tables(suite, variants))


def _tables(suite: Suite, variants: int) -> Iterator[list[str]]:
    cases = [("scenarios", str(len(suite))), ("test cases", str(len(suite) * variants))]
    yield _table("Size (ToolSandbox, table 4)", [*cases, *_figures(suite, SIZE)])
    yield from (_counts(table, suite, variants) for table in GROUPS)
    if with_user := [one for one in suite if one.scenario.task.has_user]:
        yield _table("Milestones and minefields", _figures(with_user, EVENTS))
        yield from (_counts(table, with_user, variants) for table in GRAPHS)
        yield _constraints(with_user)
        yield from (_counts(table, with_user, variants) for table in ASKED)
    recorded = [one for one in suite if one.scenario.task.agent_turns]
    splits = grouped(recorded, lambda one: one.scenario.categories, categories_in_order)
    everything = [Total(ALL_SCENARIOS, recorded)] if recorded else []
    title = "Recorded conversations (ToolTalk, section 2)"
    yield _totals(title, "", RECORDINGS, [*splits, *everything])
    queries = _per_world([one for one in suite if isinstance(one.scenario.task, Query)])
    title = "Queries (SpecTool, table 2), and how they were made from others"
    yield _totals(title, "world", QUERIES, queries)
    yield _counts(NEEDS, suite, variants)
    yield _unneeded(suite)


def _per_world(suite: Suite) -> list[Total[SolvedScenario]]:
    return grouped(suite, lambda one: [one.scenario.world.name])


def _first_name(suite: Suite) -> int:
    """Return 1 to leave the name of the world out, which only several worlds need."""
    return 1 if len(_per_world(suite)) == 1 else 0


def _counts(table: CountTable, suite: Suite, variants: int) -> list[str]:
    first = _first_name(suite) if "world" in table.names else 0
    names = table.names[first:]
    factors = (1, variants)[: len(table.counted)] if variants > 1 else (1,)
    counts = count(suite, table.keys, table.order)
    keys = (key[first:] if isinstance(key, tuple) else (key,) for key in counts)
    rows = [
        (*map(str, key), *(str(number * factor) for factor in factors))
        for key, number in zip(keys, counts.values(), strict=True)
    ]
    is_number = any(isinstance(key, int) for key in counts)
    header = (*names, *table.counted[: len(factors)])
    return _table(table.title, rows, header, words=0 if is_number else len(names))


def _constraints(suite: Suite) -> list[str]:
    events = list(map(events_of, suite))
    milestones = Counter(chain.from_iterable(kinds(one.milestones) for one in events))
    minefields = Counter(chain.from_iterable(kinds(one.minefields) for one in events))
    found = [kind for kind in CONSTRAINT_KINDS if milestones[kind] or minefields[kind]]
    rows = [(kind, str(milestones[kind]), str(minefields[kind])) for kind in found]
    return _table("Constraints", rows, ("kind", "in milestones", "in minefields"))


def _unneeded(suite: Suite) -> list[str]:
    first = _first_name(suite)
    needed = count(suite, needed_tools)
    names = [".".join(key[first:]) for key in count(suite, tools) if key not in needed]
    lines = textwrap.wrap(", ".join(names), WRAP_WIDTH, break_on_hyphens=False)
    return [f"Tools that no scenario needs: {len(names)}", *lines]


def _figures(suite: Suite, columns: Columns) -> list[Cells]:
    return [(column.heading or "", column.cell(suite)) for column in columns]


def _totals(
    title: str, name: str, columns: Columns, totals: Sequence[Total[SolvedScenario]]
) -> list[str]:
    rows = [figure_row(total, columns) for total in totals]
    return _table(title, rows, ReportTable(name, columns, ()).headings)


def _table(
    title: str, rows: Sequence[Cells], header: Cells | None = None, words: int = 1
) -> list[str]:
    return [title, *aligned([*([header] if header else []), *rows], words)] if rows else []
