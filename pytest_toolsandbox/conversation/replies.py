"""Reads what an agent replied."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pytest_toolsandbox.calls.tool_call import ToolCall
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.wording.redaction import shown

EXPECTED = "expected text or an assistant message with tool_calls"
LONGEST = 80
"""Characters of what an agent returned instead."""


def read_reply(reply: Any, place: int) -> tuple[str, list[ToolCall]]:
    """Return the text and the tool calls of a reply.

    ``place`` numbers calls that have no identifier. Raises :class:`AgentError` for anything that
    is neither text nor an assistant message; what stands in a call is the model's business.
    """
    if isinstance(reply, str):
        return _unicode(reply), []
    message = _as_mapping(reply)
    if message is None or not {"content", "tool_calls"} & set(message):
        raise AgentError(f"the agent returned {_shown(reply)}; {EXPECTED}")
    calls = message.get("tool_calls") or []
    if not isinstance(calls, (list, tuple)):
        raise AgentError(f"the agent's tool_calls are {_shown(calls)}; expected a list")
    text = _text(message.get("content"))
    return text, [_call(call, place, index) for index, call in enumerate(calls)]


def _as_mapping(value: Any) -> Mapping[str, Any] | None:
    """Return a mapping, or the one that a message object of a client library stands for."""
    if not isinstance(value, Mapping) and hasattr(value, "model_dump"):
        value = value.model_dump()
    return value if isinstance(value, Mapping) else None


def _text(content: Any) -> str:
    if content is None:
        return ""
    if isinstance(content, str):
        return _unicode(content)
    if isinstance(content, list):
        parts = [part.get("text", "") for part in content if isinstance(part, Mapping)]
        return _unicode("".join(part for part in parts if isinstance(part, str)))
    raise AgentError(f"the agent's content is {_shown(content)}; {EXPECTED}")


def _call(call: Any, place: int, index: int) -> ToolCall:
    mapping = _as_mapping(call) or {}
    function = _as_mapping(mapping.get("function"))
    if function is None:
        text = "a tool call of the agent has no function with name and arguments"
        raise AgentError(f"{text}: {_shown(call)}")
    arguments = function.get("arguments")
    if not isinstance(arguments, str):
        given = {} if arguments is None else arguments
        arguments = json.dumps(given, ensure_ascii=False, default=str)
    identifier = mapping.get("id") or f"call-{place}-{index}"
    name = function.get("name") or ""
    return ToolCall(str(identifier), _unicode(str(name)), _unicode(arguments))


def _shown(value: Any) -> str:
    """Write what an agent returned with its type; of what is no JSON, the type alone."""
    kind = type(value).__name__
    if not isinstance(value, (str, int, float, list, tuple, dict)):
        return "None" if value is None else kind
    try:
        text = json.dumps(value, ensure_ascii=False, default=lambda part: type(part).__name__)
    except (TypeError, ValueError, RecursionError):
        return kind
    return f"{shown(text, LONGEST)} ({kind})"


def _unicode(text: str) -> str:
    """Return a text that can be written to a file: half of a character becomes a mark for one."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
