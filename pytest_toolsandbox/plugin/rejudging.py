"""Stored conversations in the place of played ones: ``--sandbox-rejudge``."""

from __future__ import annotations

import pytest

from pytest_toolsandbox.records.reading import (
    StoredError,
    StoredRecord,
    StoredRecords,
    read_records,
    without_parameters,
)

from .settings import settings_of
from .skips import skip

STORED = pytest.StashKey[StoredRecords]()
"""The records that are judged again, where there are any."""

NO_RECORD = "there is no stored conversation of this item"
OTHER_VARIANTS = (
    "those of its scenario have another --sandbox-augment or --sandbox-feedback, or other "
    "parameters of fixtures"
)


def read_stored(config: pytest.Config) -> None:
    """Read the records before any of them is asked for."""
    path = settings_of(config).rejudge
    assert path is not None
    try:
        config.stash[STORED] = read_records(path)
    except StoredError as error:
        raise pytest.UsageError(f"--sandbox-rejudge: {error}") from None


def unusable_lines(config: pytest.Config) -> list[str]:
    """Return what is said of the lines of the file that cannot be used."""
    stored = config.stash.get(STORED, None)
    return stored.unusable_lines if stored else []


def stored_records(stored: StoredRecords, item: pytest.Item) -> list[StoredRecord]:
    """Return the records of an item, one for each trial; without any, skip it."""
    if item.nodeid not in stored.records:
        other = without_parameters(item.nodeid) in stored.scenarios
        skip(item, "without record", f"{NO_RECORD}; {OTHER_VARIANTS}" if other else NO_RECORD)
    return [record for _, record in sorted(stored.records[item.nodeid].items())]
