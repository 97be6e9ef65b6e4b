"""What a command of ``toolsandbox`` prints and returns."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Printed(NamedTuple):
    """The exit status of a command, and what it printed."""

    status: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


Run = Callable[..., Printed]
"""The fixture ``run``: run ``toolsandbox`` with arguments in this process."""
