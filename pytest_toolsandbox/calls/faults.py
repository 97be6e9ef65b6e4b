"""What keeps a call from being executed, and what its agent is told (SpecTool, section 5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_toolsandbox.language.error_patterns import PATTERNS, Pattern
from pytest_toolsandbox.language.mistakes import dotted
from pytest_toolsandbox.text.formatting import one_line
from pytest_toolsandbox.text.nearest_name import nearest_name
from pytest_toolsandbox.worlds.parameter import Parameter
from pytest_toolsandbox.worlds.schemas import ANY_TYPE, has_type, mistyped, type_in_words
from pytest_toolsandbox.worlds.tool_view import ToolView

from .text_format import TEXT, TextFormat
from .tool_call import ToolCall, read_arguments


@dataclass(frozen=True)
class Fault:
    """A fault of a call, in the terms of the agent that made it.

    ``function`` is the name that was called; ``argument`` the argument that is wrong, if any.
    ``expected`` says what is allowed, ``found`` is the JSON value, name or text that stood there,
    and ``nearest`` the valid name that was probably meant, where a name is wrong. ``inside`` says
    where in an argument a value has a wrong type: ``slot.start_hour``.
    """

    pattern: Pattern
    function: str
    argument: str | None = None
    expected: str = ""
    found: Any = None
    nearest: str | None = None
    inside: str | None = None


def no_call_feedback(written: TextFormat = TEXT) -> str:
    """Return the feedback on a text in which there is no call, where one was asked for."""
    form = written.form.replace("\n", ", then ")
    return f"ERROR | Invalid format: no function call could be read, expected {form}"


def faults_of(call: ToolCall, shown: Mapping[str, ToolView]) -> Iterator[Fault]:
    """Yield the faults of a call: of its format, of its name, or of each argument's name and type.

    ``shown`` maps names of tools as the agent knows them to the tools that it is offered. An
    argument that is missing, or whose value is of the right type and still not allowed, is no
    fault of these: the execution refuses it.
    """
    name, text = call.written
    if not name:
        yield Fault("IFE", name, expected="the name of a function", found=text)
        return
    try:
        arguments = read_arguments(text)
    except (ValueError, TypeError) as error:
        yield Fault("IFE", name, expected=f"a JSON object ({error})", found=text)
        return
    if name in shown:
        yield from _argument_faults(shown[name], name, arguments)
    else:
        yield Fault("IFN", name, None, ", ".join(shown), name, nearest_name(name, shown))


def _argument_faults(tool: ToolView, name: str, arguments: Mapping[str, Any]) -> Iterator[Fault]:
    known = tool.world_names
    for argument in (one for one in arguments if one not in known):
        nearest = nearest_name(argument, [one for one in known if one not in arguments])
        yield Fault("IAN", name, argument, ", ".join(known), argument, nearest)
    for argument in (one for one in arguments if one in known):
        value, parameter = arguments[argument], tool.tool.parameters[known[argument]]
        if not has_type(value, parameter.schema):
            yield _type_fault(name, argument, value, parameter)


def _type_fault(name: str, argument: str, value: Any, parameter: Parameter) -> Fault:
    path, expected, found = mistyped(value, parameter.schema, parameter.schema)
    if not path:
        return Fault("IAT", name, argument, type_in_words(parameter.shown), value)
    return Fault("IAT", name, argument, expected, found, inside=dotted((argument, *path)))


def feedback(call: ToolCall, shown: Mapping[str, ToolView]) -> str | None:
    """Return what is wrong with a call before it is executed, and what is allowed instead.

    ``None`` where nothing is wrong: then the call is executed. The first line begins with
    ``ERROR |``; the valid arguments follow it, where they are what is wrong (table 9).
    """
    fault = next(faults_of(call, shown), None)
    if fault is None:
        return None
    name = one_line(fault.function)
    valid = shown[fault.function].world_names if fault.function in shown else shown
    line = PATTERNS[fault.pattern].feedback.format(
        function=name,
        argument=one_line(fault.inside or fault.argument or ""),
        expected=fault.expected,
        valid=list(valid),
        of_function=f" of function {name}" if name else "",
        for_function=f" for function {name}",
    )
    arguments = () if fault.argument is None else _arguments_of(shown[fault.function])
    return "\n".join([f"ERROR | {line}", *arguments])


def _arguments_of(tool: ToolView) -> Iterator[str]:
    whole: dict[str, Any] = tool.schema["function"]["parameters"]
    for name, schema in whole["properties"].items():
        kind = type_in_words(schema, whole)
        necessary = ["necessary"] if name in whole["required"] else []
        facts = ", ".join([*([] if kind == ANY_TYPE else [kind]), *necessary])
        text = schema.get("description", "")
        yield f"- {name}{f' ({facts})' if facts else ''}{f': {text}' if text else ''}"
