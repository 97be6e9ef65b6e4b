"""Calls of the tools of the world ``phone``."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from pytest_toolsandbox.builtin.phone import world
from pytest_toolsandbox.worlds.context import Context
from pytest_toolsandbox.worlds.state import State, Table

PHONE = world.start(world.now)
"""The state of the phone at the start."""


def switched(**fields: Any) -> State:
    """Return the state at the start, with other settings."""
    (row,) = PHONE["setting"].rows
    return PHONE.with_table("setting", Table([row.changed(**fields)]))


def call(
    tool: str,
    /,
    *,
    state: State = PHONE,
    place: str = "call",
    now: datetime = world.now,
    **arguments: Any,
) -> tuple[Any, State]:
    """Call a tool as an agent does; return the result, and the state after it."""
    context = Context(state, now, place)
    return world.tools[tool].run(context, world.tools[tool].bind(arguments)), context.state


def error(tool: str, /, **options: Any) -> str:
    """Return the error of a call as an agent reads it, which is one line."""
    with pytest.raises(Exception) as caught:  # noqa: PT011  # its type is part of the text
        call(tool, **options)
    text = f"{caught.type.__name__}: {caught.value}"
    assert text.splitlines() == [text]
    return text
