"""Writes new files: all of them, or none."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from . import CommandError


def write_new(files: Mapping[Path, bytes]) -> None:
    """Write new files and their folders: all, or none. Raises ``CommandError``."""
    with ExitStack() as undo:
        try:
            for file, content in files.items():
                missing = [folder for folder in file.parents if not folder.exists()]
                for folder in reversed(missing):
                    folder.mkdir()
                    undo.callback(folder.rmdir)
                with file.open("xb") as stream:
                    undo.callback(file.unlink)
                    stream.write(content)
        except OSError as error:
            problem = f"nothing was written: {error.filename}: {error.strerror}"
            raise CommandError(problem) from error
        undo.pop_all()
