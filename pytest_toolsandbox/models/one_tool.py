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
    model: LitellmModel, definition: Mapping[str, Any], instruction: str, question: str
) -> Mapping[str, Any]:
    """Return the arguments with which a model calls a tool; without any where it does not.

    The ``definition`` is one of :func:`tool`. Raises ``ProviderError``.
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
    )
    for call in reply.get("tool_calls") or ():
        if call["function"]["name"] == name:
            return _arguments(call["function"]["arguments"] or "{}")
    return {}


def _arguments(written: str) -> Mapping[str, Any]:
    try:
        given = json.loads(written)
    except (ValueError, RecursionError):
        return {}
    return given if isinstance(given, dict) else {}
