"""What a role sees of a conversation, in the shape of a chat-completions API."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pytest_toolsandbox.language.roles import Role

from .messages import Message


def agent_view(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Return the messages that the agent sees; calls that were made at once stand in one."""
    view: list[dict[str, Any]] = []
    previous: Message | None = None
    for message in messages:
        if Role.AGENT not in message.visible_to:
            continue
        if _is_request(message):
            if previous is None or not _is_request(previous):
                content = message.content or None
                view.append({"role": "assistant", "content": content, "tool_calls": []})
            view[-1]["tool_calls"].append(_tool_call(message))
        else:
            view.append(_plain(message))
        previous = message
    return view


def user_view(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Return the messages that the user sees: their own are ``user``, the agent's ``assistant``."""
    return [_plain(message) for message in messages if Role.USER in message.visible_to]


def _is_request(message: Message) -> bool:
    return message.sender is Role.AGENT and message.call is not None


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
