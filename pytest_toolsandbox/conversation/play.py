"""Plays conversations between user, agent and world: the message bus (ToolSandbox, section 2).

The recipient of the last message speaks next.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
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
from pytest_toolsandbox.users.user import AGREES, GO_ON, User, UserError, ask_user
from pytest_toolsandbox.users.user_calls import UserMessage, calls_in, next_act
from pytest_toolsandbox.worlds.context import WorldError
from pytest_toolsandbox.worlds.json_values import as_json
from pytest_toolsandbox.worlds.state import State
from pytest_toolsandbox.worlds.tool import END_CONVERSATION

from . import messages
from .agent_session import AgentSession
from .clock import ConversationClock
from .consent import only_goes_on, only_proposes
from .environment import environment_of
from .late_tools import Offer
from .messages import (
    Agreed,
    Message,
    Reasoning,
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


_POLICY: Final = "Follow this policy:\n\n<policy>"
_POLICY_END: Final = "</policy>"


def system_prompt(scenario: Scenario) -> str:
    """Return the system prompt of an agent.

    It has the scenario's prompt or a default, the facts that the agent has to know, its policy
    among them, and for calls in texts the instructions.
    """
    prompt = scenario.prompt or protocol_of(scenario).prompt(scenario) or SYSTEM_PROMPT
    parts = [*filter(None, (prompt, facts_of(scenario)))]
    if text_format := TEXT_FORMATS.get(scenario.call_format):
        must_call, tools = scenario.task.must_call, [v.schema for v in Offer(scenario).views]
        parts.append(instructions(tools, must_call=must_call, text_format=text_format))
    return "\n\n".join(parts)


def facts_of(scenario: Scenario) -> str:
    """Return what every agent has to know, whatever its own prompt says: policy and facts."""
    policy = f"{_POLICY}\n{scenario.policy}\n{_POLICY_END}" if scenario.policy else None
    return "\n\n".join(filter(None, (policy, protocol_of(scenario).facts(scenario))))


def policy_in(prompt: str) -> str:
    """Return the policy that a system prompt contains; empty if it contains none."""
    _, _, after = prompt.partition(f"{_POLICY}\n")
    return after.rpartition(f"\n{_POLICY_END}")[0]


def opening_messages(scenario: Scenario) -> list[Message]:
    """Return the messages before the first reply; the last one is the user's opening, if any."""
    opening, has_user = scenario.task.user_script.opening, scenario.task.has_user
    opening = scenario.conditions.as_said(opening)
    return [
        message_to(Role.SYSTEM, Role.AGENT, system_prompt(scenario)),
        *map(_earlier_message, scenario.task.earlier_lines),
        *([message_to(Role.USER, Role.AGENT, opening)] if opening or not has_user else []),
    ]


class Conversation:
    """A running conversation: its messages, and the state of the world after each message."""

    def __init__(self, scenario: Scenario, opening: Iterable[Message] | None = None) -> None:
        self.scenario = scenario
        self.offer = Offer(scenario)
        self.environment = environment_of(scenario, self.offer)
        self.session = AgentSession(scenario, self.offer)
        self.clock = ConversationClock(scenario)
        self.messages: list[Message] = []
        self.states: list[State] = []
        self.state = scenario.start
        self.untried_orders: list[int] = []
        self.spent: list[Spent] = []
        self.reasoning: list[Reasoning] = []
        self.agreements: list[Agreed] = []
        self._meter = request_context().meter
        self._counted = self._meter.place
        self.ended = False
        messages_before = [*(opening_messages(scenario) if opening is None else opening)]
        acts_first = opening is None and bool(scenario.task.user_script.opening_calls)
        self._opening = messages_before.pop() if acts_first else None
        """The user's opening, before which the user makes calls."""
        script = scenario.task.user_script
        self._begins_freely = opening is None and scenario.task.has_user and not script.opening
        """Whether the user still has to begin, in its own words."""
        for message in messages_before:
            self._send(message)
        self.limit = len(self.messages) + scenario.max_messages
        self._written_characters = 0
        self._steps = 0
        """The replies with calls in this turn."""
        self._most_messages = sys.maxsize
        """A lower limit, once the agent has written too much."""

    @property
    def room(self) -> int:
        """How many messages may follow."""
        return min(self.limit, self._most_messages) - len(self.messages)

    @property
    def trajectory(self) -> Trajectory:
        """The conversation up to now."""
        return Trajectory(
            tuple(self.messages),
            tuple(self.states),
            self.scenario.start,
            tuple(self.untried_orders),
            tuple(self.spent),
            tuple(self.reasoning),
            tuple(self.agreements),
        )

    def begin(self) -> None:
        """Let the user make the calls before its opening, and say it."""
        if (opening := self._opening) is None:
            return
        calls = self.scenario.task.user_script.opening_calls
        while isinstance(act := next_act(calls, "", user_view(self.messages)), dict):
            self._let_user_call(act)
            self._answer_user()
        self._send(opening)
        self.limit = len(self.messages) + self.scenario.max_messages

    def let_next_speak(self, caller: AgentCaller, user: User) -> None:
        """Let the recipient of the last message speak."""
        last = self.messages[-1]
        begins = self._begins_freely and last.recipient is not Role.EXECUTION_ENVIRONMENT
        match Role.USER if begins else last.recipient:
            case Role.USER:
                self._let_user_speak(user)
            case Role.AGENT:
                self._let_agent_speak(caller, self.messages)
            case _:
                self._let_environment_answer()

    def _let_user_speak(self, user: User) -> None:
        seen = user_view(self.messages)
        answer = ask_user(user, seen, self.scenario.timeout)
        if answer is not None:
            self.clock.before_user(user, seen, self.messages)
        if answer is None:
            call = ToolCall(END_CONVERSATION, END_CONVERSATION, "{}")
            self._send(message_to(Role.USER, Role.EXECUTION_ENVIRONMENT, "", call))
        elif isinstance(answer, str):
            self._say(answer)
        elif AGREES in answer:
            self.agreements.append(Agreed(len(self.messages), answer[AGREES]))
            self._say(answer["content"])
        else:
            self._let_user_call(answer)

    def _say(self, text: str) -> None:
        """Send a text of the user to the agent, as the conditions have it."""
        words = text if text == GO_ON else self.scenario.conditions.as_said(text)
        self._send(message_to(Role.USER, Role.AGENT, words))
        self._steps, self._begins_freely = 0, False

    def _let_user_call(self, message: UserMessage) -> None:
        """Send the calls of a user, as many as there is room for."""
        place = len(self.messages)
        for index, call in enumerate(calls_in(message)[: max(1, self.room // 2)]):
            made = ToolCall(f"user-{place}-{index}", *call)
            self._send(message_to(Role.USER, Role.EXECUTION_ENVIRONMENT, "", made))

    def _let_agent_speak(self, caller: AgentCaller, history: Sequence[Message]) -> list[Message]:
        replies = self.session.ask(caller, history, len(self.messages), self.room)
        if self.session.reasoning is not None:
            text = self.session.reasoning if request_context().keeps_reasoning else ""
            self.reasoning.append(Reasoning(len(self.messages), text))
        for message in replies:
            self._send(message)
        if replies[0].recipient is Role.EXECUTION_ENVIRONMENT:
            self._steps += 1
            if self._steps > (self.scenario.task.most_steps or sys.maxsize):
                self.limit = len(self.messages)  # the calls of one reply too many are not made
        if self.session.is_cut:  # only the answers to the calls that were kept may follow
            self.limit = min(self.limit, len(self.messages) + len(replies))
        self._written_characters += written_characters(replies)
        if self._written_characters > messages.MOST_WRITTEN:
            answers = sum(message.is_request for message in replies)
            self._most_messages = min(self._most_messages, len(self.messages) + answers)
        return replies

    def _let_environment_answer(self) -> None:
        if self.messages[-1].sender is Role.USER:
            self._answer_user()
            return
        calls = self._open_calls()
        if not calls:
            self._answer(None, self.environment.refusal(self.state))
            return
        first = len(self.messages) - len(calls)
        execution = self.environment.execute(calls, self.state, first)
        if not execution.all_tried:
            self.untried_orders.append(first)
        for index, response in execution.outcomes:
            self._answer(calls[index], response)

    def _open_calls(self) -> list[ToolCall]:
        """Return the calls at the end, which wait for their answers."""
        newest_first = itertools.takewhile(
            lambda message: message.recipient is Role.EXECUTION_ENVIRONMENT, reversed(self.messages)
        )
        return [message.call for message in newest_first if message.call is not None][::-1]

    def _answer_user(self) -> None:
        """Execute the calls of the user one after the other, and send it the responses."""
        calls, roles = self._open_calls(), (Role.EXECUTION_ENVIRONMENT, Role.USER)
        if calls[0].name == END_CONVERSATION:
            trace = ToolTrace(END_CONVERSATION, {}, None)
            self._send(Message(*roles, as_json(None), roles, calls[0], trace))
            self.ended = True
            return
        first = len(self.messages) - len(calls)
        for index, call in enumerate(calls):
            response = self.environment.run(call, self.state, f"{first}/{index}", "user")
            self.state = response.state
            self._send(
                Message(*roles, response.content, roles, call, response.trace, response.error)
            )
            self._note_time(response)

    def _answer(self, call: ToolCall | None, response: Response) -> None:
        """Send the response to a call, or to a text that should have had one."""
        self.state = response.state
        roles = (Role.EXECUTION_ENVIRONMENT, Role.AGENT)
        trace, error, fault = response.trace, response.error, response.fault
        self._send(Message(*roles, response.content, roles, call, trace, error, fault))
        self._note_time(response)

    def _note_time(self, response: Response) -> None:
        if response.trace is not None:
            self.clock.after_call(response.trace.tool_name, response.trace.arguments)

    def _send(self, message: Message) -> None:
        if message.sender is not Role.EXECUTION_ENVIRONMENT:
            self._move_clock()
        before, self._counted = self._counted, self._meter.place
        if before < self._counted:
            used = self._meter.used(before, self._counted)
            reasons = self._meter.finish_reasons(before, self._counted)
            self.spent += [
                Spent(len(self.messages), asker, usage, reasons.get(asker, ()))
                for asker, usage in used.items()
            ]
        self.offer.hear(message)
        self.messages.append(message)
        self.states.append(self.state)

    def _move_clock(self) -> None:
        """Move the clock on if it is time, before the next message."""
        time = self.clock.next_time(self.state.now)
        if time is not None:
            place = f"clock/{len(self.messages)}"
            self.state = self.environment.move_clock(self.state, time, place)


def _earlier_message(line: Line) -> Message:
    recipient = Role.USER if line.role is Role.AGENT else Role.AGENT
    visible = (line.role, recipient) if line.visible_to is None else line.visible_to
    return Message(line.role, recipient, line.content, visible)


class PlayError(Exception):
    """A conversation could not be played to its end; ``trajectory`` is what was played."""

    def __init__(self, reason: str, trajectory: Trajectory) -> None:
        super().__init__(reason)
        self.trajectory = trajectory


def play(scenario: Scenario, agent: Agent, user: User) -> Trajectory:
    """Play the scenario until the user ends it or it has ``max_messages`` more messages.

    Raises :class:`PlayError` if agent, user or world fails, or a search takes too long.
    """
    conversation = Conversation(scenario)
    return hold(conversation, agent, user, lambda: conversation.ended or conversation.room <= 0)


def ask(scenario: Scenario, agent: Agent) -> Trajectory:
    """Ask a query until the agent concludes, or has made ``max_calls`` calls (SpecTool, section 4).

    The agent concludes by calling ``finish``, or by a text. A text that only announces the next
    call, or asks for permission, is answered by :data:`GO_ON` and takes no room, but not twice in a
    row. Raises :class:`PlayError` as :func:`play` does.
    """
    conversation = Conversation(scenario)

    def go_on(messages: object) -> str:
        del messages
        conversation.limit += 2
        return GO_ON

    return hold(conversation, agent, go_on, lambda: _is_concluded(conversation))


def converse(scenario: Scenario, agent: Agent, user: User) -> Trajectory:
    """Play the conversation of a scenario as its protocol does. Raises :class:`PlayError`."""
    trajectory: Trajectory = protocol_of(scenario).converse(scenario, agent, user)
    return trajectory


def hold(
    conversation: Conversation, agent: Agent, user: User, is_over: Callable[[], bool]
) -> Trajectory:
    """Let one role after the other speak until the conversation is over, in every protocol."""
    scenario = conversation.scenario

    def talk() -> None:
        with conversation.environment:  # connections are closed on the thread that opened them
            conversation.begin()
            while not is_over():
                conversation.let_next_speak(caller, user)

    try:
        facts = facts_of(scenario)
        caller = AgentCaller(agent, scenario.timeout, facts, scenario.prompt or "")
        with conversation_of(scenario), caller:
            caller.during(talk)
    except (AgentError, UserError, WorldError, SlowSearchError) as error:
        raise PlayError(message_of(error, REASON_LIMIT), conversation.trajectory) from error
    finally:
        with suppress(WorldError):  # if the thread of ``talk`` was abandoned
            conversation.environment.close()
    return conversation.trajectory


def silent(messages: object) -> None:
    """Say nothing: the user of protocols without a simulated user."""
    del messages


def _is_concluded(conversation: Conversation) -> bool:
    messages = conversation.messages
    if conversation.room <= 0:
        return True
    if messages[-1].recipient is Role.USER:
        text = messages[-1].content
        return messages[-2].content == GO_ON or not (only_goes_on(text) or only_proposes(text))
    if messages[-1].recipient is not Role.AGENT:
        return False
    finished = any(m.trace and m.trace.tool_name == FINISH.name for m in messages)
    return finished or requests_in(messages) >= conversation.scenario.max_calls


def requests_in(messages: Iterable[Message]) -> int:
    """Return how many calls the agent requested, unreadable ones included."""
    return sum(m.sender is Role.AGENT and m.recipient is not Role.USER for m in messages)
