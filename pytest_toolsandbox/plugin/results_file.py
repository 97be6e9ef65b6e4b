"""The file of records: made with the first record, each of which is written whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable
from io import FileIO
from pathlib import Path

import pytest

from pytest_toolsandbox.wording.phrases import counted


class ResultsFile:
    """Where ``--sandbox-results`` says.

    A run that plays nothing leaves it as it is. Lines are appended with one write each, so that two
    runs into one file do not mix theirs. A write that fails loses its record, and not the run.
    """

    def __init__(self, path: Path, *, overwrite: bool) -> None:
        self.path = path
        self.overwrite = overwrite
        self.begun = False
        self._lost = 0
        self._reason = ""

    def refuse_to_overwrite(self) -> None:
        """Raise ``pytest.UsageError`` where the file holds something that is to be kept."""
        if not (self.overwrite or self.begun) and self.path.is_file() and self.path.stat().st_size:
            remedy = "name another file, put {time} into its name, or give --sandbox-overwrite"
            text = f"{self.path} is there and not empty; {remedy}"
            raise pytest.UsageError(f"sandbox-results: {text}")

    def write(self, lines: Iterable[str]) -> None:
        """Append lines, which have no line ends yet."""
        for line in lines:
            try:
                self._write(f"{line}\n".encode())
            except OSError as error:
                self._lost += 1
                self._reason = error.strerror or str(error)

    def shortfall(self) -> str | None:
        """Return a line that says what could not be written, if anything could not."""
        if not self._lost:
            return None
        lost = counted(self._lost, "record")
        return f"results: {lost} could not be written to {self.path}: {self._reason}"

    def _write(self, line: bytes) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with FileIO(self.path, "a") as file:
            if self.overwrite and not self.begun:
                file.truncate(0)
            self.begun = True
            append(file, line)


def append(file: FileIO, line: bytes) -> None:
    """Write a line; where that fails in its midst, take back what was written of it."""
    start = file.seek(0, 2)
    written = 0
    try:
        while written < len(line):  # a disk that is almost full takes a part, then fails
            written += file.write(line[written:])
    except OSError:
        if file.seek(0, 2) == start + written:  # nobody else wrote behind it
            file.truncate(start)
        raise
