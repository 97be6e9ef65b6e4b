"""Reads samples of trials from files of records and from baselines."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from pytest_toolsandbox.commands import CommandError
from pytest_toolsandbox.gate.baseline import (
    Baseline,
    BaselineError,
    Kept,
    kept_in,
    read_baseline,
    run_key,
)
from pytest_toolsandbox.gate.played import GateRecord, played_trial
from pytest_toolsandbox.gate.samples import Sample, sample_of
from pytest_toolsandbox.records.trials import fair_sample
from pytest_toolsandbox.text.formatting import pluralize

from .record_files import consistent_records, latest_records


def stored_sample(file: Path) -> Sample:
    """Return the sample of a file of records, or of a baseline. Raises ``CommandError``."""
    return stored_baseline(file).sample if kind_of(file) == "a baseline" else _sample(file)


def new_sample(file: Path, date: str | None) -> Sample:
    """Return the trials of a file of records that a baseline can gain: those not replayed."""
    return _sample(file, date, without_replayed=True)


def stored_baseline(file: Path) -> Baseline:
    """Return what the file of a baseline holds. Raises ``CommandError``."""
    try:
        return read_baseline(file)
    except BaselineError as error:
        raise CommandError(str(error)) from None


def kind_of(file: Path) -> Kept | None:
    """Return whether a file holds records or a baseline, if any. Raises ``CommandError``."""
    try:
        return kept_in(file)
    except OSError as error:
        raise CommandError(f"{file}: cannot be read: {error.strerror}") from None


def _sample(file: Path, date: str | None = None, *, without_replayed: bool = False) -> Sample:
    records, unusable = latest_records(file, GateRecord)
    if unusable:
        print(unusable)
    day = date or datetime.fromtimestamp(file.stat().st_mtime, UTC).date().isoformat()
    with file.open("rb") as stream:
        key = run_key(stream, day)
    with consistent_records(file):
        trials = [played_trial(record) for record in fair_sample(records)]
    if without_replayed and (replayed := sum(trial.replayed for trial in trials)):
        text = f"{file}: {pluralize(replayed, 'trial')} replayed from cassettes: no new sample"
        if replayed == len(trials):
            raise CommandError(f"{text}; play them without --sandbox-record, or with all")
        print(f"{text}, and left out")
        trials = [trial for trial in trials if not trial.replayed]
    return sample_of(trials, key, day)
