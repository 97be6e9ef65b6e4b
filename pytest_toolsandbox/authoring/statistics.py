"""Statistics of a suite: the tables 6, 7 and 8 of ToolSandbox, sizes, means, similar tool names.

No model is asked: turns and calls are those of given conversations, such as the scenarios' own
solutions.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from statistics import median
from typing import Any, NamedTuple

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.tasks import Query
from pytest_toolsandbox.output.tables import (
    ALL_SCENARIOS,
    Cells,
    ReportColumn,
    ReportTable,
    Total,
    aligned,
    figure_row,
    joined_tables,
)
from pytest_toolsandbox.output.totals import (
    categories_in_order,
    grouped,
    mean,
    toolsandbox_title,
    what_is_held,
)
from pytest_toolsandbox.scoring.error_patterns.patterns import api_similarity
from pytest_toolsandbox.worlds.tool import Tool

from .measures import (
    CONSTRAINT_KINDS,
    GRAPH_SHAPES,
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

Columns = tuple[ReportColumn[SolvedScenario], ...]

_BASE = "base"
_MANNERS = (_BASE, "constraints", "sentences", "irrelevance")
"""How queries are made; those that are made from no other are the base of others."""


def _mean_of(figure: Callable[[Trajectory], int], suite: Suite) -> float | None:
    return mean(figure(entry.trajectory) for entry in suite if entry.trajectory is not None)


def _message_count(trajectory: Trajectory) -> int:
    return sum(
        message.sender is not Role.SYSTEM and set(message.visible_to) != {Role.USER}
        for message in trajectory.messages
    )


_MEAN_CALLS: ReportColumn[SolvedScenario] = ReportColumn(
    "mean calls", partial(_mean_of, lambda trajectory: trajectory.tool_call_count), ".1f"
)
SIZE: Columns = (
    ReportColumn("tools", lambda suite: len(set().union(*map(tools, suite)))),
    ReportColumn("mean messages", partial(_mean_of, _message_count), ".1f"),
    ReportColumn("mean turns", partial(_mean_of, lambda trajectory: trajectory.turn_count), ".1f"),
    ReportColumn("mean tool calls", _MEAN_CALLS.value, ".1f"),
)
"""The numbers of table 4 (section 3 and appendix B.1), means over scenarios with a conversation.

What that table calls turns are messages: all between user, agent and tools. Turns leave the end of
a conversation out, as a run's turn counts do (table 11).
"""


def _sizes(section: str, figure: Callable[[Sequence[int]], float], suite: Suite) -> float:
    return figure([len(getattr(events_of(entry), section)) for entry in suite])


_EVENTS: tuple[tuple[str, str, Callable[[Sequence[int]], float]], ...] = (
    ("milestones", "milestones", sum),
    ("in a scenario: fewest", "milestones", min),
    ("in a scenario: median", "milestones", median),
    ("in a scenario: most", "milestones", max),
    ("minefields", "minefields", sum),
    ("scenarios with minefields", "minefields", lambda sizes: sum(map(bool, sizes))),
    ("scenarios with protected tables", "protected", lambda sizes: sum(map(bool, sizes))),
)
EVENTS: Columns = tuple(
    ReportColumn(heading, partial(_sizes, section, figure), "g")
    for heading, section, figure in _EVENTS
)


def _called(suite: Suite) -> Iterator[list[Tool]]:
    for entry in suite:
        turns, known = entry.scenario.task.agent_turns, entry.scenario.world.tools
        yield [known[call.tool] for turn in turns for call in turn.calls]


RECORDINGS: Columns = (
    ReportColumn("conversations", len),
    ReportColumn("turns", lambda suite: sum(len(o.scenario.task.agent_turns) for o in suite)),
    ReportColumn("ground-truth calls", lambda suite: sum(map(len, _called(suite)))),
    ReportColumn("of actions", lambda suite: sum(tool.action for tool in chain(*_called(suite)))),
    ReportColumn(
        "mean plugins",
        lambda s: mean(len({t.module for t in calls}) for calls in _called(s)),
        ".1f",
    ),
)
"""ToolTalk, section 2. Turns are the assistant's; plugins those whose tools are called."""


def _made_so(manner: str, suite: Suite) -> int:
    return sum((entry.scenario.task_as(Query).manner or _BASE) == manner for entry in suite)


_WORLD_TOOLS: ReportColumn[SolvedScenario] = ReportColumn(
    "tools", lambda suite: len(suite[0].scenario.world.agent_tools)
)
QUERIES: Columns = (
    ReportColumn("queries", len),
    _MEAN_CALLS,
    _WORLD_TOOLS,
    *(ReportColumn(manner, partial(_made_so, manner)) for manner in _MANNERS),
)
"""SpecTool, table 2. Calls are those of the first solutions, ``finish`` counted."""


def _mean_over_worlds(column: ReportColumn[SolvedScenario]) -> ReportColumn[SolvedScenario]:
    """Return a figure as the paper has it in its last row: the mean of those of the worlds."""

    def value(suite: Suite) -> float | None:
        return mean(column.value(world.items) for world in _per_world(suite))

    return ReportColumn(column.heading, value, ".1f")


ALL_QUERIES: Columns = (
    QUERIES[0],
    *map(_mean_over_worlds, (_MEAN_CALLS, _WORLD_TOOLS)),
    *QUERIES[3:],
)
"""The last row of that table, in which each world has the same weight in means."""


SIMILARITY: Columns = (
    _WORLD_TOOLS,
    ReportColumn("similarity", lambda s: api_similarity(s[0].scenario.world.agent_tools), ".3f"),
    ReportColumn("scenarios", len),
    ReportColumn(
        "of those offered",
        lambda suite: mean(api_similarity(entry.scenario.tools) for entry in suite),
        ".3f",
    ),
)
"""SpecTool, section 7.2.2: for all tools of a world, and the mean over the scenarios' tools.

Similarities are in [0, 1], or ``None`` for fewer than two names.
"""


WRAP_WIDTH = 80


class CountTable(NamedTuple):
    """A table of frequencies.

    ``names`` are the headings of what is counted, with a ``world`` only if there are several.
    ``counted`` are the headings of the numbers: of scenarios, and of test cases, if shown.
    """

    title: str
    names: Cells
    counted: Cells
    keys: Callable[[SolvedScenario], Iterable[Any]]
    order: Callable[[Iterable[Any]], Iterable[Any]] = sorted


_CASES = ("scenarios", "test cases")
_MILESTONES = ("milestones", "in test cases")
BY_CATEGORY = CountTable(
    "Scenarios per category (ToolSandbox, table 6)",
    ("category",),
    _CASES,
    lambda entry: set(entry.scenario.categories),
    categories_in_order,
)
BY_TAG = CountTable("Scenarios per tag", ("tag",), _CASES, lambda e: set(e.scenario.tags))
GRAPHS = (
    CountTable(
        "Scenarios per number of milestones",
        ("milestones",),
        ("scenarios",),
        lambda entry: [len(events_of(entry).milestones)],
    ),
    CountTable(
        "Shapes of the milestones' graphs",
        ("shape",),
        ("scenarios",),
        lambda entry: [graph_shape(events_of(entry).milestones)],
        lambda shapes: sorted(shapes, key=GRAPH_SHAPES.index),
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
    """Return the similarity of tool names per world (SpecTool, section 7.2.2)."""
    title = "Similarity of the tools' names (SpecTool, section 7.2.2)"
    return _totals(title, "world", SIMILARITY, _per_world(suite))


def statistics_lines(suite: Suite, variants: int = 1) -> list[str]:
    """Return the statistics of at least one scenario.

    Each scenario has ``variants``, so there are more test cases than scenarios. If there are
    several worlds, tables and tools are shown with the name of their world.
    """
    return joined_tables(_tables(suite, variants))


def _tables(suite: Suite, variants: int) -> Iterator[list[str]]:
    cases = [("scenarios", str(len(suite))), ("test cases", str(len(suite) * variants))]
    held = what_is_held(entry.scenario.task.protocol for entry in suite)
    yield _table(toolsandbox_title("Size", 4, held), [*cases, *_figures(suite, SIZE)])
    by_category = toolsandbox_title("Scenarios per category", 6, held, ": ")
    yield _counts(BY_CATEGORY._replace(title=by_category), suite, variants)
    yield _counts(BY_TAG, suite, variants)
    if with_user := [entry for entry in suite if entry.scenario.task.has_user]:
        yield _table("Milestones and minefields", _figures(with_user, EVENTS))
        yield from (_counts(table, with_user, variants) for table in GRAPHS)
        yield _constraints(with_user)
        yield from (_counts(table, with_user, variants) for table in ASKED)
    recorded = [entry for entry in suite if entry.scenario.task.agent_turns]
    splits = grouped(recorded, lambda entry: entry.scenario.categories, categories_in_order)
    everything = [Total(ALL_SCENARIOS, recorded)] if recorded else []
    title = "Recorded conversations (ToolTalk, section 2)"
    yield _totals(title, "", RECORDINGS, [*splits, *everything])
    queries = [entry for entry in suite if isinstance(entry.scenario.task, Query)]
    title = "Queries (SpecTool, table 2), and how they were made from others"
    yield _totals(title, "world", QUERIES, _per_world(queries), ALL_QUERIES)
    yield _counts(NEEDS, suite, variants)
    yield _unneeded(suite)


def _per_world(suite: Suite) -> list[Total[SolvedScenario]]:
    return grouped(suite, lambda entry: [entry.scenario.world.name])


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
    milestones = Counter(chain.from_iterable(kinds(section.milestones) for section in events))
    minefields = Counter(chain.from_iterable(kinds(section.minefields) for section in events))
    present = [kind for kind in CONSTRAINT_KINDS if milestones[kind] or minefields[kind]]
    rows = [(kind, str(milestones[kind]), str(minefields[kind])) for kind in present]
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
    title: str,
    name: str,
    columns: Columns,
    totals: Sequence[Total[SolvedScenario]],
    of_all: Columns = (),
) -> list[str]:
    """Return the lines of a table; ``of_all`` are the figures of its last row, of several."""
    rows = [figure_row(total, columns) for total in totals]
    if of_all and len(totals) > 1:
        everything = [entry for total in totals for entry in total.items]
        rows.append(figure_row(Total("all", everything), of_all))
    return _table(title, rows, ReportTable(name, columns, ()).headings)


def _table(
    title: str, rows: Sequence[Cells], header: Cells | None = None, words: int = 1
) -> list[str]:
    return [title, *aligned([*([header] if header else []), *rows], words)] if rows else []
