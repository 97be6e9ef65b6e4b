"""Plays a conversation between a user, an agent and a world until it is over.

The message bus: the role that is addressed speaks next (ToolSandbox, section 2).
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from pytest_toolsandbox.agents.agent import Agent, AgentCaller, conversation_of
from pytest_toolsandbox.calls.text_format import TEXT_FORMATS, instructions
from pytest_toolsandbox.calls.tool_call import ToolCall, ToolTrace
from pytest_toolsandbox.language.protocol import protocol_of
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import FINISH, Line
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.models.requests import request_context
from pytest_toolsandbox.text.error_text import REASON_LIMIT, message_of
from pytest_toolsandbox.text.regular_expression import SlowSearchError
from pytest_toolsandbox.users.user import END_CONVERSATION, GO_ON, User, UserError, ask_user
from pytest_toolsandbox.worlds.context import WorldError
from pytest_toolsandbox.worlds.json_values import as_json
from pytest_toolsandbox.worlds.state import State

from . import messages
from .agent_session import AgentSession
from .consent import only_goes_on, only_proposes
from .environment import environment_of
from .messages import (
    Message,
    Response,
    Spent,
    Trajectory,
    message_to,
    user_view,
    written_characters,
)

SYSTEM_PROMPT = (
    "You act for the user by calling the tools that you are given. "
    "If something that a tool needs is missing and no tool can find it out, ask the user for it "
    "rather than making it up. When you are done, or cannot go on, say so."
)


def system_prompt(scenario: Scenario) -> str:
    """Return what the agent is told.

    That is what it is for, in the scenario's own words or the usual ones; what it has to know of
    its task; and how to write calls, if it has to write them.
    """
    protocol = protocol_of(scenario)
    usual = protocol.prompt(scenario) or SYSTEM_PROMPT
    parts = [*filter(None, (scenario.prompt or usual, protocol.facts(scenario)))]
    if written := TEXT_FORMATS.get(scenario.call_format):
        must_call = scenario.task.must_call
        parts.append(instructions(scenario.tool_schemas, must_call=must_call, written=written))
    return "\n\n".join(parts)


def opening_messages(scenario: Scenario) -> list[Message]:
    """Return the messages that stand there before anybody answers; the last is the opening."""
    return [
        message_to(Role.SYSTEM, Role.AGENT, system_prompt(scenario)),
        *map(_from_history, scenario.task.earlier_lines),
        message_to(Role.USER, Role.AGENT, scenario.task.user_script.opening),
    ]


class Conversation:
    """What was said in a conversation, with the state of the world after each message."""

    def __init__(self, scenario: Scenario, opening: Iterable[Message] | None = None) -> None:
        self.scenario = scenario
        self.environment = environment_of(scenario)
        self.session = AgentSession(scenario)
        self.messages: list[Message] = []
        self.states: list[State] = []
        self.state = scenario.start
        self.untried_orders: list[int] = []
        self.spent: list[Spent] = []
        self._meter = request_context().meter
        self._counted = self._meter.place
        self.ended = False
        for message in opening_messages(scenario) if opening is None else opening:
            self._send(message)
        self.limit = len(self.messages) + scenario.max_messages
        self.written = 0
        self.full = sys.maxsize
        """How many messages there are at most, since the agent has written too much."""

    @property
    def room(self) -> int:
        """How many messages may follow."""
        return min(self.limit, self.full) - len(self.messages)

    @property
    def trajectory(self) -> Trajectory:
        """What was said so far."""
        said = tuple(self.messages), tuple(self.states), self.scenario.start
        return Trajectory(*said, tuple(self.untried_orders), tuple(self.spent))

    def let_next_speak(self, caller: AgentCaller, user: User) -> None:
        """Let the role speak to which the last message is addressed."""
        match self.messages[-1].recipient:
            case Role.USER:
                self._let_user_speak(user)
            case Role.AGENT:
                self._let_agent_speak(caller, self.messages)
            case _:
                self._let_environment_answer()

    def _let_user_speak(self, user: User) -> None:
        answer = ask_user(user, user_view(self.messages), self.scenario.timeout)
        if answer is None:
            call = ToolCall(END_CONVERSATION, END_CONVERSATION, "{}")
            self._send(message_to(Role.USER, Role.EXECUTION_ENVIRONMENT, "", call))
        else:
            self._send(message_to(Role.USER, Role.AGENT, answer))

    def _let_agent_speak(self, caller: AgentCaller, heard: Sequence[Message]) -> list[Message]:
        replies = self.session.ask(caller, heard, len(self.messages), self.room)
        for message in replies:
            self._send(message)
        if self.session.left_out:  # nothing may follow but the answers to the others
            self.limit = min(self.limit, len(self.messages) + len(replies))
        self.written += written_characters(replies)
        if self.written > messages.MOST_WRITTEN:
            answers = sum(message.is_request for message in replies)
            self.full = min(self.full, len(self.messages) + answers)
        return replies

    def _let_environment_answer(self) -> None:
        if self.messages[-1].sender is Role.USER:
            self._end()
            return
        newest_first = itertools.takewhile(
            lambda message: message.recipient is Role.EXECUTION_ENVIRONMENT, reversed(self.messages)
        )
        calls = [message.call for message in newest_first if message.call is not None][::-1]
        if not calls:
            self._answer(None, self.environment.refusal(self.state))
            return
        first = len(self.messages) - len(calls)
        happened = self.environment.execute(calls, self.state, first)
        if not happened.all_tried:
            self.untried_orders.append(first)
        for call, response in happened.outcomes:
            self._answer(calls[call], response)

    def _answer(self, call: ToolCall | None, response: Response) -> None:
        """Send the answer to a call, or to a text without one."""
        self.state = response.state
        roles = (Role.EXECUTION_ENVIRONMENT, Role.AGENT)
        self._send(Message(*roles, response.content, roles, call, response.trace, response.error))

    def _end(self) -> None:
        call, trace = self.messages[-1].call, ToolTrace(END_CONVERSATION, {}, None)
        roles = (Role.EXECUTION_ENVIRONMENT, Role.USER)
        self._send(Message(*roles, as_json(None), roles, call, trace))
        self.ended = True

    def _send(self, message: Message) -> None:
        before, self._counted = self._counted, self._meter.place
        if before < self._counted:
            used = self._meter.used(before, self._counted)
            self.spent += [Spent(len(self.messages), *each) for each in used.items()]
        self.messages.append(message)
        self.states.append(self.state)


def _from_history(line: Line) -> Message:
    recipient = Role.USER if line.role is Role.AGENT else Role.AGENT
    visible = (line.role, recipient) if line.visible_to is None else line.visible_to
    return Message(line.role, recipient, line.content, visible)


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
