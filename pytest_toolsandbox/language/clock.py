"""When the world's clock moves during a conversation."""

from __future__ import annotations

from dataclasses import dataclass

from .constraints import CallPattern


@dataclass(frozen=True)
class ClockMove:
    """The clock moves on ``to`` a moment, once.

    It moves before the user's message number ``turn`` (the opening is 1), or after the first
    executed call that matches one of ``calls``. ``to`` is a moment as scenarios write it, relative
    to the clock as it then is; the clock never goes back.
    """

    to: str
    turn: int | None = None
    calls: tuple[CallPattern, ...] = ()
