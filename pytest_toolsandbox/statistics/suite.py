"""What a suite of scenarios is made of, counted as in ToolSandbox's tables 4, 6, 7 and 8.

Nothing here asks a model: turns and calls are those of conversations that are given, such as the
scenarios' own solutions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar, get_args

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.language.constraints import (
    START,
    CallConstraint,
    Constraint,
    Event,
    StateConstraint,
    StateKind,
)
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Milestones, UserScript
from pytest_toolsandbox.records.constraint_text import columns_asked
from pytest_toolsandbox.reporting.totals import in_order, mean

from .graph_shape import SHAPES, shape

Named = tuple[str, ...]
"""A world's name, and the names of things in it."""
Key = TypeVar("Key", int, str, Named)

WHOLE_TABLE = "(whole table)"
"""Stands for the column where a milestone asks for a table without naming any."""
GUARDRAIL = "unchanged (explicit guardrail)"
IMPLICIT = "implicit guardrail"
RESULT = "value from a result"
KINDS = (
    *(kind for kind in get_args(StateKind) if kind != "unchanged"),
    *("call", "tried", "says", "user_says"),
    *(RESULT, GUARDRAIL, IMPLICIT),
)
"""What constraints are counted as, in the order of the language's own pages."""


@dataclass(frozen=True)
class SolvedScenario:
    """A scenario with the conversation of a solution, where there is one."""

    scenario: Scenario
    trajectory: Trajectory | None


@dataclass(frozen=True)
class Size:
    """The numbers of table 4 (section 3 and appendix B.1).

    ``tools`` counts those of the worlds, the simulated user's among them if there is one. The
    others are means over the scenarios with a conversation, ``None`` where there are none.
    ``messages`` is what that table calls turns: all between user, agent and tools. ``turns`` leaves
    the end of a conversation out, as a run's turn counts do (table 11).
    """

    scenarios: int
    tools: int
    messages: float | None
    turns: float | None
    tool_calls: float | None


def size(suite: Sequence[SolvedScenario]) -> Size:
    """Return how large a suite is, and how long its conversations are."""
    played = [one.trajectory for one in suite if one.trajectory is not None]
    return Size(
        len(suite),
        len(_tools(one.scenario for one in suite)),
        mean(map(_message_count, played)),
        mean(trajectory.turn_count for trajectory in played),
        mean(trajectory.tool_call_count for trajectory in played),
    )


def per_category(scenarios: Sequence[Scenario]) -> dict[str, int]:
    """Return category → number of scenarios, in the order of table 6; others after them."""
    counts = Counter(name for scenario in scenarios for name in set(scenario.categories))
    return {name: counts[name] for name in in_order(counts)}


def per_tag(scenarios: Sequence[Scenario]) -> dict[str, int]:
    """Return tag → number of scenarios."""
    return _sorted(Counter(name for scenario in scenarios for name in set(scenario.tags)))


def per_column(scenarios: Sequence[Scenario]) -> dict[Named, int]:
    """Return world, table and column → number of milestones that ask for it (table 7)."""
    counts: Counter[Named] = Counter()
    for world, milestone in _milestones(scenarios):
        counts.update({(world, *place) for place in _places(milestone)})
    return _sorted(counts)


def per_tool(scenarios: Sequence[Scenario]) -> dict[Named, int]:
    """Return world and tool → number of milestones that ask for a call of it (table 8)."""
    counts: Counter[Named] = Counter()
    for world, milestone in _milestones(scenarios):
        calls = (item for item in milestone.constraints if isinstance(item, CallConstraint))
        counts.update({(world, pattern.tool) for call in calls for pattern in call.alternatives})
    return _sorted(counts)


def milestones_per_scenario(scenarios: Sequence[Scenario]) -> dict[int, int]:
    """Return number of milestones → number of scenarios that have so many."""
    return _sorted(Counter(len(events_of(scenario).milestones) for scenario in scenarios))


def per_shape(scenarios: Sequence[Scenario]) -> dict[str, int]:
    """Return shape of the milestones' graph → number of scenarios; only shapes that occur."""
    counts = Counter(shape(events_of(scenario).milestones) for scenario in scenarios)
    return {name: counts[name] for name in SHAPES if counts[name]}


def per_kind(events: Iterable[Mapping[str, Event]]) -> dict[str, int]:
    """Return kind of constraint → how many there are in milestones, or in minefields.

    A constraint counts as what it is written as, and once more where it takes a value from a
    result. An implicit guardrail counts for each table and each earlier event between which and
    its own it watches that table.
    """
    counts: Counter[str] = Counter()
    for section in events:
        for event in section.values():
            counts.update(kind for item in event.constraints for kind in _kinds(item))
            counts[IMPLICIT] += _implicit_guardrails(event, section)
    return {kind: counts[kind] for kind in KINDS}


def per_need(suite: Sequence[SolvedScenario]) -> dict[Named, int]:
    """Return world and tool → number of scenarios whose solution calls it, for all tools.

    A tool of the simulated user counts where the user called it.
    """
    counts: Counter[Named] = Counter(dict.fromkeys(_tools(one.scenario for one in suite), 0))
    for one in suite:
        if one.trajectory is not None:
            world = one.scenario.world
            called = {tool for tool in _called(one.trajectory) if tool in world.tools}
            counts.update((world.name, tool) for tool in called)
    return _sorted(counts)


def events_of(scenario: Scenario) -> Milestones:
    """Return milestones, minefields and protected tables; none in other protocols."""
    task = scenario.task
    return task if isinstance(task, Milestones) else Milestones(UserScript(""), (), {}, {}, ())


def _tools(scenarios: Iterable[Scenario]) -> set[Named]:
    return {
        (scenario.world.name, tool)
        for scenario in scenarios
        for tool in (scenario.world.tools if scenario.task.has_user else scenario.world.agent_tools)
    }


def _message_count(trajectory: Trajectory) -> int:
    return sum(
        message.sender is not Role.SYSTEM and set(message.visible_to) != {Role.USER}
        for message in trajectory.messages
    )


def _called(trajectory: Trajectory) -> Iterator[str]:
    for message in trajectory.messages:
        if message.sender is not Role.EXECUTION_ENVIRONMENT and message.call is not None:
            yield message.call.name


def _milestones(scenarios: Iterable[Scenario]) -> Iterator[tuple[str, Event]]:
    for scenario in scenarios:
        for milestone in events_of(scenario).milestones.values():
            yield scenario.world.name, milestone


def _places(milestone: Event) -> Iterator[tuple[str, str]]:
    """Yield the tables and columns that a milestone asks for other than by a guardrail."""
    for item in milestone.constraints:
        if isinstance(item, StateConstraint) and not item.is_guardrail:
            for column in columns_asked(item) or (WHOLE_TABLE,):
                yield item.table, column


def _kinds(constraint: Constraint) -> Iterator[str]:
    kind = constraint.kind if isinstance(constraint, StateConstraint) else constraint.label
    yield GUARDRAIL if constraint.is_guardrail else kind
    if any(expected.sources for expected in constraint.expected):
        yield RESULT


def _implicit_guardrails(event: Event, section: Mapping[str, Event]) -> int:
    parents = {*event.after, *(event.references - {START})}
    constrained = [section[name].constrained_tables for name in {event.name, *parents}]
    watched = event.guarded.difference(*constrained)
    return len(watched) * len(parents | (event.references & {START}))


def _sorted(counts: Counter[Key]) -> dict[Key, int]:
    return dict(sorted(counts.items()))
