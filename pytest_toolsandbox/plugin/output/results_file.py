"""``--sandbox-results``: the file of records, made with the first record."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import Any

import pytest

from pytest_toolsandbox.records.trials import NOT_RUN, SCORED
from pytest_toolsandbox.records.writing import as_line
from pytest_toolsandbox.text.files import write_whole
from pytest_toolsandbox.text.formatting import pluralize
from pytest_toolsandbox.text.locking import FileLock, LockedError

from .observer import Observer, PlayedItem, SessionResult


class ResultsFile(Observer):
    """Appends each line with one write, so that a stopped run leaves whole lines.

    The run holds the file's lock from before anything is played. A write that fails loses its
    record, and the run goes on.
    """

    def __init__(self, path: Path, *, overwrite: bool, continues: bool = False) -> None:
        self.path = path
        self.overwrite = overwrite
        self.continues = continues
        self._lock: FileLock | None = None
        self._file: FileIO | None = None
        self._lost = 0
        self._reason = ""
        self._early: set[str] = set()
        """Items whose records were written before their turn."""
        self._trials: dict[str, list[int]] = {}

    def reserve(self, option: str) -> None:
        """Lock the file of an option until the end of the run.

        Raises ``pytest.UsageError`` if another run writes it, or if it has records to be lost.
        """
        if self._lock is not None:
            return
        try:
            self._lock = FileLock(self.path)
        except LockedError:
            remedy = "name another file, or wait"
            text = f"{option}: {self.path} is being written by another run; {remedy}"
            raise pytest.UsageError(text) from None
        is_replaced = self.overwrite or self.continues or not self.path.is_file()
        if not is_replaced and self.path.stat().st_size:
            self._lock.release()
            remedy = "name another file, put {time} into its name, or give --sandbox-overwrite"
            raise pytest.UsageError(f"{option}: {self.path} is there and not empty; {remedy}")

    def on_records(self, item: PlayedItem) -> None:
        """Write the records of an item that are not in the file yet."""
        if item.id not in self._early:
            old = item.kept if self.continues else ()
            self._write_records(record for record in item.records if record["trial"] not in old)
        self._early.discard(item.id)

    def write_early(self, nodeid: str, records: Iterable[Mapping[str, Any]]) -> None:
        """Write the records of an item that passed before its turn, so that they can be read."""
        if nodeid not in self._early:
            self._write_records(records)
            self._early.add(nodeid)

    def at_end(self, result: SessionResult) -> None:
        self._write_records(result.not_run)
        self._trials = {
            name: [record["trial"] for record in records] for name, records in result.trials.items()
        }

    def _write_records(self, records: Iterable[Mapping[str, Any]]) -> None:
        self.write(map(as_line, records))

    def write(self, lines: Iterable[str]) -> None:
        """Append lines, which have no line ends yet."""
        for line in lines:
            try:
                self._file = self._file or self._opened()
                append(self._file, f"{line}\n".encode())
            except OSError as error:
                self._lost += 1
                self._reason = error.strerror or str(error)

    def failures(self) -> list[str]:
        if not self._lost:
            return []
        lost = pluralize(self._lost, "record")
        return [f"results: {lost} could not be written to {self.path}: {self._reason}"]

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
        if self.continues and self._trials:
            self._keep_latest()
        if self._lock is not None:
            self._lock.release()

    def _keep_latest(self) -> None:
        with suppress(OSError, UnicodeDecodeError):  # readers of the file take the latest anyway
            text = self.path.read_text(encoding="utf-8")
            lines = latest_lines(text.split("\n"), self._trials)
            latest = "".join(f"{line}\n" for line in lines)
            if latest != text:
                write_whole(self.path, latest)

    def _opened(self) -> FileIO:
        self.path.resolve().parent.mkdir(parents=True, exist_ok=True)
        file = FileIO(self.path, "a")
        if self.overwrite:
            file.truncate(0)
        if self.continues and not self.path.read_bytes().endswith(b"\n"):
            append(file, b"\n")  # behind a line that was torn when the run was stopped
        return file


def latest_lines(lines: Iterable[str], trials: Mapping[str, Sequence[int]]) -> list[str]:
    """Return the last line of each trial, in the order of the first ones; without torn ones.

    A trial with a score is worth more than a later error, and anything is worth more than what was
    not run. An error is left out if the ``trials`` of its item do not have it.
    """
    latest: dict[tuple[str, int], str] = {}
    not_run: dict[tuple[str, int], str] = {}
    finished = set()
    for line in lines:
        with suppress(ValueError, TypeError, KeyError):
            record = json.loads(line)
            trial = record["id"], record["trial"]
            is_finished = record["outcome"] in SCORED
            is_wanted = trial[1] in trials.get(trial[0], (trial[1],))
            if record["outcome"] == NOT_RUN:
                not_run[trial] = line
            elif is_finished or (is_wanted and trial not in finished):
                latest[trial] = line
            finished |= {trial} if is_finished else set()
    lacking = {trial: line for trial, line in not_run.items() if trial not in latest}
    return [*latest.values(), *lacking.values()]


def append(file: FileIO, line: bytes) -> None:
    """Write a line; if that fails in the middle, remove the part that was written."""
    start = file.seek(0, 2)
    written = 0
    try:
        while written < len(line):  # a disk that is almost full takes a part, then fails
            written += file.write(line[written:])
    except OSError:
        if file.seek(0, 2) == start + written:  # no other run wrote behind it
            file.truncate(start)
        raise
