"""Stored conversations in the place of played ones: ``--sandbox-rejudge``."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_toolsandbox.records.reading import (
    StoredError,
    StoredRecord,
    StoredRecords,
    read_records,
    without_parameters,
)

from .collecting import skip

STORED = pytest.StashKey[StoredRecords]()
"""The records that are judged again, where there are any."""

NO_RECORD = "there is no stored conversation of this item"
OTHER_VARIANTS = (
    "those of its scenario have another --sandbox-augment or --sandbox-feedback, or other "
    "parameters of fixtures"
)


def read_stored(config: pytest.Config, path: Path) -> None:
    """Read the records before any of them is asked for."""
    try:
        config.stash[STORED] = read_records(path)
    except StoredError as error:
        raise pytest.UsageError(f"--sandbox-rejudge: {error}") from None


def stored_records(stored: StoredRecords, item: pytest.Item) -> list[StoredRecord]:
    """Return the records of an item, one for each trial; without any, skip it."""
    if item.nodeid not in stored.records:
        other = without_parameters(item.nodeid) in stored.scenarios
        skip(item, "without record", f"{NO_RECORD}; {OTHER_VARIANTS}" if other else NO_RECORD)
    return [record for _, record in sorted(stored.records[item.nodeid].items())]
