"""Execute the calls of a conversation again, in the world of its scenario.

What the agent and the user said, and the results that the agent saw, stay as they were written
down. The world's state is that after the same calls from the scenario's start. It is unknown from
the first call on whose result differs from the written one: the world of the trace was another.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_toolsandbox.calls.tool_call import ToolCall, ToolTrace, read_arguments, to_world_names
from pytest_toolsandbox.conversation.agent_session import with_identifiers
from pytest_toolsandbox.conversation.environment import Execution, environment_of
from pytest_toolsandbox.conversation.late_tools import Offer
from pytest_toolsandbox.conversation.messages import Message, Response, Trajectory, message_to
from pytest_toolsandbox.conversation.play import system_prompt
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Replay
from pytest_toolsandbox.records.imported import ReplayedCallRecord
from pytest_toolsandbox.text.error_text import message_of
from pytest_toolsandbox.worlds.context import WorldError
from pytest_toolsandbox.worlds.json_values import as_json
from pytest_toolsandbox.worlds.state import State
from pytest_toolsandbox.worlds.tool import END_CONVERSATION

from .trace import Trace, TraceCall, TraceError, TraceMessage

_ANSWER: Final = (Role.EXECUTION_ENVIRONMENT, Role.AGENT)


@dataclass(frozen=True)
class Replayed:
    """A conversation in the world of its scenario, and the calls whose results differ there."""

    trajectory: Trajectory
    differences: tuple[ReplayedCallRecord, ...]


@dataclass
class _Answered:
    """A call of the agent with the message that answers it, if one does."""

    call: ToolCall
    answer: TraceMessage | None


def replayed(trace: Trace, scenario: Scenario) -> Replayed:
    """Return a conversation as the scenario's world has it.

    Raises :class:`TraceError` if the scenario cannot judge it, or a tool has a bug.
    """
    if isinstance(scenario.task, Replay):
        text = "is a recorded conversation, whose turns begin in recorded states"
        raise TraceError(f"the scenario {scenario.name!r} {text}; no other conversation can be one")
    replaying = _Replaying(scenario)
    try:
        with replaying.environment:
            for message, answers in _with_answers(trace.messages):
                replaying.go_on(message, answers)
    except WorldError as error:
        raise TraceError(message_of(error)) from None
    replaying.end()
    return Replayed(replaying.trajectory, tuple(replaying.differences))


def _with_answers(
    messages: Sequence[TraceMessage],
) -> Iterator[tuple[TraceMessage, list[TraceMessage]]]:
    """Yield each message with the results of tools that follow it."""
    current: tuple[TraceMessage, list[TraceMessage]] | None = None
    for message in messages:
        if message.speaker != "tool":
            if current:
                yield current
            current = message, []
        elif current is None or not current[0].calls:
            raise TraceError("a tool answers in it, and no call comes before")
        else:
            current[1].append(message)
    if current:
        yield current


@dataclass
class _Replaying:
    scenario: Scenario
    messages: list[Message] = field(default_factory=list)
    states: list[State] = field(default_factory=list)
    untried_orders: list[int] = field(default_factory=list)
    differences: list[ReplayedCallRecord] = field(default_factory=list)
    identifiers: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.state = self.scenario.start
        self.offer = Offer(self.scenario)
        self.environment = environment_of(self.scenario, self.offer)

    @property
    def trajectory(self) -> Trajectory:
        """The conversation up to now."""
        messages, states = tuple(self.messages), tuple(self.states)
        return Trajectory(messages, states, self.scenario.start, tuple(self.untried_orders))

    def go_on(self, message: TraceMessage, answers: Sequence[TraceMessage]) -> None:
        """Add a message, and the calls in it with their answers."""
        if not self.messages and message.speaker != "system":
            # As in a conversation of the scenario: the first message is the system's.
            self._send(message_to(Role.SYSTEM, Role.AGENT, system_prompt(self.scenario)))
        match message.speaker:
            case "system":
                self._send(message_to(Role.SYSTEM, Role.AGENT, message.text))
            case "user":
                self._send(message_to(Role.USER, Role.AGENT, message.text))
            case _ if message.calls:
                self._call(message, answers)
            case _:
                self._send(message_to(Role.AGENT, Role.USER, message.text))

    def end(self) -> None:
        """Let the user end a conversation in which the agent had the last word."""
        is_over = bool(self.messages) and self.messages[-1].recipient is Role.USER
        if not self.scenario.task.has_user or not is_over:
            return
        call, trace = (
            ToolCall(END_CONVERSATION, END_CONVERSATION, "{}"),
            ToolTrace(END_CONVERSATION, {}, None),
        )
        self._send(message_to(Role.USER, Role.EXECUTION_ENVIRONMENT, "", call))
        roles = (Role.EXECUTION_ENVIRONMENT, Role.USER)
        self._send(Message(*roles, as_json(None), roles, call, trace))

    def _send(self, message: Message) -> None:
        self.offer.hear(message)
        self.messages.append(message)
        self.states.append(self.state)

    def _call(self, message: TraceMessage, answers: Sequence[TraceMessage]) -> None:
        first = len(self.messages)
        calls = self._identified(message.calls, first)
        pairs = _paired(message.calls, calls, answers)
        for place, pair in enumerate(pairs):
            text = "" if place else message.text
            self._send(message_to(Role.AGENT, Role.EXECUTION_ENVIRONMENT, text, pair.call))
        answered = [pair for pair in pairs if pair.answer is not None]
        execution = self._executed(answered, first)
        if not execution.all_tried:
            self.untried_orders.append(first)
        for place, response in execution.outcomes:
            self._answer(answered[place], response)
        for place, pair in enumerate(pairs):
            if pair.answer is None:
                self._note(first + place, pair.call, None, "whether it was executed is not known")

    def _identified(self, calls: Sequence[TraceCall], place: int) -> list[ToolCall]:
        made = [ToolCall(call.identifier, call.name, call.arguments) for call in calls]
        identified = with_identifiers(made, place, self.identifiers)
        self.identifiers |= {call.identifier for call in identified}
        return [to_world_names(call, self.scenario.tool_views) for call in identified]

    def _executed(self, pairs: Sequence[_Answered], place: int) -> Execution:
        """Return parallel calls in an order in which they have the written results, if any has.

        Tried are the order of Murphy's law, in which conversations are played, and the given one.
        """
        calls = [pair.call for pair in pairs]
        execution = self.environment.execute(calls, self.state, place)
        if len(calls) <= 1 or self._agreeing(execution, pairs) == len(calls):
            return execution
        outcomes, state = [], self.state
        for index, call in enumerate(calls):
            outcomes.append((index, self.environment.run(call, state, f"{place}/{index}")))
            state = outcomes[-1][1].state
        as_given = Execution(tuple(outcomes), all_tried=True)
        return max(as_given, execution, key=lambda tried: self._agreeing(tried, pairs))

    @staticmethod
    def _agreeing(execution: Execution, pairs: Sequence[_Answered]) -> int:
        return sum(
            _is_same(pairs[place].answer, response) for place, response in execution.outcomes
        )

    def _answer(self, pair: _Answered, response: Response) -> None:
        answer = pair.answer
        assert answer is not None
        self.state = response.state
        outcome = response.trace, response.error
        if not _is_same(answer, response):
            self._note(len(self.messages), pair.call, answer.text, response.content)
            outcome = self._written_outcome(pair.call, answer, response)
        self._send(Message(*_ANSWER, answer.text, _ANSWER, pair.call, *outcome))

    def _written_outcome(
        self, call: ToolCall, answer: TraceMessage, response: Response
    ) -> tuple[ToolTrace | None, str | None]:
        """Return the trace or the error of a call that had another outcome where it was made."""
        if answer.failed:
            return None, " ".join(answer.text.split())
        view = self.environment.tools.get(call.written[0])
        try:
            if view is None:
                return None, response.error
            view.bind(arguments := read_arguments(call.written[1]))
        except (TypeError, ValueError):  # no arguments of this world's tool
            return None, response.error
        names = view.world_names
        named = {names.get(name, name): value for name, value in arguments.items()}
        return ToolTrace(view.tool.name, view.tool.completed(named), _value(answer.text)), None

    def _note(self, message: int, call: ToolCall, recorded: str | None, replayed: str) -> None:
        difference = ReplayedCallRecord(message=message, tool=call.name, replayed=replayed)
        if recorded is not None:
            difference["recorded"] = recorded
        self.differences.append(difference)


def _paired(
    written: Sequence[TraceCall], calls: Sequence[ToolCall], answers: Sequence[TraceMessage]
) -> list[_Answered]:
    """Return calls with their answers: by identifiers, else in the order of the calls."""
    pairs = [_Answered(call, None) for call in calls]
    for answer in answers:
        same = (
            pair
            for pair, call in zip(pairs, written, strict=True)
            if pair.answer is None and answer.call in (None, call.identifier)
        )
        if (pair := next(same, None)) is None:
            raise TraceError(f"a tool answers the call {answer.call!r}, which nothing made before")
        pair.answer = answer
    return pairs


def _is_same(answer: TraceMessage | None, response: Response) -> bool:
    """Return whether a written result is that of the world: the same text, or the same JSON."""
    assert answer is not None
    if answer.failed and not response.failed:
        return False
    if " ".join(answer.text.split()) == " ".join(response.content.split()):
        return True
    return not response.failed and _canonical(_value(answer.text)) == _canonical(
        _value(response.content)
    )


def _value(text: str) -> Any:
    """Return the value of a result; a text that is not JSON is one."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _canonical(value: Any) -> str:
    """Return a text that is the same for equal JSON: JavaScript writes 1.0 as 1."""
    return json.dumps(_whole_numbers(value), sort_keys=True)


def _whole_numbers(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_whole_numbers(item) for item in value]
    if isinstance(value, dict):
        return {name: _whole_numbers(item) for name, item in value.items()}
    return value
