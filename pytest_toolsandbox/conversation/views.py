"""What a role sees of a conversation, in the shape of a chat-completions API."""

from __future__ import annotations

import itertools
import marshal
import math
from collections.abc import Sequence
from typing import Any

from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.users.user import Heard

from .messages import Message


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
