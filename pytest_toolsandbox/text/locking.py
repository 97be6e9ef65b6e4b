"""Locks of files: what one process reads, changes and writes, no other changes meanwhile."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from filelock import BaseFileLock

PATIENCE: Final = 60.0
"""Seconds that a short change of a file waits for another one."""


class LockedError(OSError):
    """Another process holds the lock of the file."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} is being written by another process")
        self.strerror = "another process is writing it"


class FileLock:
    """Locks a file against other processes and threads until :meth:`release`.

    ``seconds`` is how long it waits. A hidden lock file beside the file is locked, because the file
    itself may be replaced; it is removed afterwards, and a killed process frees it. Links are
    followed. Where no lock file can be made, as in a folder that is read-only, there is no lock.
    Raises :class:`LockedError`.
    """

    def __init__(self, path: Path, seconds: float = 0.0) -> None:
        place = Path(os.path.realpath(path))
        self._path = place.with_name(f".{place.name}.lock")
        self._lock: BaseFileLock | None = None
        from filelock import Timeout  # takes 50 ms

        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            self._lock = self._acquired(seconds)
        except Timeout:
            raise LockedError(path) from None
        except (OSError, NotImplementedError):
            self._lock = None

    def _acquired(self, seconds: float) -> BaseFileLock:
        import filelock

        while True:
            lock = filelock.FileLock(self._path, thread_local=False)
            self._path.touch()  # filelock waits in vain where no file can be made
            before = self._identity()
            lock.acquire(timeout=seconds)
            # The last holder may have removed the file that this one has opened meanwhile.
            if before is not None and before == self._identity():
                return lock
            lock.release()

    def _identity(self) -> tuple[int, int] | None:
        with suppress(FileNotFoundError):
            status = self._path.stat()
            return status.st_dev, status.st_ino
        return None

    def release(self) -> None:
        """Release the lock and remove its file; a second call does nothing."""
        if (lock := self._lock) is None:
            return
        self._lock = None
        with suppress(OSError):  # Windows removes no file that is open
            self._path.unlink()
        lock.release()


@contextmanager
def locked(path: Path, seconds: float = PATIENCE) -> Iterator[None]:
    """Hold the lock of a file for what reads, changes and writes it. Raises ``LockedError``."""
    lock = FileLock(path, seconds)
    try:
        yield
    finally:
        lock.release()
