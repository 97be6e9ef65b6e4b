"""A thread pool with priorities; the process does not wait for its threads."""

from __future__ import annotations

import contextvars
import heapq
import itertools
import threading
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextvars import ContextVar
from typing import Any, Final, TypeVar

from pytest_toolsandbox.concurrency.time_limit import free_worker

_Result = TypeVar("_Result")
_POOL: Final = ContextVar["Pool | None"]("pool", default=None)
URGENT = float("-inf")
"""The rank of a call whose result is needed at once."""
_SOON: Final = 1.0
"""The time limit, in seconds, for calls that are about to end."""


class Pool:
    """Executes calls of the lowest rank first, and calls of equal rank in order.

    Its threads are daemons: Python waits at its end for the threads of ``ThreadPoolExecutor``, even
    if an agent never answers.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._waiting: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = itertools.count()
        self._changed = threading.Condition()
        self._threads = self._idle = 0
        self.closed: Future[None] = Future()
        self.ending: set[int] = set()
        """The threads whose calls are about to end."""

    def submit(self, function: Callable[[], _Result], rank: float = 0.0) -> Future[_Result]:
        """Call a function on a thread, in the caller's context; a closed pool cancels the call."""
        outcome: Future[_Result] = Future()
        # A new thread starts with an empty context, without the settings of the run.
        context = contextvars.copy_context()
        context.run(_POOL.set, self)

        def call() -> None:
            _fulfil(outcome, lambda: context.run(function))

        with self._changed:
            if self.closed.done():
                outcome.cancel()
                return outcome
            # The number keeps the order within a rank, and prevents the comparison of functions.
            heapq.heappush(self._waiting, (rank, next(self._numbers), call))
            # Threads start on demand: most runs have fewer conversations than the limit.
            if self._idle < len(self._waiting) and self._threads < self.limit:
                self._threads += 1
                name = f"conversation {self._threads}"
                threading.Thread(target=self._work, daemon=True, name=name).start()
            self._changed.notify()
        return outcome

    @property
    def busy(self) -> int:
        """The number of threads at work; all of them, once the pool is closed."""
        return self._threads - self._idle

    def close(self) -> None:
        """Drop the waiting calls, and abandon the running ones."""
        with self._changed:
            if not self.closed.done():
                self.closed.set_result(None)
            self._waiting.clear()
            self._changed.notify_all()

    def settle(self) -> None:
        """Wait for the calls that are about to end, after the pool is closed."""
        with self._changed:
            self._changed.wait_for(lambda: not self.ending, _SOON)

    def _work(self) -> None:
        while (call := self._next()) is not None:
            call()
            del call  # else an agent lives until the next call

    def _next(self) -> Callable[[], None] | None:
        with self._changed:
            self.ending.discard(threading.get_ident())
            if self.closed.done():
                self._changed.notify_all()  # settle() waits for this
            self._idle += 1
            while not self._waiting and not self.closed.done():
                self._changed.wait()
            self._idle -= 1
            return None if self.closed.done() else heapq.heappop(self._waiting)[2]


def while_open(function: Callable[[], _Result]) -> _Result:
    """Return the result of a function, which is abandoned if the pool of this thread is closed.

    Then it raises ``KeyboardInterrupt``, as Ctrl-C does on the main thread.
    """
    pool = _POOL.get()
    if pool is None:
        return function()
    # The function runs on another thread, which can be abandoned while this one goes on.
    worker = free_worker()
    outcome: Future[_Result] = worker.submit(function)
    either: tuple[Future[Any], ...] = (outcome, pool.closed)
    wait(either, return_when=FIRST_COMPLETED)
    worker.leave(outcome)
    if not outcome.done():
        raise KeyboardInterrupt
    return outcome.result()


def soon_over() -> None:
    """Make the pool wait, when it is closed, for the current call, which is about to end."""
    if pool := _POOL.get():
        pool.ending.add(threading.get_ident())


def _fulfil(outcome: Future[Any], function: Callable[[], Any]) -> None:
    # A cancelled future must not be set, which raises ``InvalidStateError``.
    if not outcome.set_running_or_notify_cancel():
        return
    try:
        outcome.set_result(function())
    except BaseException as error:  # noqa: BLE001  # raised again where it is waited for
        outcome.set_exception(error)
