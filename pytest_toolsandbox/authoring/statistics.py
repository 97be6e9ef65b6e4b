"""Statistics of a suite: the tables 6, 7 and 8 of ToolSandbox, sizes, means, similar tool names.

No model is asked: turns and calls are those of given conversations, such as the scenarios' own
solutions.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from statistics import median
from typing import Any, NamedTuple, get_args

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.language.constraints import (
    START,
    CallConstraint,
    Event,
    StateConstraint,
    StateKind,
)
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Milestones, Query, UserScript
from pytest_toolsandbox.output.pages.wording import constrained_columns
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
from pytest_toolsandbox.output.totals import categories_in_order, grouped, mean
from pytest_toolsandbox.scoring.error_patterns.patterns import api_similarity
from pytest_toolsandbox.scoring.milestones.tree import direct_edges
from pytest_toolsandbox.worlds.tool import Tool

WHOLE_TABLE = "(whole table)"
"""The placeholder for the column if a milestone names only a table."""
GUARDRAIL = "unchanged (explicit guardrail)"
IMPLICIT = "implicit guardrail"
RESULT = "value from a result"
CONSTRAINT_KINDS = (
    *(kind for kind in get_args(StateKind) if kind != "unchanged"),
    *("call", "tried", "says", "user_says"),
    *(RESULT, GUARDRAIL, IMPLICIT),
)
"""The kinds of constraints, in the order of the documentation."""

GRAPH_SHAPES = ("no milestones", "single", "chain", "join", "branch", "join and branch", "apart")
"""The shapes of a graph of milestones, from the plainest on.

A ``join`` is where a milestone comes right after several, a ``branch`` where several come right
after one. Without either there is one ``chain`` or there are several things ``apart``.
"""


@dataclass(frozen=True)
class SolvedScenario:
    """A scenario and the conversation of a solution, if there is one."""

    scenario: Scenario
    trajectory: Trajectory | None


Suite = Sequence[SolvedScenario]


def count(
    suite: Suite,
    keys: Callable[[SolvedScenario], Iterable[Any]],
    order: Callable[[Iterable[Any]], Iterable[Any]] = sorted,
) -> dict[Any, int]:
    """Return the number of scenarios with each of their ``keys``, in this ``order``."""
    counts = Counter(chain.from_iterable(map(keys, suite)))
    return {key: counts[key] for key in order(counts)}


def events_of(entry: SolvedScenario) -> Milestones:
    """Return milestones, minefields and protected tables; other protocols have empty ones."""
    task = entry.scenario.task
    return task if isinstance(task, Milestones) else Milestones(UserScript(""), (), {}, {}, ())


def columns(entry: SolvedScenario) -> Iterator[tuple[str, str, str]]:
    """Yield world, table and column of each milestone, without guardrails."""
    for milestone in events_of(entry).milestones.values():
        yield from {
            (entry.scenario.world.name, item.table, column)
            for item in milestone.constraints
            if isinstance(item, StateConstraint) and not item.is_guardrail
            for column in constrained_columns(item) or (WHOLE_TABLE,)
        }


def called_tools(entry: SolvedScenario) -> Iterator[tuple[str, str]]:
    """Yield world and tool of each milestone that requires a call."""
    for milestone in events_of(entry).milestones.values():
        calls = (item for item in milestone.constraints if isinstance(item, CallConstraint))
        patterns = chain.from_iterable(call.alternatives for call in calls)
        yield from {(entry.scenario.world.name, pattern.tool) for pattern in patterns}


def tools(entry: SolvedScenario) -> set[tuple[str, str]]:
    """Return world and tool of all tools, including those of a simulated user."""
    world = entry.scenario.world
    names = world.tools if entry.scenario.task.has_user else world.agent_tools
    return {(world.name, tool) for tool in names}


def needed_tools(entry: SolvedScenario) -> set[tuple[str, str]]:
    """Return world and tool of the calls in the solution, including those of the user."""
    messages = entry.trajectory.messages if entry.trajectory is not None else ()
    requests = (each for each in messages if each.sender is not Role.EXECUTION_ENVIRONMENT)
    called = {each.call.name for each in requests if each.call is not None}
    world = entry.scenario.world
    return {(world.name, tool) for tool in called if tool in world.tools}


def kinds(section: Mapping[str, Event]) -> Iterator[str]:
    """Yield the kind of each constraint in milestones or minefields.

    A constraint counts as its own kind, and once more if it takes a value from a result. An
    implicit guardrail counts for each table and each earlier event since which it guards the table.
    """
    for event in section.values():
        for item in event.constraints:
            kind = item.kind if isinstance(item, StateConstraint) else item.label
            yield GUARDRAIL if item.is_guardrail else kind
            if any(expected.sources for expected in item.expected):
                yield RESULT
        yield from [IMPLICIT] * _implicit_guardrails(event, section)


def graph_shape(milestones: Mapping[str, Event]) -> str:
    """Return the shape of a graph; edges that follow from others do not change it."""
    if len(milestones) <= 1:
        return "single" if milestones else "no milestones"
    edges = direct_edges({name: event.after for name, event in milestones.items()})
    starts, ends = ({edge[end] for edge in edges} for end in (0, 1))
    names = {"join": len(ends) < len(edges), "branch": len(starts) < len(edges)}
    if any(names.values()):
        return " and ".join(name for name, has in names.items() if has)
    return "chain" if len(edges) == len(milestones) - 1 else "apart"


def _implicit_guardrails(event: Event, section: Mapping[str, Event]) -> int:
    parents = {*event.after, *(event.references - {START})}
    constrained = [section[name].constrained_tables for name in {event.name, *parents}]
    watched = {*event.guarded}.difference(*constrained)
    return len(watched) * len(parents | (event.references & {START}))


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
GROUPS = (
    CountTable(
        "Scenarios per category (ToolSandbox, table 6)",
        ("category",),
        _CASES,
        lambda entry: set(entry.scenario.categories),
        categories_in_order,
    ),
    CountTable("Scenarios per tag", ("tag",), _CASES, lambda entry: set(entry.scenario.tags)),
)
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
    yield _table("Size (ToolSandbox, table 4)", [*cases, *_figures(suite, SIZE)])
    yield from (_counts(table, suite, variants) for table in GROUPS)
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
    queries = _per_world([entry for entry in suite if isinstance(entry.scenario.task, Query)])
    title = "Queries (SpecTool, table 2), and how they were made from others"
    yield _totals(title, "world", QUERIES, queries)
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
    title: str, name: str, columns: Columns, totals: Sequence[Total[SolvedScenario]]
) -> list[str]:
    rows = [figure_row(total, columns) for total in totals]
    return _table(title, rows, ReportTable(name, columns, ()).headings)


def _table(
    title: str, rows: Sequence[Cells], header: Cells | None = None, words: int = 1
) -> list[str]:
    return [title, *aligned([*([header] if header else []), *rows], words)] if rows else []
