"""Turns at a server with one state for all: one conversation at a time, in all processes.

A turn begins with the first call of a conversation and ends with the conversation. The time that a
conversation waits does not count to its time limit.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import threading
from pathlib import Path
from typing import Any

from pytest_toolsandbox.worlds.context import WorldError


class Turns:
    """The turns at the server of an address."""

    def __init__(self, address: str) -> None:
        self._digest = hashlib.sha256(address.encode()).hexdigest()[:16]
        self._state = _TurnsOfProcess()

    def begin(self, world: str) -> None:
        """Wait for the turn. Raises :class:`WorldError` if this thread has it already."""
        if self._state.process != os.getpid():
            self._state = _TurnsOfProcess()
        if self._state.holder == threading.get_ident():
            text = "plays one conversation at a time, and two were begun together"
            raise WorldError(f"the world {world!r} {text}")
        self._state.lock.acquire()
        try:
            self._state.file = self._file_lock()
            self._state.file.acquire()
        except BaseException:
            self._state.lock.release()
            raise
        self._state.holder = threading.get_ident()

    def end(self) -> None:
        """End the turn; the thread may be another one."""
        self._state.holder = None
        self._state.file.release()
        self._state.lock.release()

    def _file_lock(self) -> Any:
        from filelock import FileLock

        user = os.getuid() if hasattr(os, "getuid") else ""
        path = Path(tempfile.gettempdir(), f"toolsandbox-{user}-{self._digest}.lock")
        return FileLock(path, thread_local=False)


class _TurnsOfProcess:
    """The lock of one process: a forked process has another."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self.lock = threading.Lock()
        self.holder: int | None = None
        self.file: Any = None
