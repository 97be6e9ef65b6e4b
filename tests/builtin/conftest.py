from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

import pytest

from pytest_toolsandbox.builtin.phone import world
from pytest_toolsandbox.worlds.context import Context
from pytest_toolsandbox.worlds.state import State, Table

START = world.start(world.now)


@pytest.fixture
def phone() -> State:
    """The state of the phone at the start."""
    return START


@pytest.fixture
def switched() -> Callable[..., State]:
    """A function: the state of the phone at the start, with other settings."""

    def switch(**fields: Any) -> State:
        (row,) = START["setting"].rows
        return START.with_table("setting", Table([row.changed(**fields)]))

    return switch


@pytest.fixture
def call() -> Callable[..., tuple[Any, State]]:
    """A function: call a tool of the phone as an agent does; the result, and the state after."""
    return _call


@pytest.fixture
def error() -> Callable[..., str]:
    """A function: the error of a call as an agent reads it, which is one line."""

    def fail(tool: str, /, **options: Any) -> str:
        with pytest.raises(Exception) as caught:  # noqa: PT011  # its type is part of the text
            _call(tool, **options)
        text = f"{caught.type.__name__}: {caught.value}"
        assert text.splitlines() == [text]
        return text

    return fail


def _call(
    tool: str,
    /,
    *,
    state: State = START,
    place: str = "call",
    now: datetime = world.now,
    **arguments: Any,
) -> tuple[Any, State]:
    context = Context(state, now, place)
    bound: Mapping[str, Any] = world.tools[tool].bind(arguments)
    return world.tools[tool].run(context, bound), context.state
