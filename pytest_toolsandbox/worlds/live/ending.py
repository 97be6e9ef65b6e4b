"""What live worlds keep for the next conversation, and how it ends with the run."""

from __future__ import annotations

import atexit
from collections.abc import Callable

_endings: list[Callable[[], object]] = []


def end_with_run(end: Callable[[], object]) -> Callable[[], object]:
    """Call a function at the end of each run of this process: of pytest, and of Python."""
    if not _endings:
        atexit.register(end_servers)
    _endings.append(end)
    return end


def end_servers() -> None:
    """End the servers that no conversation uses."""
    for end in _endings:
        end()
