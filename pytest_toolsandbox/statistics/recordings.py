"""What a suite of recorded conversations is made of, as ToolTalk says of its own (section 2)."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.reporting.tables import ALL_SCENARIOS, ReportColumn, Total
from pytest_toolsandbox.reporting.totals import in_order, mean
from pytest_toolsandbox.worlds.tool import Tool


def recordings(scenarios: Sequence[Scenario]) -> list[Total[Scenario]]:
    """Return the recorded conversations of every category and, last, all of them, if any."""
    recorded = [scenario for scenario in scenarios if scenario.task.agent_turns]
    names = in_order(name for scenario in recorded for name in scenario.categories)
    parts = [Total(name, [one for one in recorded if name in one.categories]) for name in names]
    return [*parts, Total(ALL_SCENARIOS, recorded)] if recorded else []


def _turns(scenarios: Sequence[Scenario]) -> int:
    return sum(len(scenario.task.agent_turns) for scenario in scenarios)


def _calls(scenarios: Sequence[Scenario]) -> int:
    return sum(len(_called_in(scenario)) for scenario in scenarios)


def _actions(scenarios: Sequence[Scenario]) -> int:
    return sum(tool.action for scenario in scenarios for tool in _called_in(scenario))


def _plugins(scenarios: Sequence[Scenario]) -> float | None:
    return mean(len({tool.module for tool in _called_in(scenario)}) for scenario in scenarios)


def _called_in(scenario: Scenario) -> list[Tool]:
    turns = scenario.task.agent_turns
    return [scenario.world.tools[call.tool] for turn in turns for call in turn.calls]


COLUMNS: tuple[ReportColumn[Scenario], ...] = (
    ReportColumn("conversations", None, len),
    ReportColumn("turns", None, _turns),
    ReportColumn("ground-truth calls", None, _calls),
    ReportColumn("of actions", None, _actions),
    ReportColumn("mean plugins", None, _plugins, ".1f"),
)
"""Turns are those of the assistant, plugins those whose tools a conversation calls."""
