"""Calls within a time limit that are all made on one thread, to which objects may belong."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

from .time_limit import OutOfTime, Worker, call_in_time, counting_down, free_worker, has_alarm


class OwnThread:
    """Makes calls on the main thread, where an alarm interrupts them, or else on a worker thread.

    A connection of sqlite3 can be used on no other thread than the one that opened it. All who use
    the thread leave it in the end.
    """

    def __init__(self) -> None:
        self._worker: Worker | None = None if has_alarm() else free_worker()
        self._users = 1
        self._is_abandoned = False

    def call(self, function: Callable[[], Any], seconds: float | None) -> Any:
        """Return the result of a function. Raises :class:`OutOfTime`, after which it is unusable.

        A call that is late on a worker thread runs on there, and nobody waits for it.
        """
        if self._worker is None:
            return call_in_time(function, seconds) if has_alarm() else function()
        if self._is_abandoned:
            raise OutOfTime
        with counting_down(seconds) as countdown:
            outcome = self._worker.submit(function)
            # The countdown may be paused meanwhile, so look again after each wait.
            while not outcome.done() and (left := countdown.left) > 0:
                with suppress(TimeoutError):  # of this wait alone
                    outcome.exception(min(left, threading.TIMEOUT_MAX))
            if not outcome.done():
                self._worker.leave(outcome)
                self._is_abandoned = True
                raise OutOfTime
            return outcome.result()

    def shared(self) -> OwnThread:
        """Return the thread for one more user."""
        self._users += 1
        return self

    def leave(self) -> None:
        """Let others have the thread, if no user is left."""
        self._users -= 1
        if self._users == 0 and self._worker is not None and not self._is_abandoned:
            idle: Future[None] = Future()
            idle.set_result(None)
            self._worker.leave(idle)
