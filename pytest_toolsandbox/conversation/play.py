"""Plays a conversation between a simulated user, an agent and a world (ToolSandbox, section 2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

from pytest_toolsandbox.agents.agent import Agent
from pytest_toolsandbox.agents.caller import AgentCaller
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.users.user import User, UserError
from pytest_toolsandbox.wording.regular_expression import SlowSearchError
from pytest_toolsandbox.worlds.errors import WorldError

from .conversation import Conversation
from .messages import Trajectory

BREAKS_OFF: Final = (AgentError, UserError, WorldError, SlowSearchError)
"""What keeps a conversation from its end, each with one line that says what happened."""


class PlayError(Exception):
    """A conversation that could not be played to its end, and how far it came."""

    def __init__(self, reason: str, trajectory: Trajectory) -> None:
        super().__init__(reason)
        self.trajectory = trajectory


class Ongoing(Protocol):
    """A conversation of whatever protocol."""

    scenario: Scenario

    @property
    def trajectory(self) -> Trajectory:
        """What was said so far."""
        ...

    def let_next_speak(self, caller: AgentCaller, user: User) -> None:
        """Let whoever the last message is addressed to speak."""
        ...


def play(scenario: Scenario, agent: Agent, user: User) -> Trajectory:
    """Play the scenario until the user ends it or it has ``max_messages`` more messages.

    Raises :class:`PlayError` where the agent fails, or something else does (``BREAKS_OFF``).
    """
    conversation = Conversation(scenario)
    return hold(conversation, agent, user, lambda: conversation.ended or conversation.room <= 0)


def hold(
    conversation: Ongoing, agent: Agent, user: User, is_over: Callable[[], bool]
) -> Trajectory:
    """Let one after the other speak until it is over: the loop of every protocol.

    Raises :class:`PlayError` where the agent fails, or something else does (``BREAKS_OFF``).
    """
    caller = AgentCaller(agent, conversation.scenario.timeout)
    try:
        while not is_over():
            conversation.let_next_speak(caller, user)
    except BREAKS_OFF as error:
        raise PlayError(str(error), conversation.trajectory) from error
    return conversation.trajectory


def silent(messages: object) -> None:
    """Be a user who says nothing, for protocols that have no simulated one."""
    del messages
