"""Tools that are awaited: on one loop, which is not that of agents."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from pytest_toolsandbox.concurrency.event_loop import run_coroutine
from pytest_toolsandbox.worlds.context import Context, WorldError
from pytest_toolsandbox.worlds.state import State
from pytest_toolsandbox.worlds.tool import Tool

WORLD = Context(State({}), datetime(2025, 1, 1, tzinfo=UTC))
loops: list[asyncio.AbstractEventLoop] = []


async def look() -> None:
    """Look."""
    loops.append(asyncio.get_running_loop())


async def give_up() -> None:
    """Give up."""
    raise asyncio.CancelledError


def test_tools_share_a_loop_on_which_a_client_lives() -> None:
    loops.clear()
    for _ in range(3):
        Tool(look).run(WORLD, {})
    assert len(set(loops)) == 1


def test_a_tool_is_awaited_while_an_agent_holds_the_loop_of_agents() -> None:
    loops.clear()

    async def agent() -> None:
        loops.append(asyncio.get_running_loop())
        Tool(look).run(WORLD, {})

    run_coroutine(agent(), timeout=20)
    assert len(set(loops)) == 2


def test_a_tool_that_is_cancelled_does_not_end_the_run() -> None:
    with pytest.raises(WorldError, match="the coroutine was cancelled"):
        Tool(give_up).run(WORLD, {})
