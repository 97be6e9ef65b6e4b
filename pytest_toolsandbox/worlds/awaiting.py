"""Waits for tools that are ``async``."""

from __future__ import annotations

import inspect
from typing import Any


def finished(result: Any) -> Any:
    """Return the result of a function, which is awaited where it is ``async``.

    It runs on a thread and an event loop of its own: there may be a loop that runs on this thread.
    """
    if not inspect.isawaitable(result):
        return result
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    async def awaited() -> Any:
        try:
            return await result
        except asyncio.CancelledError as error:  # else it would end the run, as Ctrl-C does
            raise RuntimeError("the coroutine was cancelled") from error

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, awaited()).result()
