"""Threads that work off calls, so many at a time. The process does not wait for them."""

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
"""The rank of a call that somebody waits for."""


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
        self._is_closed = False

    def submit(self, function: Callable[[], _Result], rank: float = 0.0) -> Future[_Result]:
        """Let a thread call a function in the caller's context; one that is closed never does."""
        outcome: Future[_Result] = Future()
        context = contextvars.copy_context()

        def call() -> None:
            _fulfil(outcome, lambda: context.run(function))

        with self._changed:
            if self._is_closed:
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
        """How many threads are at work."""
        return self._threads - self._idle

    def close(self) -> None:
        """Drop what waits, and leave what is being called behind."""
        with self._changed:
            self._is_closed = True
            self._waiting.clear()
            self._changed.notify_all()

    def _work(self) -> None:
        while (call := self._next()) is not None:
            call()
            del call  # it holds an agent

    def _next(self) -> Callable[[], None] | None:
        with self._changed:
            self._idle += 1
            while not self._waiting and not self._is_closed:
                self._changed.wait()
            self._idle -= 1
            return None if self._is_closed else heapq.heappop(self._waiting)[2]


def _fulfil(outcome: Future[Any], function: Callable[[], Any]) -> None:
    if not outcome.set_running_or_notify_cancel():
        return
    try:
        outcome.set_result(function())
    except BaseException as error:  # noqa: BLE001  # raised again where it is waited for
        outcome.set_exception(error)
