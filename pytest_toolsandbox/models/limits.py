"""How many requests to a model may be under way at once: as many as its provider takes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from pytest_toolsandbox.waiting.countdown import uncounted

START: Final = 20
FLOOR: Final = 10
CAP: Final = 100
"""The limit at first, at least and at most, of one provider and model."""
GROWTH: Final = 1.05
"""By how much a limit grows after a clean round, once the provider has refused a request."""
SHRINKING: Final = 0.8
EPISODE: Final = 15.0
"""Seconds after a refusal in which others say nothing new, where the provider names no time."""


class Limit:
    """The limit of one model, adapted to what its provider takes, as Inspect does it.

    It doubles after each clean round, which is as many answers in a row as the limit allows at
    once, until the provider refuses a request for coming too soon (429). Then it shrinks, once in
    an episode, and grows slowly after clean rounds. Other faults of the provider begin the round
    anew; an answer to a request that was made again says nothing.
    """

    def __init__(self, share: int = 1, clock: Callable[[], float] = time.monotonic) -> None:
        self.size: float = max(1, START // share)
        self.floor, self.cap = max(1, FLOOR // share), max(1, CAP // share)
        self.under_way = 0
        self._clean = 0
        self._was_refused = False
        self._episode_ends = 0.0
        self._clock = clock
        self._changed = threading.Condition()

    @contextmanager
    def place(self) -> Iterator[None]:
        """Wait for a place among the requests under way, which is no time of the conversation's."""
        with uncounted(), self._changed:
            self._changed.wait_for(lambda: self.under_way < int(self.size))
            self.under_way += 1
        try:
            yield
        finally:
            with self._changed:
                self.under_way -= 1
                self._changed.notify()

    def succeeded(self) -> None:
        """Count an answer to a request that was made once."""
        with self._changed:
            self._clean += 1
            if self._clean >= int(self.size):
                self._clean = 0
                grown = (
                    max(self.size * GROWTH, self.size + 1) if self._was_refused else 2 * self.size
                )
                self.size = min(grown, self.cap)
                self._changed.notify_all()

    def failed(self) -> None:
        """Begin the round anew, after a fault that is no refusal."""
        with self._changed:
            self._clean = 0

    def refused(self, wait: float | None) -> None:
        """Shrink, where this refusal begins an episode; ``wait`` is what the provider asks for."""
        now = self._clock()
        with self._changed:
            self._clean, self._was_refused = 0, True
            if now >= self._episode_ends:
                self.size = max(self.size * SHRINKING, self.floor)
                self._episode_ends = now + (EPISODE if wait is None else wait)


class Limits:
    """The limits of all models, of which this process has a ``share``: one part in so many."""

    def __init__(self, share: int = 1) -> None:
        self.share = share
        self._limits: dict[str, Limit] = {}
        self._lock = threading.Lock()

    def of(self, model: str) -> Limit:
        """Return the limit of a model, named ``provider/model``."""
        with self._lock:
            return self._limits.setdefault(model, Limit(self.share))
