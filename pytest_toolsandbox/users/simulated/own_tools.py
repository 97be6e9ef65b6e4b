"""The tools of a user that a model plays: their schemas, and the check of its calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_toolsandbox.calls.tool_call import read_arguments
from pytest_toolsandbox.worlds.tool_view import ToolView

from .checks import UserFault
from .utterance import Utterance

Tools = Mapping[str, ToolView]
"""Name → tool of the user."""


def schemas(tools: Tools) -> list[dict[str, Any]]:
    """Return the tools as a chat-completions API takes them."""
    return [view.schema for view in tools.values()]


def fault_in_calls(utterance: Utterance, tools: Tools) -> UserFault | None:
    """Return the first fault of the calls: arguments that cannot be read, or do not fit."""
    for name, arguments in utterance.calls:
        try:
            tools[name].bind(read_arguments(arguments))
        except (TypeError, ValueError) as error:
            text = f"{name} cannot be called so: {' '.join(str(error).split())}."
            return UserFault("call", text, f"{name}({arguments})")
    return None
