"""Reads what an agent replied."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pytest_toolsandbox.agents.agent import AgentError

from .messages import ToolCall

EXPECTED = "expected text or an assistant message with tool_calls"


def read_reply(reply: Any, place: int) -> tuple[str, list[ToolCall]]:
    """Return the text and the tool calls of a reply.

    ``place`` numbers calls that have no identifier. Raises :class:`AgentError` for anything that
    is neither text nor an assistant message; what stands in a call is the model's business.
    """
    if isinstance(reply, str):
        return reply, []
    if not isinstance(reply, Mapping) and hasattr(reply, "model_dump"):
        reply = reply.model_dump()  # a message object of a client library
    if not isinstance(reply, Mapping) or not {"content", "tool_calls"} & set(reply):
        raise AgentError(f"the agent returned {type(reply).__name__}; {EXPECTED}")
    calls = reply.get("tool_calls") or []
    if not isinstance(calls, list):
        raise AgentError(f"the agent's tool_calls are {type(calls).__name__}; expected a list")
    return _text(reply.get("content")), [_call(c, place, i) for i, c in enumerate(calls)]


def _text(content: Any) -> str:
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part.get("text", "") for part in content if isinstance(part, Mapping)]
        return "".join(part for part in parts if isinstance(part, str))
    raise AgentError(f"the agent's content is {type(content).__name__}; {EXPECTED}")


def _call(call: Any, place: int, index: int) -> ToolCall:
    if not isinstance(call, Mapping) and hasattr(call, "model_dump"):
        call = call.model_dump()
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(function, Mapping):
        raise AgentError("a tool call of the agent has no function with name and arguments")
    arguments = function.get("arguments")
    if not isinstance(arguments, str):
        arguments = json.dumps({} if arguments is None else arguments, ensure_ascii=False)
    identifier = call.get("id") or f"call-{place}-{index}"
    return ToolCall(str(identifier), str(function.get("name") or ""), arguments)
