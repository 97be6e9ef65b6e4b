"""What conversations leave behind: threads, and processes by the folder they are at home in."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Set as AbstractSet
from contextlib import suppress
from pathlib import Path

PATIENCE = 30.0
"""Seconds that a process has to be gone, whose end nobody waits for."""

_SHARED = re.compile(r"agent|agents' loop|asyncio_\d+|MCP")
"""Threads that wait for the next conversation of their process."""


def threads_since(before: AbstractSet[threading.Thread]) -> list[str]:
    """Return the names of threads that are new and wait for no conversation, once it is late."""
    end = time.monotonic() + PATIENCE
    while (threads := _new_threads(before)) and time.monotonic() < end:
        time.sleep(0.05)
    return threads


def _new_threads(before: AbstractSet[threading.Thread]) -> list[str]:
    new = set(threading.enumerate()) - before
    return sorted(thread.name for thread in new if not _SHARED.fullmatch(thread.name))


def still_running(folder: Path) -> list[str]:
    """Return the commands of processes at home in a folder, once there are none or it is late."""
    end = time.monotonic() + PATIENCE
    while (commands := _at_home_in(folder)) and time.monotonic() < end:
        time.sleep(0.05)
    return commands


def _at_home_in(folder: Path) -> list[str]:
    """Look where a system tells of its processes in files, and find none elsewhere."""
    commands = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # gone meanwhile, or somebody else's
            if f"HOME={folder}".encode() in (process / "environ").read_bytes():
                command = (process / "cmdline").read_bytes().replace(b"\0", b" ")
                commands.append(command.decode(errors="replace"))
    return commands
