"""Messages between the roles, and what comes of a whole conversation.

What a role sees of a conversation, in the shape of a chat-completions API.
"""

from __future__ import annotations

import itertools
import marshal
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

from pytest_toolsandbox.calls.tool_call import ToolCall, ToolTrace
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.models.requests import Asker
from pytest_toolsandbox.models.usage import Usage
from pytest_toolsandbox.users.user import Heard
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


def agent_view(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Return the messages that the agent sees.

    Calls that were made at once stand in one message, and their results after it in that order.
    """
    seen = (message for message in messages if Role.AGENT in message.visible_to)
    view: list[dict[str, Any]] = []
    places: dict[str | None, float] = {}
    for is_request, group in itertools.groupby(seen, key=lambda message: message.is_request):
        if is_request:
            requests = list(group)
            calls = list(map(_tool_call, requests))
            content = requests[0].content or None
            view.append({"role": "assistant", "content": content, "tool_calls": calls})
            places = {call["id"]: place for place, call in enumerate(calls)}
        else:
            answers = map(_plain, group)
            view += sorted(answers, key=lambda one: places.get(one.get("tool_call_id"), math.inf))
    return view


class AgentView:
    """What the agent sees of a conversation that goes on: what is settled in it is read once."""

    def __init__(self) -> None:
        self._read: list[Message] = []
        self._settled: list[bytes] = []
        self._kept: list[dict[str, Any]] = []
        self._given: list[dict[str, Any]] = []

    def of(self, messages: Sequence[Message]) -> list[dict[str, Any]]:
        """Return the same as :func:`agent_view`, in objects that are the agent's own."""
        start = _last_calls(messages)
        if start < len(self._read) or messages[: len(self._read)] != self._read:
            # Another history, as in the next turn of a replay.
            self._read, self._settled, self._kept, self._given = [], [], [], []
        if self._is_changed():
            self._given = list(itertools.chain.from_iterable(map(marshal.loads, self._settled)))
        if len(self._read) < start:
            self._settle(agent_view(messages[len(self._read) : start]))
            self._read += messages[len(self._read) : start]
        return [*self._given, *agent_view(messages[start:])]

    def _settle(self, view: list[dict[str, Any]]) -> None:
        packed = marshal.dumps(view)  # copies are made faster of it than anew
        self._settled.append(packed)
        self._kept += view
        self._given += marshal.loads(packed)  # noqa: S302  # our own

    def _is_changed(self) -> bool:
        """Whether the agent did something with what it was given: it may do what it likes."""
        try:
            return self._given != self._kept
        except Exception:  # noqa: BLE001  # what an agent has put in may raise anything
            return True


def _last_calls(messages: Sequence[Message]) -> int:
    """Return the index of the first of the calls that the agent made last, at once, else 0."""
    start = 0
    for place in range(len(messages) - 1, -1, -1):
        if Role.AGENT not in messages[place].visible_to:
            continue
        if messages[place].is_request:
            start = place
        elif start:
            break
    return start


def user_view(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Return the messages that the user sees: their own are ``user``, the agent's ``assistant``."""
    view: list[dict[str, Any]] = []
    for before, message in zip((None, *messages), messages, strict=False):
        if Role.USER in message.visible_to:
            view.append(heard := Heard(_plain(message)))
            heard.comes_of_calls = before is not None and before.call is not None
    return view


def _tool_call(message: Message) -> dict[str, Any]:
    assert message.call is not None
    name, arguments = message.call.written
    function = {"name": name, "arguments": arguments}
    return {"id": message.call.identifier, "type": "function", "function": function}


def _plain(message: Message) -> dict[str, Any]:
    if message.sender is Role.EXECUTION_ENVIRONMENT and message.call is not None:
        return {"role": "tool", "tool_call_id": message.call.identifier, "content": message.content}
    roles = {Role.AGENT: "assistant", Role.SYSTEM: "system"}
    return {"role": roles.get(message.sender, "user"), "content": message.content}
