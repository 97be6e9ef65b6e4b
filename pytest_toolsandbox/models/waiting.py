"""The pauses of requests before they are retried: who waits, and for how long.

``WAITS`` knows the pauses that are under way in this process, for the progress of a run.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

NOTABLE: Final = 5.0
"""Seconds from which on a pause is logged and shown: shorter ones are usual."""
_SLICE: Final = 0.5
"""Seconds between two calls of the listeners."""


class Waiting(NamedTuple):
    """How many requests wait, and the seconds until the last of them is retried."""

    requests: int
    seconds: float


class Waits:
    """The pauses of some seconds that are under way, on any thread."""

    def __init__(self) -> None:
        self._ends: dict[object, float] = {}
        self._listeners: list[Callable[[], None]] = []
        self._lock = threading.Lock()

    def now(self) -> Waiting | None:
        """Return what is waited for at the moment, ``None`` if nothing is."""
        with self._lock:
            ends = [*self._ends.values()]
        return Waiting(len(ends), max(0.0, max(ends) - time.monotonic())) if ends else None

    @contextmanager
    def heard(self, listener: Callable[[], None]) -> Iterator[None]:
        """Within the block, call a listener twice a second while a request waits."""
        self._listeners.append(listener)
        try:
            yield
        finally:
            self._listeners.remove(listener)

    def sleep(self, seconds: float, sleep: Callable[[float], None]) -> None:
        """Wait for some seconds by calls of ``sleep``."""
        if seconds < NOTABLE:
            sleep(seconds)
            return
        place = object()
        with self._lock:
            self._ends[place] = time.monotonic() + seconds
        try:
            for _ in range(math.floor(seconds / _SLICE) if self._listeners else 0):
                for listener in [*self._listeners]:
                    listener()
                sleep(_SLICE)
                seconds -= _SLICE
            sleep(seconds)
        finally:
            with self._lock:
                del self._ends[place]


WAITS: Final = Waits()
