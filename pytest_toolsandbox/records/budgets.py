"""Which budgets of a conversation, or of its judging, ran out."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_toolsandbox.conversation.messages import Message, Trajectory
from pytest_toolsandbox.evaluation.queries import QueryEvaluation
from pytest_toolsandbox.evaluation.results import Evaluation, Result
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario

from .record import Budget


def ran_out(scenario: Scenario, trajectory: Trajectory, result: Result | None) -> list[Budget]:
    """Return the budgets that ran out, of what was judged."""
    return list(_ran_out(scenario, trajectory, result)) if result and trajectory.messages else []


def _ran_out(scenario: Scenario, trajectory: Trajectory, result: Result) -> Iterator[Budget]:
    messages = trajectory.messages
    if trajectory.untried_orders:
        yield "parallel_executions"
    if isinstance(result, QueryEvaluation):
        if result.conclusion is None:
            asked = sum(message.sender is Role.AGENT for message in messages)
            yield "max_calls" if asked >= scenario.max_calls else "max_messages"
    elif isinstance(result, Evaluation):
        if not _ends(messages[-1], Role.EXECUTION_ENVIRONMENT):
            yield "max_messages"
        if not result.exact:
            yield "matching"
    elif any(_is_cut(messages, place) for place in range(len(messages))):
        yield "max_messages"


def _ends(message: Message, sender: Role) -> bool:
    return (message.sender, message.recipient) == (sender, Role.USER)


def _is_cut(messages: tuple[Message, ...], place: int) -> bool:
    """Whether a turn of the agent ends at a message, and that without an answer to the user."""
    followed = messages[place + 1].sender is Role.USER if place + 1 < len(messages) else True
    return followed and messages[place].sender is Role.EXECUTION_ENVIRONMENT
