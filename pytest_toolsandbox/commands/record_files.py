"""The files that commands read and write: records, samples of trials, outputs.

A sample is read from records or a baseline. An output never replaces records or a baseline.
"""

from __future__ import annotations

import errno
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import pytest_toolsandbox.protocols  # noqa: F401  # registers those that records name
from pytest_toolsandbox.gate.arms import RecordedArm, recorded_arms
from pytest_toolsandbox.gate.baseline import (
    Kept,
    kept_in,
    read_baseline,
    run_key,
    why_not_replaced,
)
from pytest_toolsandbox.gate.played import GateRecord, PlayedTrial, SharedValues, played_trial
from pytest_toolsandbox.gate.samples import Sample, sample_of
from pytest_toolsandbox.records.reading import Line, UsableLines, usable_records
from pytest_toolsandbox.records.record import Record, Summary, TrialRecord
from pytest_toolsandbox.records.sharing import SharedParts
from pytest_toolsandbox.records.trials import fair_sample
from pytest_toolsandbox.text.files import is_same_file, why_not_writable, write_whole
from pytest_toolsandbox.text.formatting import VALUE_LIMIT, one_line, pluralize

from .parsing import CommandError

View = TypeVar("View", bound=TrialRecord)


_OF_PLAN: Final = ("id", "trial", "of_trials", "confirms")


class StoredRun(NamedTuple):
    """A file of records: its name without the ending, its lines, and what cannot be used.

    ``not_run`` says how many items the run did not come to, if there are any.
    """

    name: str
    lines: Sequence[Line[Summary]]
    unusable: str | None
    path: Path
    not_run: str | None

    @property
    def date(self) -> str:
        """When it was run, as far as its records say, else when its file was changed last."""
        runs = [line.read["run"] for line in self.lines if "run" in line.read]
        changed = datetime.fromtimestamp(self.path.stat().st_mtime, UTC)
        return min((run["started"] for run in runs), default=changed.isoformat(timespec="seconds"))

    def whole(self, line: Line[Summary]) -> AbstractContextManager[None]:
        """Name the line in errors that come from its record."""
        return consistent_records(f"{self.path}:{line.number}")


@contextmanager
def consistent_records(*places: object) -> Iterator[None]:
    """Turn errors from records that contradict themselves into a ``CommandError``.

    A record that was edited by hand may fit its schema and still fail in many ways.
    """
    try:
        yield
    except (
        ArithmeticError,
        AssertionError,
        AttributeError,
        LookupError,
        TypeError,
        ValueError,
    ) as error:
        names = ", ".join(map(str, places))
        what = one_line(f"{type(error).__name__}: {error}", VALUE_LIMIT)
        remedy = "leave the line out, or play the scenarios again"
        raise CommandError(f"{names}: a record contradicts itself ({what}); {remedy}") from None


def stored_runs(files: Sequence[Path], *, whole: bool = True) -> list[StoredRun]:
    """Return the records of what was run. Raises ``FileError`` if a file has no usable record.

    A line without a valid record is unusable; unless records are read ``whole``, only the summary
    is validated. If a file has two records of an item and trial, the later one counts. Files of
    the same name in several folders have their folder before it.
    """
    paths, parts = list(dict.fromkeys(files)), SharedParts()
    names = Counter(path.stem for path in paths)
    runs = []
    for path in paths:
        lines = UsableLines(path, Summary, whole=Record if whole else None)
        ids, latest = set(), {}
        for line in lines:
            ids.add(line.read["id"])
            if line.was_run:
                kept = line._replace(read=parts.shared(line.read))
                latest[line.read["id"], line.read["trial"]] = kept
        left = len(ids - {name for name, _ in latest})
        not_run = f"{path}: {pluralize(left, 'item')} not run" if left else None
        if not latest:
            raise CommandError(f"{not_run}, and no other")
        name = path.stem if names[path.stem] == 1 else f"{path.parent.name}/{path.stem}"
        runs.append(StoredRun(name, [*latest.values()], lines.unusable, path, not_run))
    return runs


def latest_records(file: Path, view: type[View]) -> tuple[list[View], str | None]:
    """Return the records of a file as a ``view`` of them, and what is unusable, if anything.

    If it has two records of an item and trial, the later one counts. Raises ``FileError``.
    """
    records, unusable = usable_records(file, view)
    latest = {(record["id"], record["trial"]): record for record in records}
    return [*latest.values()], unusable


IS_FOLDER: Final = "it is a folder; name a file in it"


def check_output(out: Path, read: Iterable[Path] = ()) -> None:
    """Raise ``CommandError`` if a file cannot be written, is also read, or holds data to keep."""
    reason = why_not_writable(out)
    if not reason and any(is_same_file(out, file) for file in read):
        reason = "it is read, too; name another file"
    if reason := reason or why_not_replaced(out):
        raise CommandError(f"cannot write to {out}: {reason}")


def write_output(out: Path, text: str | Iterable[str]) -> None:
    """Write a file whole, from a text or its parts.

    Raises ``CommandError``, which names it as the user does.
    """
    if reason := why_not_writable(out):
        raise CommandError(f"cannot write to {out}: {reason}")
    try:
        write_whole(out, text)
    except OSError as error:
        is_missing = error.errno == errno.ENOENT  # the file, which is new, or its folders
        why_not = "no file can be made there" if is_missing else error.strerror
        raise CommandError(f"cannot write to {out}: {why_not}") from None


def stored_sample(file: Path, *, is_silent: bool = False) -> Sample:
    """Return the sample of a file of records, or of a baseline. Raises ``FileError``.

    Unless it ``is_silent``, it prints which lines cannot be used.
    """
    if kind_of(file) == "a baseline":
        return read_baseline(file).sample
    return sample_of_records(file, is_silent=is_silent)


def kind_of(file: Path) -> Kept | None:
    """Return whether a file holds records or a baseline, if any. Raises ``CommandError``."""
    try:
        return kept_in(file)
    except OSError as error:
        raise CommandError(f"{file}: cannot be read: {error.strerror}") from None


def sample_of_records(
    file: Path,
    date: str | None = None,
    *,
    without_replayed: bool = False,
    is_silent: bool = False,
) -> Sample:
    """Return the trials of a file of records; a baseline cannot gain those that were replayed."""
    trials = _fair_trials(file, is_silent=is_silent)
    day = date or datetime.fromtimestamp(file.stat().st_mtime, UTC).date().isoformat()
    with file.open("rb") as stream:
        key = run_key(stream, day)
    if without_replayed and (replayed := sum(trial.replayed for trial in trials)):
        text = f"{file}: {pluralize(replayed, 'trial')} replayed from cassettes: no new sample"
        if replayed == len(trials):
            raise CommandError(f"{text}; play them without --sandbox-record, or with all")
        print(f"{text}, and left out")
        trials = [trial for trial in trials if not trial.replayed]
    with consistent_records(file):
        return sample_of(trials, key, day)


def arms_in(file: Path, *, is_silent: bool = False) -> dict[str, RecordedArm]:
    """Return several agents or prompts of a file of records by their names, in its order.

    Empty if there is one agent and one prompt, or if the file is a baseline, which has no order.
    """
    if kind_of(file) == "a baseline":
        return {}
    trials = _fair_trials(file, is_silent=is_silent)
    with consistent_records(file):
        return recorded_arms(trials)


def _fair_trials(file: Path, *, is_silent: bool) -> list[PlayedTrial]:
    """Return the trials of a file that estimate without bias."""
    lines = UsableLines(file, GateRecord)
    with consistent_records(file):
        played = _played(lines)
    if lines.unusable and not is_silent:
        print(lines.unusable)
    with consistent_records(file):
        return [trial["played"] for trial in fair_sample(played)]


def _played(lines: Iterable[Line[GateRecord]]) -> list[dict[str, Any]]:
    """Return the trials of a file with what decides whether they are in a fair sample.

    Records are read one by one; of two of an item and trial, the later one counts.
    """
    latest: dict[tuple[str, int], dict[str, Any]] = {}
    shared = SharedValues()
    for line in lines:
        if line.was_run:
            record, trial = line.read, shared.of(played_trial(line.read))
            plan = {name: value for name, value in record.items() if name in _OF_PLAN}
            latest[record["id"], record["trial"]] = {**plan, "played": trial}
    return [*latest.values()]
