"""One event loop for all asynchronous agents of a process, on a thread of its own.

A client that keeps its connections, such as openai's ``AsyncOpenAI``, belongs to the loop in which
it is first used. It can be made once for a whole session because this loop is never another one.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Coroutine
from typing import Any, TypeVar

from .time_limit import OutOfTime

_Result = TypeVar("_Result")

_FREE_AGAIN = 1.0
"""Seconds in which a loop must answer after what was too slow has been cancelled."""


class _LoopThread:
    """A loop that runs until the process ends, which does not wait for it."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True, name="agent loop")
        self.thread.start()

    def is_blocked(self) -> bool:
        free = threading.Event()
        self.loop.call_soon_threadsafe(free.set)
        return not free.wait(_FREE_AGAIN)


_running: _LoopThread | None = None
_starting = threading.Lock()


def run_coroutine(awaitable: Awaitable[_Result], timeout: float | None = None) -> _Result:
    """Run a coroutine on the event loop of asynchronous agents, and return its result.

    With it a fixture opens and closes what its agent uses: ``run_coroutine(client.close())``.
    ``timeout`` is in seconds. The coroutine has the caller's context variables. It raises what the
    coroutine raises.
    """
    global _running  # noqa: PLW0603  # one for the process
    with _starting:
        if _running is None or not _running.thread.is_alive():  # the latter after a fork
            _running = _LoopThread()
        own = _running
    if threading.current_thread() is own.thread:
        if isinstance(awaitable, Coroutine):
            awaitable.close()
        raise RuntimeError("this runs on the agents' event loop already; await it there")
    future = asyncio.run_coroutine_threadsafe(_outcome(awaitable), own.loop)
    try:
        result, error = future.result(timeout)
    except TimeoutError:
        future.cancel()
        if own.is_blocked():  # by a coroutine that waits without awaiting: leave both behind
            _running = None
        raise OutOfTime from None
    finally:
        future.cancel()
    if error is not None:
        raise error
    return result  # type: ignore[no-any-return]


async def _outcome(awaitable: Awaitable[Any]) -> tuple[Any, BaseException | None]:
    """Catch everything: ``SystemExit`` and ``KeyboardInterrupt`` would end the loop's thread."""
    try:
        return await awaitable, None
    except BaseException as error:  # noqa: BLE001  # raised again where the result is awaited
        return None, error
