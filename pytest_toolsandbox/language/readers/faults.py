"""Reads ``faults:``: which calls of tools meet which fault."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_toolsandbox.language import models
from pytest_toolsandbox.language.constraints import CallPattern
from pytest_toolsandbox.language.faults import ToolFault
from pytest_toolsandbox.language.mistakes import Path
from pytest_toolsandbox.matchers.registry import only_key
from pytest_toolsandbox.text.formatting import join_words, one_line
from pytest_toolsandbox.worlds.schemas import allowed_types
from pytest_toolsandbox.worlds.state import State
from pytest_toolsandbox.worlds.tool import Tool

from .base_reader import Reader
from .events import ExpectedReader, completed
from .initial_state import changed_tables

_KINDS = ("error", "timeout", "stale", "partial")
_ALWAYS = "always"
_NEEDS_ERROR = ("executed", "fails_for")
_NEEDS_ANSWER = "note"


def read_faults(
    documents: Mapping[str, models.FaultDocument],
    reader: Reader,
    start: State | None,
    thresholds: Mapping[str, float],
) -> tuple[ToolFault, ...]:
    """Return the faults in the order of the file, and note mistakes."""
    if start is None:
        return ()
    expected = ExpectedReader(*reader.context, thresholds=thresholds)
    faults = (
        _fault(expected, name, document, start, ("faults", name))
        for name, document in documents.items()
    )
    return tuple(fault for fault in faults if fault is not None)


def _fault(
    reader: ExpectedReader, name: str, document: models.FaultDocument, start: State, path: Path
) -> ToolFault | None:
    before = len(reader.mistakes.entries)
    calls = _calls(reader, document.call, (*path, "call"))
    _check_kind(reader, document, path)
    tools = [reader.world.agent_tools[call.tool] for call in calls]
    for index, argument in enumerate(document.per):
        _check_argument(reader, tools, argument, (*path, "per", index))
    for argument in document.fails_for:
        _check_list(reader, tools, argument, (*path, "fails_for", argument))
    stale = _stale(reader, document.stale, start, (*path, "stale"))
    if len(reader.mistakes.entries) > before:
        return None
    return ToolFault(
        name,
        calls,
        document.occurrence,
        None if document.times == _ALWAYS else int(document.times),
        tuple(document.per),
        _error(document),
        document.executed,
        {argument: tuple(items) for argument, items in document.fails_for.items()},
        stale,
        document.partial,
        _note(document),
    )


def _error(document: models.FaultDocument) -> str | None:
    if document.timeout is not None:
        return f"TimeoutError: no answer within {document.timeout:g} s"
    return None if document.error is None else one_line(document.error)


def _note(document: models.FaultDocument) -> str:
    if document.note is not None:
        return document.note.strip()
    if document.partial is not None:
        return "Warning: the answer is incomplete; the connection was lost after {shown} of {all}."
    return ""


def _check_kind(reader: Reader, document: models.FaultDocument, path: Path) -> None:
    """Note faults that are of no kind or of several, and keys that do not fit the kind."""
    kinds = [kind for kind in _KINDS if getattr(document, kind) is not None]
    if len(kinds) != 1:
        text = f"expected one of {', '.join(_KINDS)}; found {join_words(kinds, 'and') or 'none'}"
        reader.mistakes.add(path, text, key=True)
        return
    is_error = kinds[0] in ("error", "timeout")
    if document.error is not None and not document.error.strip():
        reader.mistakes.expected((*path, "error"), "a text such as Busy: try again;", "")
    unfit = [key for key in _NEEDS_ERROR if getattr(document, key) and not is_error]
    unfit += [_NEEDS_ANSWER] if document.note is not None and is_error else []
    for key in unfit:
        needs = "stale or partial" if key == _NEEDS_ANSWER else "error or timeout"
        reader.mistakes.add((*path, key), f"{key} needs {needs}, not {kinds[0]}", key=True)
    if document.executed and document.fails_for:
        text = "executed and fails_for exclude each other: a call is executed for all or for some"
        reader.mistakes.add((*path, "executed"), text, key=True)


def _calls(reader: ExpectedReader, value: Any, path: Path) -> tuple[CallPattern, ...]:
    """Read the tool with the arguments that matter, or ``any_of`` with several."""
    if only_key(value) != "any_of":
        pattern = _pattern(reader, value, path)
        return (pattern,) if pattern else ()
    path, calls = (*path, "any_of"), value["any_of"]
    if not isinstance(calls, list) or not calls:
        reader.mistakes.expected(path, "a list of calls", calls)
        return ()
    return reader.mistakes.each(calls, path, lambda call, here: _pattern(reader, call, here))


def _pattern(reader: ExpectedReader, value: Any, path: Path) -> CallPattern | None:
    call = {value: None} if isinstance(value, str) else value
    if not isinstance(call, dict) or len(call) != 1:
        reader.mistakes.expected(path, "one tool with its arguments", value)
        return None
    ((name, written),) = call.items()
    here = (*path, name) if call is value else path
    tools = reader.world.agent_tools
    if name not in tools:
        text = reader.mistakes.unknown_text("tool", name, tools)
        if name in reader.world.user_tools:
            text = f"{name} is a tool of the user, whose calls meet no faults"
        reader.mistakes.add(here, text, key=here != path)
        return None
    arguments = reader.arguments(written, here)
    if arguments is None:
        return None
    tool = tools[name]
    known = reader.only_known(arguments, here, "argument", tool.parameters, f"of {name}")
    cells = {key: reader.argument(arguments[key], (*here, key), tool, key) for key in known}
    return CallPattern(name, {key: completed(cells[key], tool.parameters[key]) for key in cells})


def _check_argument(reader: Reader, tools: list[Tool], name: str, path: Path) -> bool:
    """Note an argument that one of the tools does not have, as a key or in a list."""
    for tool in tools:
        if name not in tool.parameters:
            known, owner = tool.parameters, f"of {tool.name}"
            text = reader.mistakes.unknown_text("argument", name, known, owner)
            reader.mistakes.add(path, text, key=path[-1] == name)
            return False
    return True


def _check_list(reader: Reader, tools: list[Tool], name: str, path: Path) -> None:
    if _check_argument(reader, tools, name, path):
        for tool in tools:
            if "array" not in allowed_types(tool.parameters[name].schema):
                text = f"{name!r} of {tool.name} is not a list; only items of a list can fail alone"
                reader.mistakes.add(path, text, key=True)


def _stale(reader: Reader, value: Any, start: State, path: Path) -> State | None:
    if value is None:
        return None
    if value == "start":
        return start
    if not isinstance(value, dict) or not value:
        reader.mistakes.expected(path, "start, or tables with their rows as in state", value)
        return None
    state = changed_tables(reader, start, value, path)
    try:
        return state if reader.mistakes.entries else reader.world.loaded(reader.now, state)
    except ValueError as error:
        reader.mistakes.add(path, str(error), key=True)
        return None
