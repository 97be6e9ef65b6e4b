"""Questions that a model answers through one tool, which it must call."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .chat_replies import assistant_message
from .litellm_agent import LitellmModel


def tool(name: str, description: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the definition of a tool, all of whose parameters are required."""
    schema = {"type": "object", "properties": dict(parameters), "required": [*parameters]}
    function = {"name": name, "description": description, "parameters": schema}
    return {"type": "function", "function": function}


def answer_through(
    model: LitellmModel,
    definition: Mapping[str, Any],
    instruction: str,
    question: str,
    **parameters: Any,
) -> Mapping[str, Any]:
    """Return the arguments with which a model calls a tool; without any where it does not.

    The ``definition`` is one of :func:`tool`; ``parameters`` go with the request. Raises
    ``ProviderError``.
    """
    name = definition["function"]["name"]
    reply = model.ask(
        "completion",
        assistant_message,
        messages=[
            {"role": "system", "content": instruction},
            {"role": "user", "content": question},
        ],
        tools=[definition],
        tool_choice={"type": "function", "function": {"name": name}},
        **parameters,
    )
    return arguments_of(reply, name)


def arguments_of(reply: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return the arguments of the first call of a tool in a reply; none where there is none."""
    for call in reply.get("tool_calls") or ():
        if call["function"]["name"] == name:
            return _arguments(call["function"]["arguments"] or "{}")
    return {}


def reply_through(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return a reply that calls a tool."""
    function = {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}
    call = {"id": "call-0", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _arguments(written: str) -> Mapping[str, Any]:
    try:
        given = json.loads(written)
    except (ValueError, RecursionError):
        return {}
    return given if isinstance(given, dict) else {}
