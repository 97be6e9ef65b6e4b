"""What an agent is told of a call that is not executed (SpecTool, section 5 and table 9)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_toolsandbox.calls.tool_call import ToolCall
from pytest_toolsandbox.wording.cutting import one_line
from pytest_toolsandbox.worlds.tool_view import ToolView

from .argument_types import ANY_TYPE, type_in_words
from .faults import Fault, fault_of
from .text_format import FORM

NO_CALL_FEEDBACK: Final = f"ERROR | Invalid format: no function call could be read, expected {FORM}"
"""The feedback on a text in which there is no call, where one was asked for."""


def feedback(call: ToolCall, shown: Mapping[str, ToolView]) -> str | None:
    """Return what is wrong with a call before it is executed, and what is allowed instead.

    ``None`` where nothing is wrong: then the call is executed. ``shown`` maps names of tools as
    the agent knows them to the tools that it is offered. The first line begins with ``ERROR |``.
    """
    fault = fault_of(call, shown)
    return None if fault is None else feedback_on(fault, shown)


def feedback_on(fault: Fault, shown: Mapping[str, ToolView]) -> str:
    """Return the feedback on a fault: one line, and the valid arguments after it."""
    match fault.pattern:
        case "IFE":
            called = f" of function {fault.function}" if fault.function else ""
            return f"ERROR | Invalid format{called}: expected {fault.expected}"
        case "IFN":
            return (
                f"ERROR | Invalid function name {one_line(fault.function)}, "
                f"valid functions are {list(shown)}"
            )
        case "IAN":
            tool = shown[fault.function]
            line = (
                f"ERROR | Invalid argument name {one_line(fault.argument or '')} "
                f"for function {fault.function}, valid arguments are {list(tool.world_names)}"
            )
        case "IAT":
            tool = shown[fault.function]
            line = (
                f"ERROR | Invalid argument type for {fault.argument} "
                f"for function {fault.function}, valid argument type is '{fault.expected}'"
            )
    return "\n".join([line, *_described(tool)])


def _described(tool: ToolView) -> Iterator[str]:
    whole: dict[str, Any] = tool.schema["function"]["parameters"]
    for name, schema in whole["properties"].items():
        kind = type_in_words(schema, whole)
        necessary = ["necessary"] if name in whole["required"] else []
        facts = ", ".join([*([] if kind == ANY_TYPE else [kind]), *necessary])
        text = schema.get("description", "")
        yield f"- {name}{f' ({facts})' if facts else ''}{f': {text}' if text else ''}"
