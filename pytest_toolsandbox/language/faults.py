"""The faults that tool calls of a scenario meet, such as a timeout or a partial answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_toolsandbox.worlds.state import State

from .constraints import CallPattern


@dataclass(frozen=True)
class ToolFault:
    """A fault, the calls that match it, and which of them meet it.

    Of the calls that match one of the patterns ``calls``, it meets those from the number
    ``occurrence`` on, ``times`` in a row; ``None`` means all. Calls are counted apart for each
    combination of values of the arguments ``per``. Exactly one of these is given:

    - ``error``: the line that answers the call. The call is not executed, unless it is
      ``executed`` all the same; with ``fails_for`` (argument → items), it is executed without these
      items of a list.
    - ``stale``: the state as of which the call is answered.
    - ``partial``: how many rows of the answer are left.

    The ``note`` is a line below an answer.
    """

    name: str
    calls: tuple[CallPattern, ...]
    occurrence: int = 1
    times: int | None = 1
    per: tuple[str, ...] = ()
    error: str | None = None
    executed: bool = False
    fails_for: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    stale: State | None = None
    partial: int | None = None
    note: str = ""

    def meets(self, number: int) -> bool:
        """Whether the call with this number, from 1, meets the fault."""
        place = number - self.occurrence
        return place >= 0 and (self.times is None or place < self.times)
