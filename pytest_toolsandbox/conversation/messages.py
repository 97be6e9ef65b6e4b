"""Messages, trajectories, and what agent and user see of them as chat-completions messages."""

from __future__ import annotations

import itertools
import marshal
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Final, NamedTuple

from pytest_toolsandbox.calls.tool_call import ToolCall, ToolTrace
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.models.requests import Asker
from pytest_toolsandbox.models.usage import Usage
from pytest_toolsandbox.users.user import VisibleMessage
from pytest_toolsandbox.worlds.state import State
from pytest_toolsandbox.worlds.tool import END_CONVERSATION

MOST_WRITTEN: Final = 4_000_000
"""Characters of an agent after which a conversation ends: more than the context of any model."""


@dataclass(frozen=True)
class Message:
    """One message.

    A request to the execution environment and its answer have the ``call``; the answer also has
    the ``trace``, or the ``error`` in one line, and the name of the ``fault`` that the call met. It
    has both a trace and an error if a fault hides that the call was executed. Each parallel call is
    a message. A request without a call is a text that should have had one.
    """

    sender: Role
    recipient: Role
    content: str
    visible_to: tuple[Role, ...]
    call: ToolCall | None = None
    trace: ToolTrace | None = None
    error: str | None = None
    fault: str | None = None

    @property
    def is_request(self) -> bool:
        """Whether the agent requests a call with it."""
        return self.sender is Role.AGENT and self.call is not None

    @property
    def was_executed(self) -> bool:
        """Whether it answers a call that was executed without an error of the world."""
        return self.trace is not None or self.error is None

    @property
    def ends_conversation(self) -> bool:
        """Whether it answers the user's call that ends the conversation."""
        is_ended = self.call is not None and self.call.name == END_CONVERSATION
        return is_ended and self.recipient is Role.USER

    @property
    def is_empty_reply(self) -> bool:
        """Whether the agent replies with neither text nor calls."""
        return self.sender is Role.AGENT and self.call is None and not self.content.strip()

    @property
    def counts_as_turn(self) -> bool:
        """Whether ToolSandbox counts it as a turn (appendix D.3)."""
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
    """The response to one call: the text for the agent, and the state after the call.

    ``fault`` is the name of the fault that the call met, if any.
    """

    content: str
    state: State
    trace: ToolTrace | None = None
    error: str | None = None
    fault: str | None = None

    @property
    def failed(self) -> bool:
        """Whether the call failed."""
        return self.error is not None


@dataclass(frozen=True)
class MadeCall:
    """A call of the agent or the user, and its response.

    ``request`` and ``answer`` are indices of messages; if the conversation was cut off, there is no
    ``answer``. ``before`` and ``after`` are the states before and after the call. Parallel calls
    have the same number ``batch``; ``order`` is the index of the call in the order of execution.
    ``fault`` is the name of the fault that the call met, if any.
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
    fault: str | None = None

    @property
    def failed(self) -> bool:
        """Whether the call was not executed, or failed."""
        return self.answer is None or (self.error is not None and self.trace is None)

    @property
    def changed_the_world(self) -> bool:
        """Whether the tables after the call differ from those before."""
        return not self.after.same_tables(self.before)

    @property
    def may_have_changed_the_world(self) -> bool:
        """Whether it changed tables, or may have changed what no table of a live world shows."""
        return self.after != self.before


class Spent(NamedTuple):
    """The usage of one asker's requests between a message and the previous one.

    ``finish_reasons`` say why the replies ended, as far as known.
    """

    message: int
    asker: Asker
    usage: Usage
    finish_reasons: Sequence[str] = ()


class Reasoning(NamedTuple):
    """What the agent thought before a message; without a text if that is not kept."""

    message: int
    text: str = ""


class Agreed(NamedTuple):
    """Whether a user that a model plays agreed with a message to what it was asked, or refused.

    ``agrees`` is ``None`` if it did neither.
    """

    message: int
    agrees: bool | None


@dataclass(frozen=True)
class Trajectory:
    """A whole conversation: its messages and the state of the world after each message.

    ``start`` is the state before the first message. Parallel calls are answered in the order of
    execution. ``untried_orders`` has the index of the first request of each batch that had too many
    orders: these calls happened as given. ``spent`` is the usage of messages, as far as known;
    ``reasoning`` is what the agent thought before messages. ``agreements`` are what a user said
    apart from its words.
    """

    messages: tuple[Message, ...]
    states: tuple[State, ...]
    start: State
    untried_orders: tuple[int, ...] = ()
    spent: tuple[Spent, ...] = ()
    reasoning: tuple[Reasoning, ...] = ()
    agreements: tuple[Agreed, ...] = ()

    @cached_property
    def calls(self) -> tuple[MadeCall, ...]:
        """The calls of the agent, in the order of its requests."""
        return tuple(self._made_calls(Role.AGENT))

    @cached_property
    def clock_moves(self) -> Mapping[int, datetime]:
        """The message before which the clock moved → the time to which it moved."""
        pairs = enumerate(itertools.pairwise((self.start, *self.states)))
        return {
            place: after.now
            for place, (before, after) in pairs
            if after.now is not None and after.now != before.now
        }

    @cached_property
    def first(self) -> int:
        """The index of the first snapshot that milestones may match: the user's first message."""
        for index, message in enumerate(self.messages):
            if message.sender is Role.USER and set(message.visible_to) != {Role.USER}:
                return index
        return 0

    @property
    def empty_replies(self) -> list[int]:
        """The indices of the agent's messages with neither text nor calls."""
        return [index for index, message in enumerate(self.messages) if message.is_empty_reply]

    @property
    def turn_count(self) -> int:
        """How many messages count as turns."""
        return sum(message.counts_as_turn for message in self.messages)

    @property
    def tool_call_count(self) -> int:
        """How many tool calls the agent made, failed calls included."""
        return len(self.calls)

    @cached_property
    def user_calls(self) -> tuple[MadeCall, ...]:
        """The calls of the user, in order, without the end of the conversation."""
        return tuple(
            call for call in self._made_calls(Role.USER) if call.call.name != END_CONVERSATION
        )

    def _made_calls(self, caller: Role) -> Iterator[MadeCall]:
        requests = [m.sender is caller and m.call is not None for m in self.messages]
        grouped = itertools.groupby(enumerate(self.messages), key=lambda pair: requests[pair[0]])
        batches = ([index for index, _ in pairs] for is_request, pairs in grouped if is_request)
        for number, batch in enumerate(batches):
            answers = {i: self._answers.get(i, len(self.messages)) for i in batch}
            in_order = sorted(batch, key=answers.__getitem__)
            for request, answer in answers.items():
                call, order = self.messages[request].call, in_order.index(request)
                assert call is not None
                if answer == len(self.messages):
                    state = self.states[request]
                    yield MadeCall(request, None, call, None, None, state, state, number, order)
                    continue
                message = self.messages[answer]
                before, after = self.states[answer - 1 : answer + 1]
                outcome = call, message.trace, message.error, before, after
                yield MadeCall(request, answer, *outcome, number, order, message.fault)

    @cached_property
    def _answers(self) -> Mapping[int, int]:
        """Request → answer, as indices."""
        waiting: dict[int, ToolCall | None] = {}
        answers: dict[int, int] = {}
        for index, message in enumerate(self.messages):
            if message.recipient is Role.EXECUTION_ENVIRONMENT and message.call is not None:
                waiting[index] = message.call
            elif message.call is not None and waiting:
                same = (request for request, call in waiting.items() if call == message.call)
                request = next(same, next(iter(waiting)))
                answers[request] = index
                del waiting[request]
        return answers


def written_characters(messages: Iterable[Message]) -> int:
    """Return how many characters the agent wrote, in texts and in arguments of calls."""
    return sum(
        len(message.content) + len(message.call.arguments if message.call else "")
        for message in messages
        if message.sender is Role.AGENT
    )


def agent_view(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Return the messages that the agent sees.

    Parallel calls are in one message; their results follow in the order of the calls.
    """
    return [chat_message for _, chat_message in _seen_by_agent(messages)]


def _seen_by_agent(messages: Sequence[Message]) -> list[tuple[Message, dict[str, Any]]]:
    """Return what the agent sees, each with the first message that it stems from."""
    seen = (message for message in messages if Role.AGENT in message.visible_to)
    view: list[tuple[Message, dict[str, Any]]] = []
    places: dict[str | None, float] = {}
    for is_request, group in itertools.groupby(seen, key=lambda message: message.is_request):
        if is_request:
            requests = list(group)
            calls = list(map(_tool_call, requests))
            content = requests[0].content or None
            chat_message = {"role": "assistant", "content": content, "tool_calls": calls}
            view.append((requests[0], chat_message))
            places = {call["id"]: place for place, call in enumerate(calls)}
        else:
            answers = ((message, _plain(message)) for message in group)
            view += sorted(
                answers, key=lambda pair: places.get(pair[1].get("tool_call_id"), math.inf)
            )
    return view


class AgentCopies:
    """Copies of objects for an agent, which may change them: then they are made again."""

    def __init__(self) -> None:
        self._packed: list[bytes] = []
        self._kept: list[Any] = []
        self._shown: list[Any] = []

    def add(self, kept: Any, packed: bytes) -> None:
        """Add an object, and what ``marshal``, the fastest way to copies, makes of it."""
        self._packed.append(packed)
        self._kept.append(kept)
        self._shown.append(marshal.loads(packed))  # noqa: S302  # our own

    def shown(self) -> list[Any]:
        """Return the copies; new ones if the agent has changed the last ones."""
        try:
            is_changed = self._shown != self._kept
        except Exception:  # noqa: BLE001  # comparing an agent's objects may raise anything
            is_changed = True
        if is_changed:
            self._shown = list(map(marshal.loads, self._packed))
        return self._shown


class AgentView:
    """What the agent sees of a running conversation; messages that cannot change are read once."""

    def __init__(self) -> None:
        self._read: list[Message] = []
        self._copies = AgentCopies()
        self._copied: list[Message] = []
        self.sources: list[Message] = []
        """The first message that each of the last view stems from."""

    def of(self, messages: Sequence[Message]) -> list[dict[str, Any]]:
        """Return the same as :func:`agent_view`, in objects that the agent may change."""
        start = _last_calls(messages)
        if start < len(self._read) or messages[: len(self._read)] != self._read:
            # Another history, as in the next turn of a replay.
            self._read, self._copies, self._copied = [], AgentCopies(), []
        if len(self._read) < start:
            for source, message in _seen_by_agent(messages[len(self._read) : start]):
                self._copies.add(message, marshal.dumps(message))
                self._copied.append(source)
            self._read += messages[len(self._read) : start]
        new = _seen_by_agent(messages[start:])
        self.sources = [*self._copied, *(source for source, _ in new)]
        return [*self._copies.shown(), *(message for _, message in new)]


def _last_calls(messages: Sequence[Message]) -> int:
    """Return the index of the first call of the agent's last batch, else 0."""
    # Answers are put into the order of their calls, so what follows an unanswered batch may change.
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
    """Return the messages that the user sees, with the roles ``user`` and ``assistant``.

    The user's own calls are ``user`` messages with ``tool_calls``, their results ``tool`` messages.
    """
    view: list[dict[str, Any]] = []
    for before, message in zip((None, *messages), messages, strict=False):
        if Role.USER not in message.visible_to:
            continue
        is_call = message.sender is Role.USER and message.call is not None
        if is_call and before is not None and before.call and before.sender is Role.USER:
            view[-1]["tool_calls"].append(_tool_call(message))
            continue
        view.append(visible_message := VisibleMessage(_plain(message)))
        if is_call:
            visible_message["tool_calls"] = [_tool_call(message)]
        visible_message.follows_calls = before is not None and before.call is not None
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
