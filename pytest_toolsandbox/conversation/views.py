"""What a role sees of a conversation, in the shape of a chat-completions API."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pytest_toolsandbox.language.roles import Role

from .messages import Message


def agent_view(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Return the messages that the agent sees.

    Calls that were made at once stand in one message, and their results after it in the same
    order, whatever the order in which they happened.
    """
    seen = (message for message in messages if Role.AGENT in message.visible_to)
    view: list[dict[str, Any]] = []
    for is_request, group in itertools.groupby(seen, key=lambda message: message.is_request):
        if is_request:
            requests = list(group)
            calls = [_tool_call(message) for message in requests]
            content = requests[0].content or None
            view.append({"role": "assistant", "content": content, "tool_calls": calls})
        else:
            view += _in_order_of_requests(map(_plain, group), view)
    return view


def user_view(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Return the messages that the user sees: their own are ``user``, the agent's ``assistant``."""
    return [_plain(message) for message in messages if Role.USER in message.visible_to]


def _in_order_of_requests(
    answers: Iterable[dict[str, Any]], view: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    calls = view[-1].get("tool_calls", ()) if view else ()
    places = {call["id"]: place for place, call in enumerate(calls)}
    return sorted(answers, key=lambda one: places.get(one.get("tool_call_id"), len(places)))


def _tool_call(message: Message) -> dict[str, Any]:
    assert message.call is not None
    name, arguments = message.call.written
    function = {"name": name, "arguments": arguments}
    return {"id": message.call.identifier, "type": "function", "function": function}


def _plain(message: Message) -> dict[str, Any]:
    if message.sender is Role.EXECUTION_ENVIRONMENT and message.call is not None:
        return {
            "role": "tool",
            "tool_call_id": message.call.identifier,
            "content": message.content,
        }
    roles = {Role.AGENT: "assistant", Role.SYSTEM: "system"}
    return {"role": roles.get(message.sender, "user"), "content": message.content}
