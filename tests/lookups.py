"""Calls of tools that only look something up."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_toolsandbox import World
from pytest_toolsandbox.worlds.context import Context


def call_in(world: World, tool: str, /, **arguments: Any) -> Any:
    """Return the result of a call as an agent makes it; JSON can carry it."""
    called = world.tools[tool]
    context = Context(world.start(world.now), world.now, "call")
    result = called.run(context, called.bind(arguments))
    json.dumps(result, allow_nan=False)
    return result


def error_in(world: World, tool: str, /, **arguments: Any) -> str:
    """Return the text of a call that fails, one line for the agent."""
    with pytest.raises(Exception) as caught:  # noqa: PT011  # its type is part of the text
        call_in(world, tool, **arguments)
    text = f"{caught.type.__name__}: {caught.value}"
    assert text.splitlines() == [text]
    return text
