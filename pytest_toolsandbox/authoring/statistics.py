"""Counts what a suite of scenarios is made of, as in ToolSandbox's tables 6, 7 and 8.

Also sizes, means, and how similar the names of tools are. No model is asked: turns and calls are
those of given conversations, such as the scenarios' own solutions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from statistics import median
from typing import Any, get_args

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
from pytest_toolsandbox.output.tables import ReportColumn
from pytest_toolsandbox.output.totals import mean
from pytest_toolsandbox.scoring.error_patterns.patterns import api_similarity
from pytest_toolsandbox.scoring.milestones.tree import direct_edges
from pytest_toolsandbox.worlds.tool import Tool

WHOLE_TABLE = "(whole table)"
"""Stands for the column where a milestone asks for a table without naming any."""
GUARDRAIL = "unchanged (explicit guardrail)"
IMPLICIT = "implicit guardrail"
RESULT = "value from a result"
CONSTRAINT_KINDS = (
    *(kind for kind in get_args(StateKind) if kind != "unchanged"),
    *("call", "tried", "says", "user_says"),
    *(RESULT, GUARDRAIL, IMPLICIT),
)
"""What constraints are counted as, in the order of the language's own pages."""

GRAPH_SHAPES = ("no milestones", "single", "chain", "join", "branch", "join and branch", "apart")
"""The shapes of a graph of milestones, from the plainest on.

A ``join`` is where a milestone comes right after several, a ``branch`` where several come right
after one. Without either there is one ``chain`` or there are several things ``apart``.
"""


@dataclass(frozen=True)
class SolvedScenario:
    """A scenario with the conversation of a solution, where there is one."""

    scenario: Scenario
    trajectory: Trajectory | None


Suite = Sequence[SolvedScenario]


def count(
    suite: Suite,
    keys: Callable[[SolvedScenario], Iterable[Any]],
    order: Callable[[Iterable[Any]], Iterable[Any]] = sorted,
) -> dict[Any, int]:
    """Return how often scenarios have each of their ``keys``, in that ``order``."""
    counts = Counter(chain.from_iterable(map(keys, suite)))
    return {key: counts[key] for key in order(counts)}


def events_of(one: SolvedScenario) -> Milestones:
    """Return milestones, minefields and protected tables; other protocols have empty ones."""
    task = one.scenario.task
    return task if isinstance(task, Milestones) else Milestones(UserScript(""), (), {}, {}, ())


def columns(one: SolvedScenario) -> Iterator[tuple[str, str, str]]:
    """Yield world, table and column for each milestone that asks for it, but by a guardrail."""
    for milestone in events_of(one).milestones.values():
        yield from {
            (one.scenario.world.name, item.table, column)
            for item in milestone.constraints
            if isinstance(item, StateConstraint) and not item.is_guardrail
            for column in constrained_columns(item) or (WHOLE_TABLE,)
        }


def called_tools(one: SolvedScenario) -> Iterator[tuple[str, str]]:
    """Yield world and tool for each milestone that asks for a call of it."""
    for milestone in events_of(one).milestones.values():
        calls = (item for item in milestone.constraints if isinstance(item, CallConstraint))
        patterns = chain.from_iterable(call.alternatives for call in calls)
        yield from {(one.scenario.world.name, pattern.tool) for pattern in patterns}


def tools(one: SolvedScenario) -> set[tuple[str, str]]:
    """Return world and tool for all tools, the simulated user's among them if there is one."""
    world = one.scenario.world
    names = world.tools if one.scenario.task.has_user else world.agent_tools
    return {(world.name, tool) for tool in names}


def needed_tools(one: SolvedScenario) -> set[tuple[str, str]]:
    """Return world and tool for those that are called in the solution, also by the user."""
    messages = one.trajectory.messages if one.trajectory is not None else ()
    requests = (each for each in messages if each.sender is not Role.EXECUTION_ENVIRONMENT)
    called = {each.call.name for each in requests if each.call is not None}
    world = one.scenario.world
    return {(world.name, tool) for tool in called if tool in world.tools}


def kinds(section: Mapping[str, Event]) -> Iterator[str]:
    """Yield the kind of each constraint in milestones, or in minefields.

    A constraint counts as what it is written as, and once more where it takes a value from a
    result. An implicit guardrail counts for each table and each earlier event between which and
    its own it watches that table.
    """
    for event in section.values():
        for item in event.constraints:
            kind = item.kind if isinstance(item, StateConstraint) else item.label
            yield GUARDRAIL if item.is_guardrail else kind
            if any(expected.sources for expected in item.expected):
                yield RESULT
        yield from [IMPLICIT] * _implicit_guardrails(event, section)


def graph_shape(milestones: Mapping[str, Event]) -> str:
    """Return the shape of a graph, which an edge that follows from others does not change."""
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
    watched = event.guarded.difference(*constrained)
    return len(watched) * len(parents | (event.references & {START}))


Columns = tuple[ReportColumn[SolvedScenario], ...]

_BASE = "base"
_MANNERS = (_BASE, "constraints", "sentences", "irrelevance")
"""How queries are made; those that are made from no other are the base of others."""


def _mean_of(figure: Callable[[Trajectory], int], suite: Suite) -> float | None:
    return mean(figure(one.trajectory) for one in suite if one.trajectory is not None)


def _message_count(trajectory: Trajectory) -> int:
    return sum(
        message.sender is not Role.SYSTEM and set(message.visible_to) != {Role.USER}
        for message in trajectory.messages
    )


_MEAN_CALLS: ReportColumn[SolvedScenario] = ReportColumn(
    "mean calls", partial(_mean_of, lambda one: one.tool_call_count), ".1f"
)
SIZE: Columns = (
    ReportColumn("tools", lambda suite: len(set().union(*map(tools, suite)))),
    ReportColumn("mean messages", partial(_mean_of, _message_count), ".1f"),
    ReportColumn("mean turns", partial(_mean_of, lambda one: one.turn_count), ".1f"),
    ReportColumn("mean tool calls", _MEAN_CALLS.value, ".1f"),
)
"""The numbers of table 4 (section 3 and appendix B.1), means over scenarios with a conversation.

What that table calls turns are messages: all between user, agent and tools. Turns leave the end of
a conversation out, as a run's turn counts do (table 11).
"""


def _sizes(section: str, figure: Callable[[Sequence[int]], float], suite: Suite) -> float:
    return figure([len(getattr(events_of(one), section)) for one in suite])


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
    for one in suite:
        turns, known = one.scenario.task.agent_turns, one.scenario.world.tools
        yield [known[call.tool] for turn in turns for call in turn.calls]


RECORDINGS: Columns = (
    ReportColumn("conversations", len),
    ReportColumn("turns", lambda suite: sum(len(o.scenario.task.agent_turns) for o in suite)),
    ReportColumn("ground-truth calls", lambda suite: sum(map(len, _called(suite)))),
    ReportColumn("of actions", lambda suite: sum(tool.action for tool in chain(*_called(suite)))),
    ReportColumn(
        "mean plugins", lambda s: mean(len({t.module for t in one}) for one in _called(s)), ".1f"
    ),
)
"""ToolTalk, section 2. Turns are the assistant's; plugins those whose tools are called."""


def _made_so(manner: str, suite: Suite) -> int:
    return sum((one.scenario.task_as(Query).manner or _BASE) == manner for one in suite)


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
        lambda suite: mean(api_similarity(one.scenario.tools) for one in suite),
        ".3f",
    ),
)
"""SpecTool, section 7.2.2: of all tools of a world, and the mean of those that scenarios offer.

Similarities lie in [0, 1]; ``None`` where there are no two names.
"""
