"""Reads and writes whole files; a killed process never leaves a partly written one."""

from __future__ import annotations

import contextlib
import errno
import os
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final

_PAUSES: Final = (0.05, 0.1, 0.2, 0.4, 0.8)
"""Seconds between attempts to replace a file: virus scanners and indexers open new files."""


class FileError(Exception):
    """A file, or a record in it, cannot be used. The text is for the user."""


def read_whole(path: Path) -> bytes:
    """Return the content of a file. Raises ``OSError``, also for pipes and devices."""
    refuse_devices(path)
    return path.read_bytes()


def write_whole(path: Path, text: str | Iterable[str]) -> None:
    """Write a text file in UTF-8 with line feeds, replacing an existing one atomically.

    The text, or each of its parts, goes to a temporary file, which is then renamed. Links are
    followed, and missing folders are created. Raises ``OSError``, also for pipes and devices, which
    would be replaced.
    """
    place = Path(os.path.realpath(path))
    refuse_devices(place)
    place.parent.mkdir(parents=True, exist_ok=True)
    beside = beside_of(place)
    try:
        with beside.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines([text] if isinstance(text, str) else text)
            file.flush()
            os.fsync(file.fileno())
        _replace(beside, place)
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise


def _replace(source: Path, target: Path) -> None:
    """Rename a file over another one; on Windows, wait for programs that have that one open."""
    for pause in _PAUSES:
        try:
            source.replace(target)
        except PermissionError as error:
            if getattr(error, "winerror", None) is None:
                raise
            time.sleep(pause)
        else:
            return
    source.replace(target)


def refuse_devices(path: Path) -> None:
    """Raise ``OSError`` for a pipe, a socket or a device: reading one may never end."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise OSError(errno.EINVAL, "it is not a regular file")


def is_same_file(first: Path, second: Path) -> bool:
    """Whether two paths mean the same file, also through links; it need not exist."""
    if os.path.realpath(first) == os.path.realpath(second):
        return True
    return first.exists() and second.exists() and first.samefile(second)


def why_not_writable(path: Path) -> str | None:
    """Return why a file cannot be written or created, or ``None`` if it can."""
    path = Path(os.path.realpath(path))
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        existing = next(parent for parent in path.parents if parent.exists())
        if not existing.is_dir():
            return f"{existing.name} is not a folder"
    except OSError as error:
        return error.strerror
    else:
        existing = path
        if path.is_dir():
            return "it is a folder; name a file in it"
        if not path.is_file():
            return "it is not a regular file"
    return None if os.access(existing, os.W_OK) else "permission denied"


def why_not_written(what: str, path: Path, text: str | Iterable[str]) -> str | None:
    """Write a whole file; return the error, which starts with ``what``, if that fails."""
    try:
        write_whole(path, text)
    except OSError as error:
        return f"{what}: {path} cannot be written: {error.strerror}"
    return None


def beside_of(path: Path) -> Path:
    """Return the temporary file of this thread for ``path``; a killed process may leave it."""
    return path.with_name(f".{path.name}.{os.getpid()}-{threading.get_native_id()}.tmp")


def left_behind(folder: Path) -> list[Path]:
    """Return the temporary files below a folder that killed processes have left, sorted."""
    return sorted(path for path in folder.rglob(".*.tmp") if path.is_file())
