"""What was said before, as a text, for an agent that is told a message and no history."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

ChatMessage = dict[str, Any]


def with_transcript(earlier: Sequence[ChatMessage], message: str, preface: str = "") -> str:
    """Return a message of the user's, after what was said and done before it, if anything was.

    A ``preface`` stands before all of it.
    """
    lines = "\n".join(_lines(earlier))
    before = f"The conversation so far:\n\n{lines}\n\nThe user says now:" if lines else ""
    return "\n\n".join(filter(None, [preface, before, message]))


def _lines(messages: Sequence[ChatMessage]) -> Iterator[str]:
    names: dict[str, str] = {}
    for message in messages:
        role, content = message["role"], message["content"]
        if role == "tool":
            yield f"{names[message['tool_call_id']]} returned: {content}"
        elif role != "system" and content:
            yield f"{'You' if role == 'assistant' else 'User'}: {content}"
        for call in message.get("tool_calls") or ():
            names[call["id"]] = call["function"]["name"]
            yield f"You called {call['function']['name']}({call['function']['arguments']})"
