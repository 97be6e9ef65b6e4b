"""Tool calls: their arguments, which are JSON written by a model, and scrambled names."""

from __future__ import annotations

import json
import marshal
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from pytest_toolsandbox.worlds.json_values import read_json
from pytest_toolsandbox.worlds.tool_view import ToolView

MAX_DEPTH = 50
"""How deep arguments may be nested: far deeper ones exhaust Python's stack."""
_SHORT: Final = 1000
"""Characters of arguments up to which the parsed value is cached."""


def read_arguments(text: str) -> dict[str, Any]:
    """Return the arguments of a call; blanks and ``null`` mean no arguments.

    Raises ``ValueError`` or ``TypeError``, with one line for the model, if the text is not the JSON
    of an object with finite numbers and whole characters, nested no deeper than ``MAX_DEPTH``.
    """
    return _read(text) if len(text) > _SHORT else marshal.loads(_packed(text))  # noqa: S302  # our own


@lru_cache(1024)
def _packed(text: str) -> bytes:
    """Return packed arguments, from which each caller gets its own copy."""
    return marshal.dumps(_read(text))


def _read(text: str) -> dict[str, Any]:
    try:
        arguments = read_json(text if text.strip() else "{}")
    except RecursionError:
        raise ValueError("the arguments are no JSON: nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"the arguments are no JSON: {error}") from None
    if arguments is None:  # models and servers write it for tools without parameters
        return {}
    if not isinstance(arguments, dict):
        raise TypeError("the arguments are no JSON object")
    if _is_deeper(arguments, MAX_DEPTH):
        raise ValueError(f"the arguments are no JSON: nested deeper than {MAX_DEPTH} levels")
    try:  # a lone surrogate cannot be written to a file
        json.dumps(arguments, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        text = "the arguments are no JSON: a \\u escape is half of a character"
        raise ValueError(text) from None
    return arguments


def readable_arguments(text: str) -> dict[str, Any] | None:
    """Return the arguments of a call, ``None`` if they cannot be read."""
    try:
        return read_arguments(text)
    except (ValueError, TypeError):
        return None


def _is_deeper(value: Any, levels: int) -> bool:
    if not isinstance(value, (dict, list)):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(_is_deeper(item, levels - 1) for item in inner)


@dataclass(frozen=True)
class ToolCall:
    """A call as the agent requested it: ``arguments`` is the text that should be a JSON object.

    Name and arguments are in the world's terms. If names are scrambled, ``written_name`` and
    ``written_arguments`` are what the agent wrote.
    """

    identifier: str
    name: str
    arguments: str
    written_name: str | None = field(default=None, compare=False)
    written_arguments: str | None = field(default=None, compare=False)

    @property
    def written(self) -> tuple[str, str]:
        """Name and arguments in the terms of the agent that made the call."""
        if self.written_name is None or self.written_arguments is None:
            return self.name, self.arguments
        return self.written_name, self.written_arguments


@dataclass(frozen=True)
class ToolTrace:
    """A call that was executed without error, with its defaults and its result.

    ``reads`` are the tables that the tool has read, if they are known.
    """

    tool_name: str
    arguments: Mapping[str, Any]
    result: Any
    reads: tuple[str, ...] | None = field(default=None, compare=False)


def to_world_names(call: ToolCall, shown: Mapping[str, ToolView]) -> ToolCall:
    """Return a call in the world's terms, with what the agent wrote if that differs."""
    tool = shown.get(call.name)
    if tool is None:
        return call
    names, arguments = tool.world_names, call.arguments
    are_scrambled = any(shown != world_name for shown, world_name in names.items())
    if are_scrambled and (values := readable_arguments(arguments)) is not None:
        arguments = _as_json({names.get(name, name): value for name, value in values.items()})
    if (tool.tool.name, arguments) == (call.name, call.arguments):
        return call
    return ToolCall(call.identifier, tool.tool.name, arguments, call.name, call.arguments)


def to_agent_names(call: ToolCall, shown: Mapping[str, ToolView]) -> ToolCall:
    """Return a call in the world's terms, with how an agent that knows other names writes it."""
    view = next((view for view in shown.values() if view.tool.name == call.name), None)
    if view is None:
        return call
    arguments: dict[str, Any] = json.loads(call.arguments)
    renamed = {view.argument_names.get(name, name): value for name, value in arguments.items()}
    if (view.name, renamed) == (call.name, arguments):
        return call
    return ToolCall(call.identifier, call.name, call.arguments, view.name, _as_json(renamed))


def _as_json(arguments: Mapping[str, Any]) -> str:
    return json.dumps(arguments, ensure_ascii=False)
