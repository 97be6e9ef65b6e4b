"""The seed of a trial: another one for each, and the same whenever it is played."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

_SEED: Final[ContextVar[int]] = ContextVar("trial_seed", default=0)


def trial_seed() -> int:
    """Return a number from 0 to 2**32 - 1 that belongs to the trial that is being played.

    An agent or a tool of your own that draws takes ``random.Random(trial_seed())``: trials differ,
    and another run of the same scenarios is the same again. Outside of a trial it is 0.
    """
    return _SEED.get()


@contextmanager
def seeded(identifier: str, number: int) -> Iterator[None]:
    """Give the trial of an item its seed."""
    digest = hashlib.sha256(f"{identifier}\n{number}".encode()).digest()
    token = _SEED.set(int.from_bytes(digest[:4]))
    try:
        yield
    finally:
        _SEED.reset(token)
