"""Plays a conversation: whoever is addressed speaks next (ToolSandbox, section 2)."""

from __future__ import annotations

import itertools
import json

from pytest_toolsandbox.agents.agent import Agent, AgentError
from pytest_toolsandbox.agents.user import END_CONVERSATION, User
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Line, Scenario
from pytest_toolsandbox.worlds.state import State

from .calling import AgentCaller
from .environment import ExecutionEnvironment, as_json
from .meaning import meant
from .messages import Message, ToolCall, ToolTrace, Trajectory
from .replies import read_reply
from .views import agent_view, user_view

SYSTEM_PROMPT = (
    "You act for the user by calling the tools that you are given. "
    "If something that a tool needs is missing and no tool can find it out, ask the user for it "
    "rather than making it up. When you are done, or cannot go on, say so."
)


class PlayError(Exception):
    """A conversation that could not be played to its end, and how far it came."""

    def __init__(self, reason: str, trajectory: Trajectory) -> None:
        super().__init__(reason)
        self.trajectory = trajectory


def play(scenario: Scenario, agent: Agent, user: User) -> Trajectory:
    """Play the scenario until the user ends it or it has ``max_messages`` more messages.

    Raises :class:`PlayError` where the agent fails.
    """
    conversation = _Conversation(scenario)
    limit = len(conversation.messages) + scenario.max_messages
    caller = AgentCaller(agent, scenario.timeout)
    try:
        while not conversation.ended and len(conversation.messages) < limit:
            conversation.let_next_speak(caller, user)
    except AgentError as error:
        raise PlayError(str(error), conversation.trajectory) from error
    finally:
        caller.close()
    return conversation.trajectory


def opening_messages(scenario: Scenario) -> list[Message]:
    """Return the messages that stand there before anybody answers; the last is the opening."""
    return [
        _message(Role.SYSTEM, Role.AGENT, SYSTEM_PROMPT),
        *map(_from_history, scenario.history),
        _message(Role.USER, Role.AGENT, scenario.user.opening),
    ]


class _Conversation:
    """The message bus, with the state of the world after each message."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.environment = ExecutionEnvironment(scenario.now, scenario.shown_tools)
        self.schemas = json.dumps(scenario.tool_schemas)
        self.messages: list[Message] = []
        self.states: list[State] = []
        self.ended = False
        for message in opening_messages(scenario):
            self._send(message)

    @property
    def trajectory(self) -> Trajectory:
        return Trajectory(tuple(self.messages), tuple(self.states), self.scenario.start)

    @property
    def state(self) -> State:
        return self.states[-1] if self.states else self.scenario.start

    def let_next_speak(self, caller: AgentCaller, user: User) -> None:
        """Let whoever the last message is addressed to speak."""
        match self.messages[-1].recipient:
            case Role.USER:
                self._let_user_speak(user)
            case Role.AGENT:
                self._let_agent_speak(caller)
            case _:
                self._let_environment_answer()

    def _let_user_speak(self, user: User) -> None:
        answer = user(user_view(self.messages))
        if answer is None:
            call = ToolCall(END_CONVERSATION, END_CONVERSATION, "{}")
            self._send(_message(Role.USER, Role.EXECUTION_ENVIRONMENT, "", call))
        else:
            self._send(_message(Role.USER, Role.AGENT, answer))

    def _let_agent_speak(self, caller: AgentCaller) -> None:
        reply = caller.ask(agent_view(self.messages), json.loads(self.schemas))
        text, calls = read_reply(reply, len(self.messages))
        if not calls:
            self._send(_message(Role.AGENT, Role.USER, text))
        for index, call in enumerate(calls):
            content = text if index == 0 else ""
            understood = meant(call, self.scenario.shown_tools)
            self._send(_message(Role.AGENT, Role.EXECUTION_ENVIRONMENT, content, understood))

    def _let_environment_answer(self) -> None:
        if self.messages[-1].sender is Role.USER:
            self._end()
            return
        calls = self._open_calls()
        responses = self.environment.execute(calls, self.state, len(self.messages) - len(calls))
        for call, response in zip(calls, responses, strict=True):
            answer = Message(
                Role.EXECUTION_ENVIRONMENT,
                Role.AGENT,
                response.content,
                (Role.EXECUTION_ENVIRONMENT, Role.AGENT),
                call,
                response.trace,
                response.error,
            )
            self._send(answer, response.state)

    def _open_calls(self) -> list[ToolCall]:
        """Return the calls that were made at once and wait for their responses."""
        newest_first = itertools.takewhile(
            lambda message: message.recipient is Role.EXECUTION_ENVIRONMENT,
            reversed(self.messages),
        )
        return [message.call for message in newest_first if message.call is not None][::-1]

    def _end(self) -> None:
        call, trace = self.messages[-1].call, ToolTrace(END_CONVERSATION, {}, None)
        roles = (Role.EXECUTION_ENVIRONMENT, Role.USER)
        self._send(Message(*roles, as_json(None), roles, call, trace))
        self.ended = True

    def _send(self, message: Message, state: State | None = None) -> None:
        self.states.append(self.state if state is None else state)
        self.messages.append(message)


def _message(sender: Role, recipient: Role, content: str, call: ToolCall | None = None) -> Message:
    return Message(sender, recipient, content, (sender, recipient), call)


def _from_history(line: Line) -> Message:
    recipient = Role.USER if line.role is Role.AGENT else Role.AGENT
    visible = (line.role, recipient) if line.visible_to is None else line.visible_to
    return Message(line.role, recipient, line.content, visible)
