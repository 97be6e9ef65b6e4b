"""Holds a conversation by whatever protocol its scenario has."""

from __future__ import annotations

from pytest_toolsandbox.agents.agent import Agent
from pytest_toolsandbox.language.protocol import protocol_of
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.users.user import User

from .messages import Trajectory


def converse(scenario: Scenario, agent: Agent, user: User) -> Trajectory:
    """Hold the conversation of a scenario as its protocol says.

    Raises :class:`~pytest_toolsandbox.conversation.play.PlayError` where the agent fails.
    """
    trajectory: Trajectory = protocol_of(scenario).converse(scenario, agent, user)
    return trajectory
