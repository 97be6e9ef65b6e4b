"""What an agent is."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, Protocol

ChatMessage = dict[str, Any]
ChatReply = str | ChatMessage


class Agent(Protocol):
    """A callable in the shape of a chat-completions API; ``async def`` works too.

    ``messages`` is what the agent has seen so far: ``system``, ``user``, ``assistant`` (with
    ``tool_calls``) and ``tool`` messages. ``tools`` are the definitions of the functions that it
    may call. The reply is text for the user, or an assistant message with ``tool_calls``.
    """

    def __call__(
        self, messages: list[ChatMessage], tools: list[dict[str, Any]]
    ) -> ChatReply | Awaitable[ChatReply]:
        """Return the reply to the last message."""
        ...
