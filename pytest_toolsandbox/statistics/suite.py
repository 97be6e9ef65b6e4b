"""What a suite of scenarios is made of, counted as in ToolSandbox's tables 6, 7 and 8.

Nothing here asks a model: turns and calls are those of conversations that are given, such as the
scenarios' own solutions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, get_args

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.evaluation.milestones.graph import direct_edges
from pytest_toolsandbox.language.constraints import (
    START,
    CallConstraint,
    Event,
    StateConstraint,
    StateKind,
)
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Milestones, UserScript
from pytest_toolsandbox.records.constraint_text import columns_asked

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
            for column in columns_asked(item) or (WHOLE_TABLE,)
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
