"""Reads calls that are expected: tools with the arguments that matter, and alternatives."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from pytest_toolsandbox.language.constraints import CallPattern
from pytest_toolsandbox.language.mistakes import Path
from pytest_toolsandbox.language.roles import Party
from pytest_toolsandbox.matchers.registry import only_key
from pytest_toolsandbox.text.formatting import quote
from pytest_toolsandbox.text.nearest_name import SURELY, nearest_name
from pytest_toolsandbox.worlds.tool import Tool
from pytest_toolsandbox.worlds.world import World

from .events import ExpectedReader, completed


def callable_tools(world: World, by: Party) -> Mapping[str, Tool]:
    """Return the tools that a party may call."""
    return {
        **(world.agent_tools if by != "user" else {}),
        **(world.user_tools if by != "agent" else {}),
    }


def read_patterns(
    reader: ExpectedReader, value: Any, path: Path, tools: Mapping[str, Tool], *, invented: bool
) -> tuple[CallPattern, ...]:
    """Read the alternatives of a call; if ``invented``, its tools need not exist."""
    read = partial(_pattern, reader, tools, invented=invented)
    if only_key(value) != "any_of":
        pattern = read(value, path)
        if pattern and invented:
            _check_spelling(reader, tools, pattern.tool, path)
        return (pattern,) if pattern else ()
    path, calls = (*path, "any_of"), value["any_of"]
    if not isinstance(calls, list) or not calls:
        reader.mistakes.expected(path, "a list of calls", calls)
        return ()
    return reader.mistakes.each(calls, path, read)


def _check_spelling(
    reader: ExpectedReader, known: Mapping[str, Tool], name: str, path: Path
) -> None:
    """Note an unknown tool whose name is so near to a known one that it is probably misspelt."""
    nearest = None if name in known else nearest_name(name, known, SURELY)
    if nearest:
        text = f"unknown tool {quote(name)}; did you mean {nearest!r}? If not, name both in any_of"
        reader.mistakes.add(path, text)


def _pattern(
    reader: ExpectedReader, tools: Mapping[str, Tool], value: Any, path: Path, *, invented: bool
) -> CallPattern | None:
    call = {value: None} if isinstance(value, str) else value
    if not isinstance(call, dict) or len(call) != 1:
        reader.mistakes.expected(path, "one tool with its arguments", value)
        return None
    (name,) = call
    here = (*path, name) if call is value else path
    arguments = reader.arguments(call[name], here)
    if arguments is None:
        return None
    if name not in tools:
        if not invented:
            text = reader.mistakes.unknown_text("tool", name, tools)
            if name in reader.world.user_tools:
                text = f"{name} is a tool of the user; write by: user"
            reader.mistakes.add(here, text, key=here != path)
        cells = {key: reader.expected(item, (*here, key)) for key, item in arguments.items()}
        return CallPattern(name, cells)
    tool = tools[name]
    known = reader.only_known(arguments, here, "argument", tool.parameters, f"of {name}")
    cells = {key: reader.argument(arguments[key], (*here, key), tool, key) for key in known}
    if invented:  # the arguments are then those that the agent gave
        return CallPattern(name, cells)
    return CallPattern(name, {key: completed(cells[key], tool.parameters[key]) for key in cells})
