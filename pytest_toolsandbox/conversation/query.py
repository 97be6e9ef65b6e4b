"""Asks an agent a query: one question, tools, and a conclusion (SpecTool, section 4)."""

from __future__ import annotations

from pytest_toolsandbox.agents.agent import Agent
from pytest_toolsandbox.agents.caller import AgentCaller
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import FINISH, Scenario
from pytest_toolsandbox.models.errors import AgentError

from .conversation import Conversation
from .messages import Trajectory
from .play import PlayError


def ask(scenario: Scenario, agent: Agent) -> Trajectory:
    """Ask the query until the agent concludes, or has made ``max_calls`` calls.

    It concludes by calling ``finish``, or else by saying something without a call. Raises
    :class:`PlayError` where the agent fails.
    """
    conversation = Conversation(scenario)
    limit = len(conversation.messages) + scenario.max_messages
    caller = AgentCaller(agent, scenario.timeout)
    try:
        while not is_over(conversation, scenario, limit):
            conversation.let_next_speak(caller, _nobody)
    except AgentError as error:
        raise PlayError(str(error), conversation.trajectory) from error
    return conversation.trajectory


def is_over(conversation: Conversation, scenario: Scenario, limit: int) -> bool:
    """Whether the agent has concluded, or may not go on."""
    messages = conversation.messages
    match messages[-1].recipient:
        case Role.USER:
            return True
        case Role.AGENT:
            asked = sum(message.sender is Role.AGENT for message in messages)
            finished = any(m.trace and m.trace.tool_name == FINISH.name for m in messages)
            return finished or asked >= scenario.max_calls or len(messages) >= limit
        case _:
            return False


def _nobody(messages: object) -> None:
    """Say nothing: whoever asked a query does not answer."""
    del messages
