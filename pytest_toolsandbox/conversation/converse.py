"""Holds a conversation by whatever protocol its scenario has."""

from __future__ import annotations

from pytest_toolsandbox.agents.agent import Agent
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.users.user import User

from .messages import Trajectory
from .play import play
from .query import ask
from .replay import replay


def converse(scenario: Scenario, agent: Agent, user: User) -> Trajectory:
    """Replay a recorded conversation, ask a query, or else play with the user.

    Raises :class:`~pytest_toolsandbox.conversation.play.PlayError` where the agent fails.
    """
    if scenario.replay is not None:
        return replay(scenario, agent)
    return play(scenario, agent, user) if scenario.query is None else ask(scenario, agent)
