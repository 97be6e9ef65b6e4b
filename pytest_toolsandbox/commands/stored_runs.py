"""The files of records that a command is given, each a run with a name of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pytest_toolsandbox.records.reading import Line, StoredError, usable_lines
from pytest_toolsandbox.records.record import Summary
from pytest_toolsandbox.wording.phrases import counted

from . import CommandError


class StoredRun(NamedTuple):
    """A file of records: its name without the ending, its lines, and what cannot be used.

    ``not_run`` says how many items the run did not come to, if there are any.
    """

    name: str
    lines: Sequence[Line[Summary]]
    unusable: str | None
    path: Path
    not_run: str | None


def stored_runs(files: Sequence[Path]) -> list[StoredRun]:
    """Return the records of what was run. Raises ``CommandError`` where a file has none to read.

    Of two records of one item and trial in a file the later one counts. Files of the same name in
    several folders have their folder before it.
    """
    paths = list(dict.fromkeys(files))
    names = Counter(path.stem for path in paths)
    runs = []
    try:
        for path in paths:
            lines, unusable = usable_lines(path, Summary)
            latest = {(line.read["id"], line.read["trial"]): line for line in lines if line.was_run}
            left = len({line.read["id"] for line in lines} - {name for name, _ in latest})
            not_run = f"{path}: {counted(left, 'item')} not run" if left else None
            if not latest:
                raise CommandError(f"{not_run}, and no other")
            name = path.stem if names[path.stem] == 1 else f"{path.parent.name}/{path.stem}"
            runs.append(StoredRun(name, [*latest.values()], unusable, path, not_run))
    except StoredError as error:
        raise CommandError(str(error)) from None
    return runs
