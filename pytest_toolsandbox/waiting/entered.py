"""Asynchronous context managers, for code that is not asynchronous."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import Any, TypeVar

from .event_loop import OF_AGENTS

_Value = TypeVar("_Value")


@contextmanager
def entered(manager: AbstractAsyncContextManager[_Value]) -> Iterator[_Value]:
    """Enter on the event loop of agents, and leave in the same task at the end of the block.

    Task groups and cancel scopes, on which many clients are built, have to be left by the task
    that entered them.
    """
    inside: Future[tuple[_Value, asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    async def hold() -> None:
        async with manager as value:
            leave = asyncio.Event()
            inside.set_result((value, asyncio.get_running_loop(), leave))
            await leave.wait()

    held = OF_AGENTS.start(hold())
    both: list[Future[Any]] = [held, inside]
    wait(both, return_when=FIRST_COMPLETED)
    if not inside.done():
        _raise(held.result()[1])
    value, loop, leave = inside.result()
    try:
        yield value
    finally:
        loop.call_soon_threadsafe(leave.set)
        _raise(held.result()[1])


def _raise(error: BaseException | None) -> None:
    if error is not None:
        raise error
