"""An agent that knows native calls, where calls have to be written."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_toolsandbox.calls.text_format import (
    OBSERVATION,
    TEXT,
    TextFormat,
    call_text,
    read_call_text,
    with_call_text,
)

from .agent import ChatMessage, ChatReply


@dataclass(frozen=True)
class TextCallingAgent:
    """Writes the calls of an agent that makes native ones, and reads to it what came of them.

    Where every reply has to be a call (``must_call``) it calls ``finish`` with what the agent says.
    """

    agent: Callable[[list[ChatMessage], list[dict[str, Any]]], ChatReply]
    must_call: bool = False
    written: TextFormat = TEXT

    def __call__(self, messages: list[ChatMessage], tools: list[dict[str, Any]]) -> str:
        """Return the reply of the agent as text."""
        reply = self.agent(read_messages(messages, self.written), tools)
        if isinstance(reply, str):
            answer = json.dumps({"answer": reply}, ensure_ascii=False)
            finish = call_text("finish", answer, self.written)
            return finish if self.must_call else self.written.marked(reply)
        return str(with_call_text([reply], self.written)[0]["content"])


def read_messages(messages: Sequence[ChatMessage], written: TextFormat = TEXT) -> list[ChatMessage]:
    """Return messages in which written calls, and the results after them, are what they mean."""
    read: list[ChatMessage] = []
    waiting: list[str] = []
    for place, message in enumerate(messages):
        if message["role"] == "assistant":
            read.append(_with_calls(message, place, written))
            waiting = [call["id"] for call in read[-1].get("tool_calls", ())]
        elif waiting and message["content"].startswith(OBSERVATION):
            content = message["content"].removeprefix(OBSERVATION)
            read.append({"role": "tool", "tool_call_id": waiting.pop(0), "content": content})
        else:
            read.append(message)
    return read


def _with_calls(message: ChatMessage, place: int, written: TextFormat) -> ChatMessage:
    found = read_call_text(message["content"], must_call=False, written=written)
    if found is None:
        return message
    if not found.calls:
        return {**message, "content": found.said}
    calls = [
        {"id": f"{place}-{i}", "type": "function", "function": {"name": name, "arguments": given}}
        for i, (name, given) in enumerate(found.calls)
    ]
    return {"role": "assistant", "content": found.said or None, "tool_calls": calls}
