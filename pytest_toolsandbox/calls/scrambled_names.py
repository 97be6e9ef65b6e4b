"""What a call means whose names were scrambled."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pytest_toolsandbox.calls.tool_call import ToolCall
from pytest_toolsandbox.worlds.tool_view import ToolView

from .json_arguments import readable_arguments


def to_world_names(call: ToolCall, shown: Mapping[str, ToolView]) -> ToolCall:
    """Return a call in the world's terms, with what was written beside it where that differs.

    ``shown`` maps names of tools as the agent knows them to the tools. What no tool is called, and
    what no argument is called, stays as it is.
    """
    tool = shown.get(call.name)
    if tool is None:
        return call
    arguments = _arguments(call.arguments, tool.world_names)
    if (tool.tool.name, arguments) == (call.name, call.arguments):
        return call
    return ToolCall(call.identifier, tool.tool.name, arguments, call.name, call.arguments)


def to_agent_names(call: ToolCall, shown: Mapping[str, ToolView]) -> ToolCall:
    """Return a call in the world's terms with how an agent that knows other names would write it.

    ``shown`` maps names of tools as the agent knows them to the tools; one that it is not offered
    keeps its name.
    """
    tool = next((one for one in shown.values() if one.tool.name == call.name), None)
    if tool is None:
        return call
    given: dict[str, Any] = json.loads(call.arguments)
    renamed = {tool.argument_names.get(name, name): value for name, value in given.items()}
    arguments = json.dumps(renamed, ensure_ascii=False)
    if (tool.name, renamed) == (call.name, given):
        return call
    return ToolCall(call.identifier, call.name, call.arguments, tool.name, arguments)


def _arguments(text: str, world_names: Mapping[str, str]) -> str:
    if all(shown == own for shown, own in world_names.items()):
        return text
    if (given := readable_arguments(text)) is None:
        return text
    return json.dumps({world_names.get(n, n): v for n, v in given.items()}, ensure_ascii=False)
