"""Threads that work off calls, so many at a time. The process does not wait for them."""

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
"""The rank of a call that somebody waits for."""
_SOON: Final = 1.0
"""The most seconds that are waited for calls that are soon over."""


class Pool:
    """Works off calls of the lowest rank first, and of one rank in the order they came in.

    Its threads are daemons: those of ``ThreadPoolExecutor`` are waited for when Python ends, also
    where an agent never answers.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._waiting: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = itertools.count()
        self._changed = threading.Condition()
        self._threads = self._idle = 0
        self._closed: Future[None] = Future()
        self._ending: set[int] = set()
        """The threads whose calls are soon over."""

    def submit(self, function: Callable[[], _Result], rank: float = 0.0) -> Future[_Result]:
        """Let a thread call a function in the caller's context; one that is closed never does."""
        outcome: Future[_Result] = Future()
        context = contextvars.copy_context()
        context.run(_POOL.set, self)

        def call() -> None:
            _fulfil(outcome, lambda: context.run(function))

        with self._changed:
            if self._closed.done():
                outcome.cancel()
                return outcome
            heapq.heappush(self._waiting, (rank, next(self._numbers), call))
            if self._idle < len(self._waiting) and self._threads < self.limit:
                self._threads += 1
                name = f"conversation {self._threads}"
                threading.Thread(target=self._work, daemon=True, name=name).start()
            self._changed.notify()
        return outcome

    @property
    def busy(self) -> int:
        """How many threads are at work; once it is closed all, for they may leave others behind."""
        return self._threads - self._idle

    def call_while_open(self, function: Callable[[], _Result]) -> _Result:
        """Do on a thread of this pool what :func:`while_open` says."""
        worker = free_worker()
        outcome: Future[_Result] = worker.submit(function)
        either: tuple[Future[Any], ...] = (outcome, self._closed)
        wait(either, return_when=FIRST_COMPLETED)
        worker.leave(outcome)
        if not outcome.done():
            raise KeyboardInterrupt
        return outcome.result()

    def ending(self) -> None:
        """Do on a thread of this pool what :func:`soon_over` says."""
        self._ending.add(threading.get_ident())

    def close(self) -> None:
        """Drop what waits, and leave what is being called behind."""
        with self._changed:
            if not self._closed.done():
                self._closed.set_result(None)
            self._waiting.clear()
            self._changed.notify_all()

    def settle(self) -> None:
        """Wait for the calls that are soon over, once it is closed."""
        with self._changed:
            self._changed.wait_for(lambda: not self._ending, _SOON)

    def _work(self) -> None:
        while (call := self._next()) is not None:
            call()
            del call  # it holds an agent

    def _next(self) -> Callable[[], None] | None:
        with self._changed:
            self._ending.discard(threading.get_ident())
            if self._closed.done():
                self._changed.notify_all()  # whoever waits for that
            self._idle += 1
            while not self._waiting and not self._closed.done():
                self._changed.wait()
            self._idle -= 1
            return None if self._closed.done() else heapq.heappop(self._waiting)[2]


def while_open(function: Callable[[], _Result]) -> _Result:
    """Return what a function returns, which a thread of a pool leaves behind once that is closed.

    It raises ``KeyboardInterrupt`` then, as Ctrl-C does on the main thread.
    """
    pool = _POOL.get()
    return pool.call_while_open(function) if pool else function()


def soon_over() -> None:
    """Let what closes a pool wait for this call of its, which is soon over."""
    if pool := _POOL.get():
        pool.ending()


def _fulfil(outcome: Future[Any], function: Callable[[], Any]) -> None:
    if not outcome.set_running_or_notify_cancel():
        return
    try:
        outcome.set_result(function())
    except BaseException as error:  # noqa: BLE001  # raised again where it is waited for
        outcome.set_exception(error)
