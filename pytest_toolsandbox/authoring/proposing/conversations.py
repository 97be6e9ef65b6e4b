"""The conversations of a task, with their calls, and what happens if these are made again."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from pytest_toolsandbox.calls.tool_call import ToolCall, readable_arguments
from pytest_toolsandbox.conversation.environment import ExecutionEnvironment
from pytest_toolsandbox.conversation.messages import MadeCall, Response, Trajectory
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.text.quantities import quantities_in
from pytest_toolsandbox.users.user import earlier_message_count
from pytest_toolsandbox.worlds.json_values import as_json
from pytest_toolsandbox.worlds.state import Caller, State


class Text(NamedTuple):
    """What one party says to the other, and the index of its message."""

    message: int
    content: str


@dataclass(frozen=True)
class Conversation:
    """A conversation in the world of a scenario, of which only the beginning counts."""

    name: str
    scenario: Scenario
    trajectory: Trajectory

    @property
    def start(self) -> State:
        """The state before the first message."""
        return self.trajectory.start

    @cached_property
    def end(self) -> State:
        """The state after the last message."""
        states = self.trajectory.states
        return states[-1] if states else self.start

    @cached_property
    def calls(self) -> tuple[MadeCall, ...]:
        """The answered calls of the agent, in the order in which they were executed."""
        return tuple(_executed(self.trajectory.calls))

    @cached_property
    def answers(self) -> tuple[Text, ...]:
        """What the agent says to the user, without what was said before the opening."""
        earlier = earlier_message_count(self.scenario, Role.AGENT)
        answers = [*self._texts(Role.AGENT, Role.USER)][earlier:]
        return tuple(text for text in answers if text.message < self._farewell)

    @cached_property
    def wishes(self) -> tuple[Text, ...]:
        """What the user says to the agent, from the opening on."""
        earlier = earlier_message_count(self.scenario, Role.USER)
        wishes = [*self._texts(Role.USER, Role.AGENT)][earlier:]
        return tuple(text for text in wishes if text.message < self._farewell)

    @cached_property
    def _farewell(self) -> int:
        """The message with which the user begins to say goodbye: nothing follows but words.

        It comes after a call and its report, asks nothing, and the answer has no facts.
        """
        messages = self.trajectory.messages
        end, last = len(messages), max((call.answer or 0 for call in self.calls), default=0)
        texts = [*self._texts(Role.AGENT, Role.USER)]
        for wish in reversed([*self._texts(Role.USER, Role.AGENT)]):
            is_reported = any(last < text.message < wish.message for text in texts)
            after = [text.content for text in texts if text.message > wish.message]
            asked = "?" in wish.content or "?" in messages[wish.message - 1].content
            if not last or not is_reported or asked or any(map(quantities_in, after)):
                break
            end = wish.message
        return end

    def _texts(self, sender: Role, recipient: Role) -> Iterator[Text]:
        for index, message in enumerate(self.trajectory.messages):
            is_text = message.call is None and message.content.strip()
            if is_text and (message.sender, message.recipient) == (sender, recipient):
                yield Text(index, message.content)

    def heard_before(self, message: int) -> str:
        """Return all texts that the agent could read before a message, without results."""
        texts = (
            earlier.content
            for earlier in self.trajectory.messages[:message]
            if earlier.call is None and earlier.sender is not Role.AGENT
        )
        lines = (line.content for line in self.scenario.task.earlier_lines)
        return "\n".join((*lines, *texts))


def _executed(calls: Sequence[MadeCall]) -> list[MadeCall]:
    answered_calls = (call for call in calls if call.answer is not None)
    return sorted(answered_calls, key=lambda call: call.answer or 0)


def arguments_of(call: MadeCall) -> Mapping[str, Any]:
    """Return the arguments of a call as the agent wrote them; empty if they cannot be read."""
    return readable_arguments(call.call.arguments) or {}


def answered(
    scenario: Scenario, call: MadeCall, arguments: Sequence[Mapping[str, Any]]
) -> list[Response]:
    """Return what the world answers to a call with other arguments, in the state before it."""
    requests = (ToolCall("again", call.call.name, as_json(dict(values))) for values in arguments)
    with ExecutionEnvironment(scenario.world, scenario.now, scenario.world.shown()) as environment:
        return [environment.run(request, call.before, "again") for request in requests]


class PlayedAgain(NamedTuple):
    """Calls that were made again: number → response, and the last state."""

    responses: Mapping[int, Response]
    end: State


def played_without(conversation: Conversation, left_out: Collection[int]) -> PlayedAgain:
    """Make the calls of a conversation again from its start, without some.

    Calls are numbered in the order of their execution; those of the user are made at their places.
    Each has the place that it had, so identifiers that a world makes stay the same. Raises
    ``WorldError``.
    """
    scenario, trajectory = conversation.scenario, conversation.trajectory
    numbers = {call.request: number for number, call in enumerate(conversation.calls)}
    first: dict[int, int] = {}
    for calls in (trajectory.calls, trajectory.user_calls):
        batches: dict[int, int] = {}
        for call in calls:
            first[call.request] = batches.setdefault(call.batch, call.request)
    state, responses = trajectory.start, {}
    with ExecutionEnvironment(
        scenario.world,
        scenario.now,
        scenario.world.shown(),
        user_tools=scenario.user_tool_views,
    ) as environment:
        for call in _executed((*trajectory.calls, *trajectory.user_calls)):
            number = numbers.get(call.request)
            if number in left_out:
                continue
            place = f"{first[call.request]}/{call.request - first[call.request]}"
            by: Caller = "user" if number is None else "agent"
            response = environment.run(call.call, state, place, by)
            state = response.state
            if number is not None:
                responses[number] = response
    return PlayedAgain(responses, state)
