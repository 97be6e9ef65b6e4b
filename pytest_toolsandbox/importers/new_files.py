"""Writes new files: all of them, or none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path


def write_new(files: Mapping[Path, bytes]) -> None:
    """Write files that are not there yet, in folders that need not be there either.

    Whatever comes in between, what was written is taken back. Raises ``OSError``.
    """
    written: list[Path] = []
    folders: list[Path] = []
    try:
        for file, content in files.items():
            _make_folders(file.parent, folders)
            with file.open("xb") as stream:
                written.append(file)
                stream.write(content)
    except BaseException:
        _take_back(written, folders)
        raise


def _make_folders(folder: Path, made: list[Path]) -> None:
    """Make a folder and those above it, and note which were not there."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    for one in reversed(missing):
        one.mkdir()
        made.append(one)


def _take_back(files: Iterable[Path], folders: list[Path]) -> None:
    for file in files:
        file.unlink()
    for folder in reversed(folders):
        folder.rmdir()
