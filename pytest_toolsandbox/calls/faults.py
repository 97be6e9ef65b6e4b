"""What keeps a call from being executed: the checks before the execution (SpecTool, section 5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pytest_toolsandbox.calls.tool_call import ToolCall
from pytest_toolsandbox.wording.nearest_name import nearest_name
from pytest_toolsandbox.worlds.tool_view import ToolView

from .argument_types import has_type, type_in_words
from .json_arguments import read_arguments

FaultPattern = Literal["IFE", "IFN", "IAN", "IAT"]
"""Invalid format error, incorrect function name, argument name, argument type."""


@dataclass(frozen=True)
class Fault:
    """The first fault of a call, in the terms of the agent that made it.

    ``function`` is the name that was called; ``argument`` the one that is wrong, if one is.
    ``expected`` says what is allowed, ``found`` is the JSON value, name or text that stood there,
    and ``nearest`` the valid name that was probably meant, where a name is wrong.
    """

    pattern: FaultPattern
    function: str
    argument: str | None = None
    expected: str = ""
    found: Any = None
    nearest: str | None = None


def fault_of(call: ToolCall, shown: Mapping[str, ToolView]) -> Fault | None:
    """Return the first fault of a call: of its format, name, argument names or argument types.

    ``shown`` maps names of tools as the agent knows them to the tools that it is offered. An
    argument that is missing, or whose value is of the right type and still not allowed, is no
    fault of these: the execution refuses it.
    """
    name, text = call.written
    if not name:
        return Fault("IFE", name, expected="the name of a function", found=text)
    try:
        arguments = read_arguments(text)
    except (ValueError, TypeError) as error:
        return Fault("IFE", name, expected=f"a JSON object ({error})", found=text)
    tool = shown.get(name)
    if tool is None:
        return Fault("IFN", name, None, _names(shown), name, nearest_name(name, shown))
    return _wrong_name(tool, arguments) or _wrong_type(tool, arguments)


def _wrong_name(tool: ToolView, arguments: Mapping[str, Any]) -> Fault | None:
    wrong = next((name for name in arguments if name not in tool.world_names), None)
    if wrong is None:
        return None
    left = [name for name in tool.world_names if name not in arguments]
    nearest = nearest_name(wrong, left)
    return Fault("IAN", tool.name, wrong, _names(tool.world_names), wrong, nearest)


def _wrong_type(tool: ToolView, arguments: Mapping[str, Any]) -> Fault | None:
    for name, value in arguments.items():
        parameter = tool.tool.parameters[tool.world_names[name]]
        if not has_type(value, parameter.schema):
            return Fault("IAT", tool.name, name, type_in_words(parameter.shown), value)
    return None


def _names(names: Mapping[str, Any]) -> str:
    return ", ".join(names)
