"""Event loops on threads of their own: one for all asynchronous agents, one for tools.

A client that keeps its connections, such as openai's ``AsyncOpenAI``, belongs to the loop in which
it is first used. A session can share one client because it has one loop.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Coroutine, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, InvalidStateError, wait
from contextlib import AbstractAsyncContextManager, contextmanager, suppress
from typing import Any, Final, TypeVar

from .time_limit import OutOfTime

_Result = TypeVar("_Result")
Outcome = tuple[Any, BaseException | None]
"""What a coroutine returned, or what it raised."""

_FREE_AGAIN = 1.0
"""Seconds in which a loop must answer after a slow coroutine was cancelled."""


class _LoopThread:
    """A loop on a daemon thread, which runs until the process ends."""

    def __init__(self, name: str) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True, name=name)
        self.thread.start()

    def is_blocked(self) -> bool:
        free = threading.Event()
        self.loop.call_soon_threadsafe(free.set)
        return not free.wait(_FREE_AGAIN)


class EventLoop:
    """A loop that starts at its first use; ``whose`` names it in errors."""

    def __init__(self, whose: str) -> None:
        self.whose = whose
        self._running: _LoopThread | None = None
        self._starting = threading.Lock()

    def run(self, awaitable: Awaitable[_Result], timeout: float | None = None) -> _Result:
        """Run a coroutine in the caller's context. Raises what it raises, and ``OutOfTime``."""
        future = self.start(awaitable)
        try:
            result, error = future.result(timeout)
        except TimeoutError:
            future.cancel()
            self.leave_if_blocked()
            raise OutOfTime from None
        finally:
            future.cancel()
        if error is not None:
            raise error
        return result  # type: ignore[no-any-return]

    def start(self, awaitable: Awaitable[_Result]) -> Future[Outcome]:
        """Start a coroutine in the caller's context, and return the future of its outcome."""
        running = self._started()
        # Waiting here for the own loop would be a deadlock.
        if threading.current_thread() is running.thread:
            # Else Python warns that the coroutine was never awaited.
            if isinstance(awaitable, Coroutine):
                awaitable.close()
            raise RuntimeError(f"this runs on the {self.whose}' event loop already; await it there")
        outcome: Future[Outcome] = Future()
        running.loop.call_soon_threadsafe(_begin, awaitable, outcome)
        return outcome

    def leave_if_blocked(self) -> None:
        """Abandon the loop if a coroutine blocks it, as one that waits without ``await`` does."""
        running = self._running
        if running is not None and running.is_blocked():
            self._running = None

    def _started(self) -> _LoopThread:
        with self._starting:
            if self._running is None or not self._running.thread.is_alive():  # after a fork
                self._running = _LoopThread(f"{self.whose}' loop")
            return self._running


OF_AGENTS: Final = EventLoop("agents")
OF_TOOLS: Final = EventLoop("tools")
"""Tools have a loop of their own: an agent may block its loop while it waits for a tool."""


def run_coroutine(awaitable: Awaitable[_Result], timeout: float | None = None) -> _Result:
    """Run a coroutine as :meth:`EventLoop.run` does, on the event loop of asynchronous agents.

    With it a fixture opens and closes what its agent uses: ``run_coroutine(client.close())``.
    """
    return OF_AGENTS.run(awaitable, timeout)


def _begin(awaitable: Awaitable[Any], outcome: Future[Outcome]) -> None:
    """Start a task on this loop, and cancel it when its outcome is cancelled.

    This is ``asyncio.run_coroutine_threadsafe`` without the two futures that it chains, which take
    more time than the rest of a call.
    """
    loop = asyncio.get_running_loop()
    # The loop runs this callback in the caller's context, which the task copies.
    task = loop.create_task(_fulfil(awaitable, outcome))

    def follow(done: Future[Outcome]) -> None:
        if done.cancelled():
            loop.call_soon_threadsafe(task.cancel)

    outcome.add_done_callback(follow)


async def _fulfil(awaitable: Awaitable[Any], outcome: Future[Outcome]) -> None:
    """Catch everything: ``SystemExit`` and ``KeyboardInterrupt`` would end the loop's thread."""
    result: Outcome
    try:
        result = await awaitable, None
    except BaseException as error:  # noqa: BLE001  # the caller raises it again
        result = None, error
    with suppress(InvalidStateError):  # if it was cancelled
        outcome.set_result(result)


_Value = TypeVar("_Value")


@contextmanager
def entered(manager: AbstractAsyncContextManager[_Value]) -> Iterator[_Value]:
    """Enter an asynchronous context manager on the loop of agents, from synchronous code.

    The task that entered it also leaves it: task groups and cancel scopes, on which many clients
    are built, require this.
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
