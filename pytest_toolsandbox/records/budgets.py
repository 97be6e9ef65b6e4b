"""Which budgets of a conversation, or of its judging, ran out."""

from __future__ import annotations

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.evaluation.results import Result
from pytest_toolsandbox.language.protocol import protocol_of
from pytest_toolsandbox.language.scenario import Scenario

from .record import Budget


def ran_out(scenario: Scenario, trajectory: Trajectory, result: Result | None) -> list[Budget]:
    """Return the budgets that ran out, of what was judged."""
    if result is None or not trajectory.messages:
        return []
    search: list[Budget] = ["parallel_executions"] if trajectory.untried_orders else []
    return [*search, *protocol_of(scenario).ran_out(scenario, trajectory, result)]
