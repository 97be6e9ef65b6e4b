"""Chat transcripts: what the agent saw and wrote, in the shape of chat-completions APIs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pytest_toolsandbox.conversation.views import agent_view
from pytest_toolsandbox.records.record import Record
from pytest_toolsandbox.records.writing import as_line
from pytest_toolsandbox.wording.redaction import redacted_values

_OWN = ("role", "type", "id", "tool_call_id")


def chat_messages(record: Record) -> list[dict[str, Any]]:
    """Return the messages that the agent saw and wrote, with the names of tools that it knows."""
    messages: list[dict[str, Any]] = redacted_values(agent_view(record["messages"]), _OWN, ())
    return messages


def chat_lines(records: Iterable[Record]) -> Iterator[str]:
    """Yield a line of JSON for each conversation: ``{"messages": […]}``, as for fine-tuning."""
    for record in records:
        yield as_line({"messages": chat_messages(record)})
