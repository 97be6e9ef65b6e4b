"""Reads ``holds:``, questions to the world and what they return."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pytest_toolsandbox.language.constraints import HoldsConstraint
from pytest_toolsandbox.language.mistakes import Path

from .base_reader import argument_problems
from .events import ExpectedReader

RETURNS = "returns"
_QUESTION = "a tool with its arguments, and maybe returns"


def read_holds(reader: ExpectedReader, value: Any, path: Path) -> list[HoldsConstraint]:
    """Return the questions of a list, or the only one."""
    if not isinstance(value, list):
        return list(_question(reader, value, path))
    if not value:
        reader.mistakes.expected(path, f"{_QUESTION}, or a list of those;", value)
    return [
        question
        for index, item in enumerate(value)
        for question in _question(reader, item, (*path, index))
    ]


def _question(reader: ExpectedReader, value: Any, path: Path) -> Iterator[HoldsConstraint]:
    written = {value: None} if isinstance(value, str) else value
    names = [name for name in written if name != RETURNS] if isinstance(written, dict) else []
    if len(names) != 1:
        reader.mistakes.expected(path, f"{_QUESTION};", value)
        return
    (name,) = names
    here = path if written is not value else (*path, name)
    arguments = reader.arguments(written[name], here)
    expected = reader.expected(written.get(RETURNS, True), (*path, RETURNS))
    if arguments is None:
        return
    known = reader.world.callable_tools
    if name not in known:
        text = reader.mistakes.unknown_text("tool", name, known)
        reader.mistakes.add(here, text, key=True)
        return
    tool = known[name]
    if tool.action:
        text = f"{name} changes the world; a question must leave the world as it is"
        reader.mistakes.add(here, text, key=True)
        return
    values = {
        key: reader.literal(arguments[key], (*here, key))
        for key in reader.only_known(arguments, here, "argument", tool.parameters, f"of {name}")
    }
    for key, argument in values.items():
        for wrong in argument_problems(argument, tool, key):
            reader.mistakes.add((*here, key, *wrong.path), wrong.text, key=wrong.key)
    for key, parameter in tool.parameters.items():
        if parameter.required and key not in arguments:
            reader.mistakes.add(here, f"the argument {key!r} is missing", key=True)
    yield HoldsConstraint(f"holds {_in_words(name, values)}", name, values, expected)


def _in_words(name: str, arguments: dict[str, Any]) -> str:
    return f"{name}({', '.join(f'{key}={value!r}' for key, value in arguments.items())})"
