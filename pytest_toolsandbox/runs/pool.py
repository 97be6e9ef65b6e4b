"""A thread pool with priorities, and a future; a signal that interrupts their user breaks neither.

Python runs signal handlers on the main thread, between any two instructions, and those of Ctrl-C
and of pytest-timeout raise an exception there. ``with`` on a ``threading.Condition``, and so on a
``Future``, is a function in Python: an exception at its end leaves the lock taken, and all threads
wait forever. So the main thread takes no lock here: it calls a ``queue.SimpleQueue``, whose methods
are C functions that a signal cannot interrupt halfway. Threads of the pool do the rest.
"""

from __future__ import annotations

import _thread
import contextvars
import heapq
import itertools
import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Generic, TypeVar

_Result = TypeVar("_Result")
_Call = Callable[[], object]
URGENT = float("-inf")
"""The rank of a call whose result is needed at once."""


class LocklessFuture(Generic[_Result]):
    """A result for which one thread waits."""

    def __init__(self) -> None:
        self._outcome: tuple[_Result, None] | tuple[None, BaseException] | None = None
        self._wake: queue.SimpleQueue[None] = queue.SimpleQueue()

    def done(self) -> bool:
        """Return whether there is a result or an error."""
        return self._outcome is not None

    def result(self, timeout: float | None = None) -> _Result:
        """Wait for the result. Raises the error instead, and ``TimeoutError``."""
        if self._outcome is None:
            with suppress(queue.Empty):
                self._wake.get(timeout=timeout)
        if self._outcome is None:
            raise TimeoutError
        result, error = self._outcome
        if error is not None:
            raise error
        return result  # type: ignore[return-value]  # mypy does not know that there is no error

    def set_result(self, result: _Result) -> None:
        """Set the result, and wake the waiting thread."""
        self._outcome = result, None
        self._wake.put(None)

    def set_exception(self, error: BaseException) -> None:
        """Set the error, and wake the waiting thread."""
        self._outcome = None, error
        self._wake.put(None)


class Pool:
    """Executes calls of the lowest rank first, and calls of equal rank in order.

    Its threads are daemons: Python waits at its end for the threads of ``ThreadPoolExecutor``, even
    if an agent never answers.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._submitted: queue.SimpleQueue[tuple[float, int, _Call] | None] = queue.SimpleQueue()
        self._numbers = itertools.count()
        self._waiting: list[tuple[float, int, _Call]] = []
        self._changed = threading.Condition()
        """Taken by threads of the pool alone."""
        self._threads = self._idle = 0
        self._is_closed = False
        # ``Thread.start`` would take locks on this thread.
        _thread.start_new_thread(self._distribute, ())

    def submit(self, function: _Call, rank: float = 0.0) -> None:
        """Call a function on a thread, in the caller's context; a closed pool drops the call.

        The function must not raise. Whether it was submitted is unknown after an exception of a
        signal handler.
        """
        # A new thread starts with an empty context, without the settings of the run.
        call = partial(contextvars.copy_context().run, function)
        # The number keeps the order within a rank, and prevents the comparison of functions.
        self._submitted.put((rank, next(self._numbers), call))

    @property
    def busy(self) -> int:
        """The number of threads at work; all of them, once the pool is closed."""
        return self._threads - self._idle

    def close(self) -> None:
        """Drop the waiting calls, and abandon the running ones."""
        self._is_closed = True
        self._submitted.put(None)

    def _distribute(self) -> None:
        """Give the submitted calls to the threads that work, on a thread of its own."""
        while (entry := self._submitted.get()) is not None:
            with self._changed:
                heapq.heappush(self._waiting, entry)
                # Threads start on demand: most runs have fewer conversations than the limit.
                if self._idle < len(self._waiting) and self._threads < self._limit:
                    self._start_thread()
                self._changed.notify()
                # The system gives this process no thread, so the call is made here.
                call = None if self._threads else self._first()
            if call is not None:
                call()
            del entry, call  # else an agent lives until the next call
        with self._changed:
            self._waiting.clear()
            self._changed.notify_all()

    def _start_thread(self) -> None:
        name = f"conversation {self._threads + 1}"
        with suppress(RuntimeError):  # the system's limit: the threads that there are do the work
            threading.Thread(target=self._work, daemon=True, name=name).start()
            self._threads += 1

    def _work(self) -> None:
        while (call := self._next()) is not None:
            call()
            del call  # else an agent lives until the next call

    def _next(self) -> _Call | None:
        with self._changed:
            self._idle += 1
            while not self._waiting and not self._is_closed:
                self._changed.wait()
            self._idle -= 1
            return self._first()

    def _first(self) -> _Call | None:
        return None if self._is_closed else heapq.heappop(self._waiting)[2]
