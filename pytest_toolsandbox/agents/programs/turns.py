"""What programs and services in any language are asked in a turn, and what they answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from pytest_toolsandbox.agents.toolbox import Toolbox
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.text.formatting import type_name

_ADDRESS: Final = re.compile(r"(http://127\.0\.0\.1:\d+/)[\w-]{22}(?=/mcp)")


def without_address(text: str) -> str:
    """Return a text for a log: whoever knows the address of the tools could call them."""
    return _ADDRESS.sub(r"\1***", text)


def request_for(message: str, toolbox: Toolbox) -> dict[str, Any]:
    """Return the JSON of a turn."""
    return {
        "turn": message,
        "mcp": toolbox.mcp_url,
        "tools": toolbox.schemas,
        "prompt": toolbox.prompt,
    }


def reply_in(answer: Mapping[str, Any], name: str, toolbox: Toolbox) -> str:
    """Return the text for the user. Raises :class:`AgentError` if there is none."""
    toolbox.count_usage(answer.get("usage"), answer.get("model"))
    if "error" in answer and "reply" not in answer:
        raise AgentError(f"{name} reports an error: {answer['error']}")
    reply = answer.get("reply")
    if not isinstance(reply, str):
        problem = f"'reply' is {type_name(reply)}" if "reply" in answer else "no 'reply'"
        raise AgentError(f'{name} answered with {problem}; expected {{"reply": "…"}}')
    return reply
