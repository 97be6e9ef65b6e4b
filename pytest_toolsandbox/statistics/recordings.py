"""What a suite of recorded conversations is made of, as ToolTalk says of its own (section 2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.reporting.tables import ALL_SCENARIOS
from pytest_toolsandbox.reporting.totals import in_order, mean
from pytest_toolsandbox.worlds.tool import Tool


class Recordings(NamedTuple):
    """Recorded conversations, all of them or those of a category (ToolTalk, section 2).

    ``turns`` are those of the assistant, ``actions`` those of the true ``calls`` that do something;
    ``plugins`` is the mean number of plugins whose tools a conversation calls.
    """

    name: str
    conversations: int
    turns: int
    calls: int
    actions: int
    plugins: float | None


def recordings(scenarios: Sequence[Scenario]) -> list[Recordings]:
    """Return the recorded conversations of every category and, last, all of them, if any."""
    recorded = [scenario for scenario in scenarios if scenario.task.agent_turns]
    names = in_order(name for scenario in recorded for name in scenario.categories)
    parts = [(name, [one for one in recorded if name in one.categories]) for name in names]
    return [_recordings(name, part) for name, part in (*parts, (ALL_SCENARIOS, recorded)) if part]


def _recordings(name: str, scenarios: Sequence[Scenario]) -> Recordings:
    called = [list(_called_in(scenario)) for scenario in scenarios]
    calls = [tool for tools in called for tool in tools]
    return Recordings(
        name,
        len(scenarios),
        sum(len(scenario.task.agent_turns) for scenario in scenarios),
        len(calls),
        sum(tool.action for tool in calls),
        mean(len({tool.module for tool in tools}) for tools in called),
    )


def _called_in(scenario: Scenario) -> Iterator[Tool]:
    for turn in scenario.task.agent_turns:
        for call in turn.calls:
            yield scenario.world.tools[call.tool]
