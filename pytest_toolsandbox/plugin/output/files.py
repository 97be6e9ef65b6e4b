"""``--sandbox-brief``: what did not pass, noted as reports come in, and written at the end.

The HTML report of a session: records are taken as they come, the page is written at the end.

``GITHUB_STEP_SUMMARY``: where CI names a file for it, a session says there how it went.

The file of records: made with the first record, each of which is written whole or not at all.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

import pytest

from pytest_toolsandbox.records.trials import NOT_RUN, SCORED
from pytest_toolsandbox.text.files import write_whole
from pytest_toolsandbox.text.formatting import pluralize
from pytest_toolsandbox.text.redaction import redacted_line

if TYPE_CHECKING:
    from pytest_toolsandbox.output.brief import Missed
    from pytest_toolsandbox.output.html.report import HtmlReport
    from pytest_toolsandbox.records.record import Summary


class SessionBrief:
    """Lives where the reports of all items end up."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problem: str | None = None
        self._missed: dict[str, Missed] = {}

    def keep(self, report: pytest.TestReport, records: Sequence[Mapping[str, Any]]) -> None:
        """Note the first record of an item that did not pass; of its last run."""
        from pytest_toolsandbox.output.brief import Missed

        self._missed.pop(report.nodeid, None)
        bad = [record for record in records if record["outcome"] != "passed"]
        if bad and "quarantine" not in bad[0]:
            file, line, _ = report.location
            place = file if line is None else f"{file}:{line + 1}"
            self._missed[report.nodeid] = Missed(report.nodeid, place, bad[0])

    def write(self, records: Iterable[Summary], told: Sequence[str], first: Sequence[str]) -> None:
        """Write the file, or note the ``problem``; what the verdict calls broken is ``first``."""
        import pytest_toolsandbox.protocols  # noqa: F401  # registers those that show pages
        from pytest_toolsandbox.output.brief import brief
        from pytest_toolsandbox.text.files import why_not_written

        ids = [*(name for name in first if name in self._missed), *sorted(self._missed)]
        missed = [self._missed[name] for name in dict.fromkeys(ids)]
        self.problem = why_not_written("brief", self.path, brief(records, missed, told))


class HtmlFile:
    """Where ``--sandbox-html`` says. A run that plays nothing leaves the file as it is."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.is_written = False
        self.problems: list[str] = []
        self._report: HtmlReport | None = None

    def add(self, records: Sequence[Mapping[str, Any]]) -> None:
        """Take the records of an item; those of its last run, where it is run again."""
        import pytest_toolsandbox.protocols  # noqa: F401  # registers those that show pages
        from pytest_toolsandbox.output.html.report import HtmlReport

        self._report = self._report or HtmlReport()
        for record in records:
            try:
                self._report.add(record)
            except Exception as error:  # noqa: BLE001  # of a page of the user's own protocol
                why = redacted_line(f"{type(error).__name__}: {error}")
                self.problems.append(f"html: {record['id']} cannot be shown: {why}")

    def write(self, remarks: Sequence[str]) -> None:
        """Write the page; what cannot be written is one of the ``problems``."""
        from pytest_toolsandbox.text.files import why_not_written

        if self._report is None:
            return
        self._report.remarks += remarks
        problem = why_not_written("html", self.path, self._report.text())
        self.is_written = problem is None
        self.problems += [problem] if problem else []


VARIABLE: Final = "GITHUB_STEP_SUMMARY"
MOST: Final = 1_000_000
"""Bytes that the file may have with ours in it; beyond 1024 kB GitHub shows nothing of it."""


class StepSummary:
    """Notes why items did not pass, as reports come in, and tells it at the end."""

    def __init__(self, path: Path, root: Path) -> None:
        self.path = path
        self.root = root
        self._why: dict[str, str] = {}

    def keep(self, report: pytest.TestReport) -> None:
        """Note the first line of an item's page; of its last run."""
        crash = getattr(report.longrepr, "reprcrash", None)
        text = crash.message if crash else str(report.longrepr)
        lines = (line for line in text.splitlines() if not re.match(r"\[gw\d+\] |\s*$", line))
        self._why[report.nodeid] = next(lines, "")  # above it a worker says where it runs

    def write(
        self, records: Sequence[Summary], told: Sequence[str], sections: Sequence[str] = ()
    ) -> str | None:
        """Add to the file; return what went wrong with it, if anything did."""
        from pytest_toolsandbox.output.brief import STEP_SUMMARY_LIMIT as LIMIT, Told, step_summary

        try:
            there = self.path.stat().st_size if self.path.exists() else 0
            limit = min(LIMIT, MOST - there)
            text = step_summary(records, self._why, self.link, Told(told, sections), limit)
            if len(text.encode()) > limit:
                return f"{VARIABLE}: the file is full, and this run is not in it"
            with self.path.open("a", encoding="utf-8", newline="\n") as file:
                file.write(text)
        except OSError as error:
            return f"{VARIABLE}: cannot be written: {error.strerror}"
        return None

    def link(self, nodeid: str) -> str | None:
        """Return where GitHub shows the file of an item, if the environment tells."""
        names = ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_SHA", "GITHUB_WORKSPACE")
        server, repository, commit, workspace = (os.environ.get(name) for name in names)
        if not (server and repository and commit and workspace):
            return None
        file = Path(os.path.realpath(self.root / nodeid.partition("::")[0]))
        place = Path(os.path.realpath(workspace))
        if not file.is_relative_to(place):
            return None
        path = quote(file.relative_to(place).as_posix())
        return f"{server}/{repository}/blob/{commit}/{path}"


def named(config: pytest.Config, environment: Mapping[str, str] = os.environ) -> StepSummary | None:
    """Return the summary that the environment asks for, if it does."""
    path = environment.get(VARIABLE)
    return StepSummary(Path(path), config.rootpath) if path else None


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
        lost = pluralize(self._lost, "record")
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
