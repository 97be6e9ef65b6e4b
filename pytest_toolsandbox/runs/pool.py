"""A thread pool with priorities; the process does not wait for its threads."""

from __future__ import annotations

import contextvars
import heapq
import itertools
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

_Result = TypeVar("_Result")
URGENT = float("-inf")
"""The rank of a call whose result is needed at once."""


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
        self._is_closed = False

    def submit(self, function: Callable[[], _Result], rank: float = 0.0) -> Future[_Result]:
        """Call a function on a thread, in the caller's context; a closed pool cancels the call."""
        outcome: Future[_Result] = Future()
        # A new thread starts with an empty context, without the settings of the run.
        context = contextvars.copy_context()

        def call() -> None:
            _fulfil(outcome, lambda: context.run(function))

        with self._changed:
            if self._is_closed:
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
            self._is_closed = True
            self._waiting.clear()
            self._changed.notify_all()

    def _work(self) -> None:
        while (call := self._next()) is not None:
            call()
            del call  # else an agent lives until the next call

    def _next(self) -> Callable[[], None] | None:
        with self._changed:
            self._idle += 1
            while not self._waiting and not self._is_closed:
                self._changed.wait()
            self._idle -= 1
            return None if self._is_closed else heapq.heappop(self._waiting)[2]


def _fulfil(outcome: Future[Any], function: Callable[[], Any]) -> None:
    # A cancelled future must not be set, which raises ``InvalidStateError``.
    if not outcome.set_running_or_notify_cancel():
        return
    try:
        outcome.set_result(function())
    except BaseException as error:  # noqa: BLE001  # raised again where it is waited for
        outcome.set_exception(error)
