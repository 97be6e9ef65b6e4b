"""What is counted of a suite: categories, tools, columns, constraints, and shapes of graphs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, get_args

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.language.constraints import (
    START,
    CallConstraint,
    Event,
    MomentConstraint,
    StateConstraint,
    StateKind,
)
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Milestones, UserScript
from pytest_toolsandbox.output.pages.wording import constrained_columns
from pytest_toolsandbox.scoring.milestones.tree import direct_edges

WHOLE_TABLE = "(whole table)"
"""The placeholder for the column if a milestone names only a table."""
GUARDRAIL = "unchanged (explicit guardrail)"
IMPLICIT = "implicit guardrail"
RESULT = "value from a result"
CONSTRAINT_KINDS = (
    *(kind for kind in get_args(StateKind) if kind != "unchanged"),
    *("call", "tried", "says", "user_says", "ends_as", "results", "holds"),
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
        yield from (
            (entry.scenario.world.name, table, WHOLE_TABLE)
            for table in sorted(milestone.ending_tables)
        )


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
            if isinstance(item, MomentConstraint):
                continue
            kind = item.kind if isinstance(item, StateConstraint) else item.label.split()[0]
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
