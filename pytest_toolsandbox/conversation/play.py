"""Plays a conversation between a simulated user, an agent and a world (ToolSandbox, section 2)."""

from __future__ import annotations

from pytest_toolsandbox.agents.agent import Agent
from pytest_toolsandbox.agents.caller import AgentCaller
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.users.user import User
from pytest_toolsandbox.wording.regular_expression import SlowSearchError

from .conversation import Conversation
from .messages import Trajectory


class PlayError(Exception):
    """A conversation that could not be played to its end, and how far it came."""

    def __init__(self, reason: str, trajectory: Trajectory) -> None:
        super().__init__(reason)
        self.trajectory = trajectory


def play(scenario: Scenario, agent: Agent, user: User) -> Trajectory:
    """Play the scenario until the user ends it or it has ``max_messages`` more messages.

    Raises :class:`PlayError` where the agent fails, or a reply's pattern takes too long.
    """
    conversation = Conversation(scenario)
    limit = len(conversation.messages) + scenario.max_messages
    caller = AgentCaller(agent, scenario.timeout)
    try:
        while not conversation.ended and len(conversation.messages) < limit:
            conversation.let_next_speak(caller, user)
    except (AgentError, SlowSearchError) as error:
        raise PlayError(str(error), conversation.trajectory) from error
    return conversation.trajectory
