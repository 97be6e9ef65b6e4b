"""What a run may spend: money, tokens and time, over all of its processes."""

from __future__ import annotations

import os
import struct
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from .usage import Usage

_FORM: Final = struct.Struct("dd")
"""Dollars and tokens, as a process writes down what it has spent."""


class Spent(NamedTuple):
    """US dollars, tokens, and the seconds from the first conversation to the end of the last."""

    cost: float = 0.0
    tokens: float = 0.0
    seconds: float = 0.0


@dataclass
class Budget:
    """Limits that are not set are ``None``. ``seconds`` count from the first conversation on.

    Each process writes what it has spent into a file of its own in ``folder``, and reads those of
    the others; without a folder it is alone. What is not known is not counted.
    """

    cost: float | None = None
    tokens: int | None = None
    seconds: float | None = None
    folder: Path | None = None
    began: float = field(default_factory=time.monotonic)
    _spent: tuple[float, float] = (0.0, 0.0)
    _took: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def spend(self, usage: Usage) -> None:
        """Count what a request used."""
        with self._lock:
            cost, tokens = self._spent
            self._spent = (cost + (usage.cost or 0.0), tokens + (usage.tokens or 0))
            if self.folder is not None:
                _write(self.folder / f"{os.getpid()}.spent", _FORM.pack(*self._spent))

    def end_conversation(self) -> None:
        """Note that a conversation has come to its end."""
        self._took = time.monotonic() - self.began

    @property
    def spent(self) -> Spent:
        """What this process has spent, as far as it is known."""
        return Spent(*self._spent, self._took)

    def exceeded(self) -> str | None:
        """Return which limit is reached, as an option that says it, if one is."""
        cost, tokens = self._of_all()
        if self.cost is not None and cost >= self.cost:
            return f"--sandbox-max-cost={self.cost:g} is spent"
        if self.tokens is not None and tokens >= self.tokens:
            return f"--sandbox-max-tokens={self.tokens} are used"
        if self.seconds is not None and time.monotonic() - self.began >= self.seconds:
            return f"--sandbox-max-time={self.seconds:g} is over"
        return None

    def _of_all(self) -> tuple[float, float]:
        if self.folder is None:
            return self._spent
        written = (file.read_bytes() for file in sorted(self.folder.glob("*.spent")))
        rows = [_FORM.unpack(each) for each in written if len(each) == _FORM.size]
        return sum(row[0] for row in rows), sum(row[1] for row in rows)


def _write(path: Path, content: bytes) -> None:
    """Write a few bytes at once, without a moment in which the file is empty."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, content)
    finally:
        os.close(descriptor)
