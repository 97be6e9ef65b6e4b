"""Plays a conversation: whoever is addressed speaks next (ToolSandbox, section 2)."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_toolsandbox.agents.agent import Agent, AgentError
from pytest_toolsandbox.agents.user import END_CONVERSATION, User
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Line, Scenario
from pytest_toolsandbox.worlds.state import State

from .calling import AgentCaller
from .environment import ExecutionEnvironment, as_json
from .messages import Message, ToolCall, ToolTrace, Trajectory
from .replies import read_reply
from .views import agent_view

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
            if conversation.messages[-1].recipient is Role.USER:
                conversation.let_user_speak(user)
            else:
                conversation.let_agent_speak(caller)
    except AgentError as error:
        raise PlayError(str(error), conversation.trajectory) from error
    finally:
        caller.close()
    return conversation.trajectory


class _Conversation:
    """The message bus, with the state of the world after each message."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.environment = ExecutionEnvironment(
            scenario.world, scenario.now, frozenset(scenario.tools)
        )
        self.schemas = scenario.tool_schemas
        self.messages: list[Message] = []
        self.states: list[State] = []
        self.ended = False
        self._send(_message(Role.SYSTEM, Role.AGENT, SYSTEM_PROMPT))
        for line in scenario.history:
            self._send(_from_history(line))
        self._send(_message(Role.USER, Role.AGENT, scenario.user.opening))

    @property
    def trajectory(self) -> Trajectory:
        return Trajectory(tuple(self.messages), tuple(self.states), self.scenario.start)

    @property
    def state(self) -> State:
        return self.states[-1] if self.states else self.scenario.start

    def let_user_speak(self, user: User) -> None:
        seen = [message for message in self.messages if Role.USER in message.visible_to]
        answer = user([_as_seen_by_user(message) for message in seen])
        if answer is None:
            self._end()
        else:
            self._send(_message(Role.USER, Role.AGENT, answer))

    def let_agent_speak(self, caller: AgentCaller) -> None:
        reply = caller.ask(agent_view(self.messages), self.schemas)
        place = len(self.messages)
        text, calls = read_reply(reply, place)
        if calls:
            self._execute(text, calls, place)
        else:
            self._send(_message(Role.AGENT, Role.USER, text))

    def _execute(self, text: str, calls: Sequence[ToolCall], place: int) -> None:
        for index, call in enumerate(calls):
            content = text if index == 0 else ""
            self._send(_message(Role.AGENT, Role.EXECUTION_ENVIRONMENT, content, call))
        responses = self.environment.execute(calls, self.state, place)
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

    def _end(self) -> None:
        call = ToolCall(END_CONVERSATION, END_CONVERSATION, "{}")
        trace = ToolTrace(END_CONVERSATION, {}, None)
        self._send(_message(Role.USER, Role.EXECUTION_ENVIRONMENT, "", call))
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
    visible = line.visible_to or (line.role, recipient)
    return Message(line.role, recipient, line.content, visible)


def _as_seen_by_user(message: Message) -> dict[str, str]:
    role = "assistant" if message.sender is Role.AGENT else message.sender.value
    return {"role": role, "content": message.content}
