"""What conversations leave behind: processes, by the folder that their environment names."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

PATIENCE = 30.0
"""Seconds that a process has to be gone, whose end nobody waits for."""


def still_running(folder: Path) -> list[str]:
    """Return the commands of processes at home in a folder, once there are none or it is late."""
    end = time.monotonic() + PATIENCE
    while (found := _at_home_in(folder)) and time.monotonic() < end:
        time.sleep(0.05)
    return found


def _at_home_in(folder: Path) -> list[str]:
    """Look where a system tells of its processes in files, and find none elsewhere."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # gone meanwhile, or somebody else's
            if f"HOME={folder}".encode() in (process / "environ").read_bytes():
                command = (process / "cmdline").read_bytes().replace(b"\0", b" ")
                found.append(command.decode(errors="replace"))
    return found
