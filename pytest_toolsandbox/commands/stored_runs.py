"""The files of records that a command is given, each a run with a name of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import NamedTuple

from pytest_toolsandbox.records.reading import Line, StoredError, usable_lines
from pytest_toolsandbox.records.record import Record, Summary
from pytest_toolsandbox.wording.phrases import VALUE_LIMIT, counted, one_line

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

    def whole(self, line: Line[Summary]) -> AbstractContextManager[None]:
        """Say of errors that come of a record which line it is."""
        return holding_together(f"{self.path}:{line.number}")


@contextmanager
def holding_together(*where: object) -> Iterator[None]:
    """Say in a line that records, which someone has changed, contradict themselves."""
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
        names, kind = ", ".join(map(str, where)), type(error).__name__
        what = one_line(f"{kind}: {error}", VALUE_LIMIT)
        remedy = "leave the line out, or play the scenarios again"
        raise CommandError(f"{names}: a record contradicts itself ({what}); {remedy}") from None


def stored_runs(files: Sequence[Path], *, whole: bool = True) -> list[StoredRun]:
    """Return the records of what was run. Raises ``CommandError`` where a file has none to read.

    A line whose record is none is unusable; only its summary is looked at unless it is read
    ``whole``.
    Of two records of one item and trial in a file the later one counts. Files of the same name in
    several folders have their folder before it.
    """
    paths = list(dict.fromkeys(files))
    names = Counter(path.stem for path in paths)
    runs = []
    try:
        for path in paths:
            lines, unusable = usable_lines(path, Summary, whole=Record if whole else None)
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
