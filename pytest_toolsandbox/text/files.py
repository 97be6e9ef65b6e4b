"""Files are read and written whole: also after a kill readers find an old one or a new one."""

from __future__ import annotations

import contextlib
import errno
import os
import threading
from pathlib import Path


def read_whole(path: Path) -> bytes:
    """Return what a file holds. Raises ``OSError``, also for pipes and devices: some never end."""
    refuse_devices(path)
    return path.read_bytes()


def write_whole(path: Path, text: str) -> None:
    """Write a text file, in UTF-8 with line feeds, in place of the one that is there.

    It is written beside its place and then renamed, so that no moment has half of it. Of a link,
    what it leads to is replaced. Missing folders are made. Raises ``OSError``, also for pipes and
    devices, in whose place there would be a file.
    """
    place = Path(os.path.realpath(path))
    refuse_devices(place)
    place.parent.mkdir(parents=True, exist_ok=True)
    beside = beside_of(place)
    try:
        with beside.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(place)
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise


def refuse_devices(path: Path) -> None:
    """Raise ``OSError`` for a pipe, a socket or a device: reading one may never end."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise OSError(errno.EINVAL, "it is not a regular file")


def is_same_file(one: Path, other: Path) -> bool:
    """Whether two paths lead to one file, which need not be there, by links too."""
    if os.path.realpath(one) == os.path.realpath(other):
        return True
    return one.exists() and other.exists() and one.samefile(other)


def why_not_writable(path: Path) -> str | None:
    """Return what keeps a file from being written, or from being made with its folders."""
    path = Path(os.path.realpath(path))
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        there = next(place for place in path.parents if place.exists())
        if not there.is_dir():
            return f"{there.name} is no folder"
    except OSError as error:
        return error.strerror
    else:
        there = path
        if path.is_dir():
            return "it is a folder; name a file in it"
        if not path.is_file():
            return "it is not a regular file"
    return None if os.access(there, os.W_OK) else "permission denied"


def why_not_written(what: str, path: Path, text: str) -> str | None:
    """Write a file whole; return a line that says why ``what`` it is cannot be written."""
    try:
        write_whole(path, text)
    except OSError as error:
        return f"{what}: {path} cannot be written: {error.strerror}"
    return None


def beside_of(path: Path) -> Path:
    """Return where this thread writes what is to be ``path``; a kill may leave it there."""
    return path.with_name(f".{path.name}.{os.getpid()}-{threading.get_native_id()}.tmp")


def left_behind(folder: Path) -> list[Path]:
    """Return what killed runs have left below a folder, in order."""
    return sorted(path for path in folder.rglob(".*.tmp") if path.is_file())
