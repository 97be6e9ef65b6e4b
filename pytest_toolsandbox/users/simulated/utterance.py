"""What the model that plays a user wants to say, and what was refused of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

END_CONVERSATION: Final = "end_conversation"
"""The tool with which a user ends the conversation (ToolSandbox, section 2)."""

Reply = Mapping[str, Any]
"""An assistant message of a chat-completions API."""


@dataclass(frozen=True)
class Utterance:
    """A ``text`` for the agent, or, without one, the end of the conversation.

    ``goal`` and ``uses`` are ids of what the text is for and of the facts in it, ``reason`` says
    why the conversation ends; a user in the paper's style gives none of them.
    """

    text: str | None
    goal: str | None = None
    uses: tuple[str, ...] = ()
    reason: str | None = None

    @property
    def ends(self) -> bool:
        """Whether it ends the conversation."""
        return self.text is None


class Refused(NamedTuple):
    """A reply of the model's that was not delivered, and what the model is told of it."""

    reply: Reply
    told: str

    @property
    def written(self) -> str:
        """The reply in words: its text, or its calls."""
        calls = self.reply.get("tool_calls") or ()
        functions = [call["function"] for call in calls]
        written = [f"{one['name']}({one['arguments']})" for one in functions]
        return " ".join(filter(None, (self.reply.get("content"), *written)))


class MalformedReplyError(Exception):
    """A reply that is no utterance. The text is what the model is told of it."""
