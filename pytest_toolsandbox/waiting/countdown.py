"""How much time a call has left, where what it waits for in a queue of ours does not count."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from typing import Final


class Countdown:
    """``seconds`` from now on, ``None`` for no limit. Stopped by one thread, it stops for all."""

    def __init__(self, seconds: float | None = None) -> None:
        self.seconds = math.inf if seconds is None else seconds
        self._began = time.monotonic()
        self._uncounted = 0.0
        self._stopped_at = 0.0
        self._stops = 0
        self._lock = threading.Lock()

    @property
    def spent(self) -> float:
        """The seconds that count."""
        with self._lock:
            now = self._stopped_at if self._stops else time.monotonic()
            return now - self._began - self._uncounted

    @property
    def was_stopped(self) -> bool:
        """Whether it is not over yet when its seconds are."""
        with self._lock:
            return bool(self._stops or self._uncounted)

    @property
    def left(self) -> float:
        """The seconds that are left, infinite without a limit, below 0 once they are over."""
        return self.seconds - self.spent

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Let the time of a block not count."""
        with self._lock:
            self._stopped_at = self._stopped_at if self._stops else time.monotonic()
            self._stops += 1
        try:
            yield
        finally:
            with self._lock:
                self._stops -= 1
                self._uncounted += 0 if self._stops else time.monotonic() - self._stopped_at


_RUNNING: Final = ContextVar[tuple[Countdown, ...]]("countdowns", default=())


@contextmanager
def counting_down(seconds: float | None) -> Iterator[Countdown]:
    """Let a block, and what it calls on other threads, have ``seconds``."""
    countdown = Countdown(seconds)
    before = _RUNNING.set((*_RUNNING.get(), countdown))
    try:
        yield countdown
    finally:
        _RUNNING.reset(before)


def seconds_left() -> float:
    """Return the time that is left of all countdowns around, infinite without one."""
    return min((countdown.left for countdown in _RUNNING.get()), default=math.inf)


@contextmanager
def uncounted() -> Iterator[None]:
    """Let the time of a block count for none of the countdowns around."""
    with ExitStack() as stack:
        for countdown in _RUNNING.get():
            stack.enter_context(countdown.stopped())
        yield
