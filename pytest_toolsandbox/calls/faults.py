"""Faults of calls before they are executed, and the feedback on them (SpecTool, section 5).

Without feedback, the execution refuses such a call: ``Tool.bind`` in ``worlds/tool.py`` checks the
arguments, and ``conversation/environment.py`` answers with its error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_toolsandbox.language.error_patterns import PATTERNS, Pattern
from pytest_toolsandbox.language.mistakes import dotted
from pytest_toolsandbox.text.formatting import one_line
from pytest_toolsandbox.text.nearest_name import nearest_name
from pytest_toolsandbox.worlds.schemas import ANY_TYPE, has_type, mistyped, type_in_words
from pytest_toolsandbox.worlds.tool_view import ToolView

from .text_format import TEXT, TextFormat
from .tool_call import ToolCall, read_arguments


@dataclass(frozen=True)
class Fault:
    """A fault of a call, under the names that the agent knows.

    ``function`` is the name that was called, ``argument`` the wrong argument, if any. ``expected``
    says what is allowed, ``found`` is the wrong JSON value, name or text, and ``nearest`` the valid
    name that was probably meant. ``inside`` is the path of a value of a wrong type in an argument:
    ``slot.start_hour``.
    """

    pattern: Pattern
    function: str
    argument: str | None = None
    expected: str = ""
    found: Any = None
    nearest: str | None = None
    inside: str | None = None


def no_call_feedback(written: TextFormat = TEXT) -> str:
    """Return the feedback on a text that should have a call and has none."""
    form = written.form.replace("\n", ", then ")
    return f"ERROR | Invalid format: no function call could be read, expected {form}"


def faults_of(call: ToolCall, shown: Mapping[str, ToolView]) -> Iterator[Fault]:
    """Yield the faults of a call: of its format, of its name, or of each argument's name and type.

    ``shown`` maps the names that the agent knows to the tools that it is offered. The execution
    refuses missing arguments and forbidden values of the right type: these are not faults.
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
    missing = [argument for argument in known if argument not in arguments]
    for argument in arguments:
        if argument not in known:
            nearest = nearest_name(argument, missing)
            yield Fault("IAN", name, argument, ", ".join(known), argument, nearest)
    for argument, value in arguments.items():
        parameter = tool.tool.parameters[known[argument]] if argument in known else None
        if parameter is None or has_type(value, parameter.schema):
            continue
        path, expected, actual = mistyped(value, parameter.schema, parameter.schema)
        if path:
            yield Fault("IAT", name, argument, expected, actual, inside=dotted((argument, *path)))
        else:
            yield Fault("IAT", name, argument, type_in_words(parameter.shown), value)


def feedback(call: ToolCall, shown: Mapping[str, ToolView]) -> str | None:
    """Return what is wrong with a call and what is allowed instead; ``None`` if it is valid.

    The first line begins with ``ERROR |``; if an argument is wrong, the valid arguments follow
    (table 9).
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
