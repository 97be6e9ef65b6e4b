"""``toolsandbox stats --quarantine``: which scenarios may leave their quarantine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pytest_toolsandbox.records.reading import StoredError, usable_records
from pytest_toolsandbox.reporting.quarantine import (
    QuarantineRecord,
    quarantine_table,
    quarantined,
)

from . import CommandError

_CONFIDENCE = 0.95


def print_quarantine(files: Sequence[Path], passes: int) -> int:
    """Print how those in quarantine did, by files of records; return 1 for unusable lines."""
    records, unusable = [], []
    try:
        for file in dict.fromkeys(files):
            read, told = usable_records(file, QuarantineRecord)
            records += read
            unusable += [told] if told else []
    except StoredError as error:
        raise CommandError(str(error)) from None
    if items := quarantined(records):
        print(*quarantine_table(items, passes), "", _meaning(passes), sep="\n")
    else:
        print("no scenario of these records is in quarantine")
    print(*unusable, sep="\n", end="\n" if unusable else "")
    return 1 if unusable else 0


def _meaning(passes: int) -> str:
    """Return what so many passes prove: more failures would have shown one, at 95 %."""
    share = 1 - (1 - _CONFIDENCE) ** (1 / passes)
    what = f"{passes} passes in a row" if passes > 1 else "a pass"
    return f"{what}: at most {share:.0%} of the conversations fail, with 95 % confidence"
