"""The file of records: made with the first record, each of which is written whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from io import FileIO
from pathlib import Path

import pytest

from pytest_toolsandbox.records.verdict import NOT_RUN, SCORED
from pytest_toolsandbox.wording.phrases import counted
from pytest_toolsandbox.wording.whole_files import write_whole


class ResultsFile:
    """Where ``--sandbox-results`` says.

    A run that plays nothing leaves it as it is. Lines are appended with one write each, so that
    runs that append to one file do not mix their lines; a run that replaces a file has it alone,
    and so has one that ``continues`` what an earlier one wrote. A write that fails loses its
    record, and not the run.
    """

    def __init__(self, path: Path, *, overwrite: bool, continues: bool = False) -> None:
        self.path = path
        self.overwrite = overwrite
        self.continues = continues
        self._file: FileIO | None = None
        self._lost = 0
        self._reason = ""

    def refuse_to_overwrite(self, option: str) -> None:
        """Raise ``pytest.UsageError`` where the file of an option holds what is to be kept."""
        if self._file is not None or not self.path.is_file():
            return
        if self.overwrite or self.continues:
            with FileIO(self.path) as file:
                free = _locked(file, alone=True)
            text = "is being written by another run; name another file, or wait"
        else:
            free = not self.path.stat().st_size
            remedy = "name another file, put {time} into its name, or give --sandbox-overwrite"
            text = f"is there and not empty; {remedy}"
        if not free:
            raise pytest.UsageError(f"{option}: {self.path} {text}")

    def write(self, lines: Iterable[str]) -> None:
        """Append lines, which have no line ends yet."""
        for line in lines:
            try:
                self._file = self._file or self._opened()
                append(self._file, f"{line}\n".encode())
            except OSError as error:
                self._lost += 1
                self._reason = error.strerror or str(error)

    def close(self, told: Mapping[str, Collection[int]]) -> None:
        """Let others have the file. The items that were ``told`` have these trials."""
        if self._file is not None:
            self._file.close()
        if self.continues and told:
            self._leave_latest(told)

    def shortfall(self) -> str | None:
        """Return a line that says what could not be written, if anything could not."""
        if not self._lost:
            return None
        lost = counted(self._lost, "record")
        return f"results: {lost} could not be written to {self.path}: {self._reason}"

    def _opened(self) -> FileIO:
        self.path.resolve().parent.mkdir(parents=True, exist_ok=True)
        file = FileIO(self.path, "a")
        if not _locked(file, alone=self.overwrite or self.continues):
            file.close()
            raise OSError("another run is writing it")
        if self.overwrite:
            file.truncate(0)
        if self.continues and not self.path.read_bytes().endswith(b"\n"):
            append(file, b"\n")  # behind a line that was torn when the run was stopped
        return file

    def _leave_latest(self, told: Mapping[str, Collection[int]]) -> None:
        """Leave one record of each trial in a file that was continued, the latest."""
        try:
            with FileIO(self.path) as file:
                if not _locked(file, alone=True):
                    return
                text = self.path.read_text(encoding="utf-8")
                latest = "".join(f"{line}\n" for line in latest_lines(text.split("\n"), told))
                if latest != text:
                    write_whole(self.path, latest)
        except (OSError, UnicodeDecodeError):  # then those that read it take the latest
            return


def latest_lines(lines: Iterable[str], told: Mapping[str, Collection[int]]) -> list[str]:
    """Return the last line of each trial, in the order of the first ones; without torn ones.

    One that was played to its end is worth more than a later error, and an error of a trial that
    an item was ``told`` without is left out. Anything is worth more than what was not run.
    """
    latest: dict[tuple[str, int], str] = {}
    not_run: dict[tuple[str, int], str] = {}
    finished = set()
    for line in lines:
        with suppress(ValueError, TypeError, KeyError):
            record = json.loads(line)
            trial = record["id"], record["trial"]
            is_finished = record["outcome"] in SCORED
            is_told = trial[1] in told.get(trial[0], (trial[1],))
            if record["outcome"] == NOT_RUN:
                not_run[trial] = line
            elif is_finished or (is_told and trial not in finished):
                latest[trial] = line
            finished |= {trial} if is_finished else set()
    return list((latest | {one: not_run[one] for one in not_run if one not in latest}).values())


def append(file: FileIO, line: bytes) -> None:
    """Write a line; where that fails in its midst, take back what was written of it."""
    start = file.seek(0, 2)
    written = 0
    try:
        while written < len(line):  # a disk that is almost full takes a part, then fails
            written += file.write(line[written:])
    except OSError:
        if file.seek(0, 2) == start + written:  # no other run wrote behind it
            file.truncate(start)
        raise


def _locked(file: FileIO, *, alone: bool) -> bool:
    """Take the file until it is closed; return whether that was possible, or there are no locks."""
    try:
        import fcntl

        fcntl.flock(file, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):
        return True
    return True
