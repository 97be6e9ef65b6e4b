"""The files of records that a command is given, each a run with a name of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pytest_toolsandbox.records.reading import Line, StoredError, usable_lines
from pytest_toolsandbox.records.record import Summary

from . import CommandError


class StoredRun(NamedTuple):
    """A file of records: its name without the ending, its lines, and what cannot be used."""

    name: str
    lines: Sequence[Line[Summary]]
    unusable: str | None
    path: Path


def stored_runs(files: Sequence[Path]) -> list[StoredRun]:
    """Return the records of each file. Raises ``CommandError`` where one cannot be read.

    Of two records of one item and trial in a file the later one counts. Files of the same name in
    several folders have their folder before it.
    """
    paths = list(dict.fromkeys(files))
    names = Counter(path.stem for path in paths)
    runs = []
    try:
        for path in paths:
            lines, unusable = usable_lines(path, Summary)
            latest = {(line.read["id"], line.read["trial"]): line for line in lines}
            name = path.stem if names[path.stem] == 1 else f"{path.parent.name}/{path.stem}"
            runs.append(StoredRun(name, [*latest.values()], unusable, path))
    except StoredError as error:
        raise CommandError(str(error)) from None
    return runs
