"""The file of forks beside a file of records: ``results.jsonl`` has ``results.forks.jsonl``.

Its lines are records of conversations that were played on from a message of a recorded one. Their
``trial`` counts the forks of an item, and ``fork`` says of which trial, where and how.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pytest_toolsandbox.records.reading import UsableLines
from pytest_toolsandbox.records.record import Record, read_record
from pytest_toolsandbox.records.writing import as_line

from .parsing import CommandError
from .record_files import write_output

_ENDING: Final = ".forks.jsonl"


def forks_path(results: Path) -> Path:
    """Return the path of the file of forks of a file of records."""
    return results.with_name(f"{results.stem}{_ENDING}")


class ForksFile:
    """The forks of a file of records, in the order in which they are written."""

    def __init__(self, results: Path, out: Path | None = None) -> None:
        self.path = out or forks_path(results)
        self.records: list[dict[str, Any]] = []
        if self.path.exists():
            lines = [*UsableLines(self.path, Record)]
            if not all("fork" in line.read for line in lines):
                text = "it has records that are no forks; name another file with --out"
                raise CommandError(f"{self.path}: {text}")
            self.records = [line.record for line in lines]

    def of(self, identifier: str, trial: int) -> list[Record]:
        """Return the forks of a trial of an item."""
        same = (record for record in self.records if record["id"] == identifier)
        return [read_record(record) for record in same if record["fork"]["trial"] == trial]

    def free_numbers(self, identifier: str, count: int) -> Sequence[int]:
        """Return the numbers of the next forks of an item."""
        used = [record["trial"] for record in self.records if record["id"] == identifier]
        first = max(used, default=0) + 1
        return range(first, first + count)

    def drop_blame(self, identifier: str, trial: int) -> None:
        """Forget the forks that blame played of a trial; those by hand stay."""
        self.records = [
            record
            for record in self.records
            if (record["id"], record["fork"]["trial"]) != (identifier, trial)
            or record["fork"]["kind"] == "by_hand"
        ]

    def add(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Add forks, and write the file whole."""
        self.records += [dict(record) for record in records]
        self.write()

    def write(self) -> None:
        """Write the file whole."""
        write_output(self.path, (f"{as_line(record)}\n" for record in self.records))
