"""Messages between the roles, and what comes of a whole conversation."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from pytest_toolsandbox.calls.tool_call import ToolCall, ToolTrace
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.models.requests import Asker
from pytest_toolsandbox.models.usage import Usage
from pytest_toolsandbox.worlds.state import State

MOST_WRITTEN: Final = 4_000_000
"""Characters of an agent after which a conversation ends: more than any model reads."""


@dataclass(frozen=True)
class Message:
    """One message.

    A request to the execution environment and the answer to it carry the ``call``; the answer
    also its ``trace``, or the ``error`` in one line. Parallel calls are a message each. A request
    without a call is a text in which a call should have been.
    """

    sender: Role
    recipient: Role
    content: str
    visible_to: tuple[Role, ...]
    call: ToolCall | None = None
    trace: ToolTrace | None = None
    error: str | None = None

    @property
    def is_request(self) -> bool:
        """Whether the agent asks for a call with it."""
        return self.sender is Role.AGENT and self.call is not None

    @property
    def counts_as_turn(self) -> bool:
        """Whether it is one of the turns that ToolSandbox counts (appendix D.3)."""
        between = {self.sender, self.recipient}
        return (
            self.sender is not Role.SYSTEM
            and between != {Role.USER, Role.EXECUTION_ENVIRONMENT}
            and set(self.visible_to) != {Role.USER}
        )


def message_to(
    sender: Role, recipient: Role, content: str, call: ToolCall | None = None
) -> Message:
    """Return a message that only sender and recipient see."""
    return Message(sender, recipient, content, (sender, recipient), call)


@dataclass(frozen=True)
class Response:
    """What comes of one call: the text that answers it, and the state that it left."""

    content: str
    state: State
    trace: ToolTrace | None = None
    error: str | None = None

    @property
    def failed(self) -> bool:
        """Whether the call did not come through. It has then changed nothing."""
        return self.error is not None


@dataclass(frozen=True)
class MadeCall:
    """A call that the agent made, and what came of it.

    ``request`` and ``answer`` are indices of messages; where the conversation was cut off there is
    no ``answer``. ``before`` is the state that the call found, ``after`` the one that it left.
    Calls with the same number ``batch`` were made at once; ``order`` is the place, from 0, at which
    the call happened among them.
    """

    request: int
    answer: int | None
    call: ToolCall
    trace: ToolTrace | None
    error: str | None
    before: State
    after: State
    batch: int
    order: int

    @property
    def failed(self) -> bool:
        """Whether it was not executed, or with an error."""
        return self.answer is None or self.error is not None

    @property
    def changed_the_world(self) -> bool:
        """Whether it left another state than it found."""
        return self.after != self.before


class Spent(NamedTuple):
    """What somebody's requests used between a message and the one before it."""

    message: int
    asker: Asker
    usage: Usage


@dataclass(frozen=True)
class Trajectory:
    """A whole conversation: its messages and the state of the world after each of them.

    ``start`` is the state before the first message. Evaluation looks at the snapshots from
    ``first`` on: the first message of the user that not only the user sees. Calls that were made
    at once are answered in the order in which they happened. ``untried_orders`` are the indices of
    the first requests of those for which not all orders could be tried: they happened as given.
    ``spent`` tells what messages took, of requests that are known.
    """

    messages: tuple[Message, ...]
    states: tuple[State, ...]
    start: State
    untried_orders: tuple[int, ...] = ()
    spent: tuple[Spent, ...] = ()

    @cached_property
    def calls(self) -> tuple[MadeCall, ...]:
        """The calls of the agent, in the order of its requests."""
        return tuple(self._made_calls())

    @cached_property
    def first(self) -> int:
        """The index of the first snapshot that milestones may match."""
        for index, message in enumerate(self.messages):
            if message.sender is Role.USER and set(message.visible_to) != {Role.USER}:
                return index
        return 0

    @property
    def turn_count(self) -> int:
        """How many messages count as turns."""
        return sum(message.counts_as_turn for message in self.messages)

    @property
    def tool_call_count(self) -> int:
        """How many tool calls the agent made, whatever came of them."""
        return len(self.calls)

    def _made_calls(self) -> Iterator[MadeCall]:
        grouped = itertools.groupby(enumerate(self.messages), key=lambda pair: pair[1].is_request)
        batches = ([index for index, _ in pairs] for is_request, pairs in grouped if is_request)
        for number, batch in enumerate(batches):
            answers = {one: self._answers.get(one, len(self.messages)) for one in batch}
            happened = sorted(batch, key=answers.__getitem__)
            for request, answer in answers.items():
                call, order = self.messages[request].call, happened.index(request)
                assert call is not None
                if answer == len(self.messages):
                    state = self.states[request]
                    yield MadeCall(request, None, call, None, None, state, state, number, order)
                    continue
                told, before, after = self.messages[answer], *self.states[answer - 1 : answer + 1]
                outcome = call, told.trace, told.error, before, after
                yield MadeCall(request, answer, *outcome, number, order)

    @cached_property
    def _answers(self) -> Mapping[int, int]:
        """Request → answer, as indices."""
        waiting: dict[int, ToolCall | None] = {}
        answers: dict[int, int] = {}
        for index, message in enumerate(self.messages):
            if message.is_request:
                waiting[index] = message.call
            elif message.call is not None and message.recipient is Role.AGENT and waiting:
                same = (request for request, call in waiting.items() if call == message.call)
                request = next(same, next(iter(waiting)))
                answers[request] = index
                del waiting[request]
        return answers


def written_characters(messages: Iterable[Message]) -> int:
    """Return how much the agent wrote: what it said, and the arguments of its calls."""
    own = [message for message in messages if message.sender is Role.AGENT]
    calls = (message.call for message in own if message.call)
    return sum(len(one.content) for one in own) + sum(len(call.arguments) for call in calls)
