"""The message bus: whoever is addressed speaks next (ToolSandbox, section 2)."""

from __future__ import annotations

import itertools

from pytest_toolsandbox.agents.caller import AgentCaller
from pytest_toolsandbox.calls.tool_call import ToolCall, ToolTrace
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Line
from pytest_toolsandbox.users.user import END_CONVERSATION, User, ask_user
from pytest_toolsandbox.worlds.json_values import as_json
from pytest_toolsandbox.worlds.state import State

from .agent_session import AgentSession, tool_message
from .environment import environment_of
from .messages import Message, Trajectory, message_to
from .prompts import system_prompt
from .views import user_view


def opening_messages(scenario: Scenario) -> list[Message]:
    """Return the messages that stand there before anybody answers; the last is the opening."""
    return [
        message_to(Role.SYSTEM, Role.AGENT, system_prompt(scenario)),
        *map(_from_history, scenario.task.earlier_lines),
        message_to(Role.USER, Role.AGENT, scenario.task.user_script.opening),
    ]


class Conversation:
    """What was said in a conversation, with the state of the world after each message."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.environment = environment_of(scenario)
        self.session = AgentSession(scenario)
        self.messages: list[Message] = []
        self.states: list[State] = []
        self.untried_orders: list[int] = []
        self.ended = False
        for message in opening_messages(scenario):
            self._send(message)
        self.limit = len(self.messages) + scenario.max_messages

    @property
    def room(self) -> int:
        """How many messages may follow."""
        return self.limit - len(self.messages)

    @property
    def trajectory(self) -> Trajectory:
        """What was said so far."""
        untried = tuple(self.untried_orders)
        return Trajectory(tuple(self.messages), tuple(self.states), self.scenario.start, untried)

    @property
    def state(self) -> State:
        """The state of the world now."""
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
        answer = ask_user(user, user_view(self.messages))
        if answer is None:
            call = ToolCall(END_CONVERSATION, END_CONVERSATION, "{}")
            self._send(message_to(Role.USER, Role.EXECUTION_ENVIRONMENT, "", call))
        else:
            self._send(message_to(Role.USER, Role.AGENT, answer))

    def _let_agent_speak(self, caller: AgentCaller) -> None:
        for message in self.session.ask(caller, self.messages, len(self.messages), self.room):
            self._send(message)

    def _let_environment_answer(self) -> None:
        if self.messages[-1].sender is Role.USER:
            self._end()
            return
        calls = self._open_calls()
        if not calls:
            self._send(tool_message(None, self.environment.refusal(self.state)))
            return
        first = len(self.messages) - len(calls)
        happened = self.environment.execute(calls, self.state, first)
        if not happened.all_tried:
            self.untried_orders.append(first)
        for call, response in happened.outcomes:
            self._send(tool_message(calls[call], response), response.state)

    def _open_calls(self) -> list[ToolCall]:
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


def _from_history(line: Line) -> Message:
    recipient = Role.USER if line.role is Role.AGENT else Role.AGENT
    visible = (line.role, recipient) if line.visible_to is None else line.visible_to
    return Message(line.role, recipient, line.content, visible)
