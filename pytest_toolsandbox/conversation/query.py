"""Asks an agent a query: one question, tools, and a conclusion (SpecTool, section 4)."""

from __future__ import annotations

from pytest_toolsandbox.agents.agent import Agent
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import FINISH

from .conversation import Conversation
from .messages import Trajectory
from .play import hold, silent


def ask(scenario: Scenario, agent: Agent) -> Trajectory:
    """Ask the query until the agent concludes, or has made ``max_calls`` calls.

    It concludes by calling ``finish``, or else by saying something without a call. Raises
    :class:`~pytest_toolsandbox.conversation.play.PlayError` where the agent or the
    world fails.
    """
    conversation = Conversation(scenario)
    return hold(conversation, agent, silent, lambda: is_over(conversation))


def is_over(conversation: Conversation) -> bool:
    """Whether the agent has concluded, or may not go on."""
    messages = conversation.messages
    if conversation.room <= 0:
        return True
    match messages[-1].recipient:
        case Role.USER:
            return True
        case Role.AGENT:
            asked = sum(message.sender is Role.AGENT for message in messages)
            finished = any(m.trace and m.trace.tool_name == FINISH.name for m in messages)
            return finished or asked >= conversation.scenario.max_calls
        case _:
            return False
