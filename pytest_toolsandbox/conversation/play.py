"""Plays a conversation between a user, an agent and a world until it is over."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from pytest_toolsandbox.agents.agent import Agent, AgentCaller
from pytest_toolsandbox.agents.per_conversation import conversation_of
from pytest_toolsandbox.language.protocol import protocol_of
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import FINISH
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.users.user import GO_ON, User, UserError
from pytest_toolsandbox.wording.error_text import REASON_LIMIT, message_of
from pytest_toolsandbox.wording.regular_expression import SlowSearchError
from pytest_toolsandbox.worlds.errors import WorldError

from .consent import only_goes_on, only_proposes
from .conversation import Conversation
from .messages import Message, Trajectory

BREAKS_OFF: Final = (AgentError, UserError, WorldError, SlowSearchError)
"""What keeps a conversation from its end, each with one line that says what happened."""


class PlayError(Exception):
    """A conversation that could not be played to its end, and how far it came."""

    def __init__(self, reason: str, trajectory: Trajectory) -> None:
        super().__init__(reason)
        self.trajectory = trajectory


def play(scenario: Scenario, agent: Agent, user: User) -> Trajectory:
    """Play the scenario until the user ends it or it has ``max_messages`` more messages.

    Raises :class:`PlayError` where agent, user or world fails, or a search takes too long.
    """
    conversation = Conversation(scenario)
    return hold(conversation, agent, user, lambda: conversation.ended or conversation.room <= 0)


def ask(scenario: Scenario, agent: Agent) -> Trajectory:
    """Ask a query until the agent concludes, or has made ``max_calls`` calls (SpecTool, section 4).

    It concludes by calling ``finish``, or else by saying something without a call. What only
    announces the next call, or asks whether to make it, is answered by :data:`GO_ON` and takes no
    room, but not twice in a row. Raises :class:`PlayError` as :func:`play` does.
    """
    conversation = Conversation(scenario)

    def go_on(messages: object) -> str:
        del messages
        conversation.limit += 2
        return GO_ON

    return hold(conversation, agent, go_on, lambda: _is_concluded(conversation))


def converse(scenario: Scenario, agent: Agent, user: User) -> Trajectory:
    """Hold the conversation of a scenario as its protocol says. Raises :class:`PlayError`."""
    trajectory: Trajectory = protocol_of(scenario).converse(scenario, agent, user)
    return trajectory


def hold(
    conversation: Conversation, agent: Agent, user: User, is_over: Callable[[], bool]
) -> Trajectory:
    """Let one after the other speak until it is over: the loop of every protocol."""
    scenario = conversation.scenario
    try:
        facts = protocol_of(scenario).facts(scenario) or ""
        made = conversation_of(scenario)
        with made, AgentCaller(agent, scenario.timeout, facts, scenario.prompt or "") as caller:
            caller.during(lambda: _talk(conversation, caller, user, is_over))
    except BREAKS_OFF as error:
        raise PlayError(message_of(error, REASON_LIMIT), conversation.trajectory) from error
    return conversation.trajectory


def _talk(
    conversation: Conversation, caller: AgentCaller, user: User, is_over: Callable[[], bool]
) -> None:
    while not is_over():
        conversation.let_next_speak(caller, user)


def silent(messages: object) -> None:
    """Say nothing: the user of protocols that have no simulated one."""
    del messages


def _is_concluded(conversation: Conversation) -> bool:
    messages = conversation.messages
    if conversation.room <= 0:
        return True
    if messages[-1].recipient is Role.USER:
        said = messages[-1].content
        return messages[-2].content == GO_ON or not (only_goes_on(said) or only_proposes(said))
    if messages[-1].recipient is not Role.AGENT:
        return False
    finished = any(m.trace and m.trace.tool_name == FINISH.name for m in messages)
    return finished or requests_in(messages) >= conversation.scenario.max_calls


def requests_in(messages: Iterable[Message]) -> int:
    """Return how many calls the agent asked for, those that could not be read included."""
    return sum(m.sender is Role.AGENT and m.recipient is not Role.USER for m in messages)
