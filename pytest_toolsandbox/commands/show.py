"""``toolsandbox show``: what a file of records has, a conversation as a page, or two of them.

The files of records that a command is given, each a run with a name of its own.

The file that a command writes: it takes the place of nothing that is to be kept.
"""

from __future__ import annotations

import errno
import shutil
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Final, NamedTuple

import pytest_toolsandbox.protocols  # noqa: F401  # registers those that show pages
from pytest_toolsandbox.gate.baseline import why_not_replaced
from pytest_toolsandbox.output.pages.record_view import RecordView, beside_text
from pytest_toolsandbox.output.tables import aligned
from pytest_toolsandbox.records.reading import Line, StoredError, usable_lines
from pytest_toolsandbox.records.record import Record, Summary, read_record
from pytest_toolsandbox.text.files import is_same_file, why_not_writable, write_whole
from pytest_toolsandbox.text.formatting import VALUE_LIMIT, one_line, pluralize, truncate
from pytest_toolsandbox.text.nearest_name import did_you_mean
from pytest_toolsandbox.text.redaction import redacted_line

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
            not_run = f"{path}: {pluralize(left, 'item')} not run" if left else None
            if not latest:
                raise CommandError(f"{not_run}, and no other")
            name = path.stem if names[path.stem] == 1 else f"{path.parent.name}/{path.stem}"
            runs.append(StoredRun(name, [*latest.values()], unusable, path, not_run))
    except StoredError as error:
        raise CommandError(str(error)) from None
    return runs


IS_FOLDER: Final = "it is a folder; name a file in it"


def check_output(out: Path, read: Iterable[Path]) -> None:
    """Raise ``CommandError`` where a file cannot be written, is read too, or is to be kept."""
    reason = why_not_writable(out)
    if not reason and any(is_same_file(out, file) for file in read):
        reason = "it is read, too; name another file"
    if reason := reason or why_not_replaced(out):
        raise CommandError(f"cannot write to {out}: {reason}")


def write_output(out: Path, text: str) -> None:
    """Write a file whole. Raises ``CommandError``, which names it as the user does."""
    if reason := why_not_writable(out):
        raise CommandError(f"cannot write to {out}: {reason}")
    try:
        write_whole(out, text)
    except OSError as error:
        is_missing = error.errno == errno.ENOENT  # the file, which is new, or its folders
        why_not = "no file can be made there" if is_missing else error.strerror
        raise CommandError(f"cannot write to {out}: {why_not}") from None


NARROWEST: Final = 60
"""Columns below which lines are not broken further."""
MOST_NAMED: Final = 10
WORST: Final = ("error", "failed", "inconclusive", "passed")
Lines = Sequence[Line[Summary]]


def show_item(
    results: Path, item: str | None, trial: int | None, beside: str | None, width: int | None
) -> int:
    """Print the trials of the items that are meant, or what there is; raise for unusable lines.

    ``beside`` is what the conversation is laid beside: another trial's number, another item, or
    another file of records that has it.
    """
    (run,) = stored_runs([results])
    columns = max(NARROWEST, width or shutil.get_terminal_size().columns)
    if item is None:
        print(*_listed(run, columns), sep="\n")
    elif beside is None:
        found = _found(run.lines, item, trial)
        with holding_together(results):
            pages = [_page(read_record(line.record)) for line in found]
        print("\n".join(_broken("\n\n".join(pages), columns)))
    else:
        first, *_ = _found(run.lines, item, trial)
        other = _other(run.lines, item, beside)
        with holding_together(results, beside):
            text = beside_text(read_record(first.record), read_record(other.record))
        print("\n".join(_broken(text, columns)))
    if run.unusable:
        raise CommandError(run.unusable)
    return 0


def _page(record: Record) -> str:
    head = f"{record['id']}  trial {record['trial']}  {record['agent']}  {record['outcome']}"
    view = RecordView(record)
    return "\n".join([head, view.text(with_usage=True), *view.other_calls[1:]])


def _listed(run: StoredRun, columns: int) -> Iterator[str]:
    """Yield a line for each record, those that did not pass first, with the reason below them."""
    lines = sorted(run.lines, key=lambda line: WORST.index(line.read["outcome"]))
    *beside, names = zip(*(_cells(line.read) for line in lines), strict=True)
    shown = [*(cells for cells in beside if len({*cells}) > 1), names]
    rows = aligned([*zip(*shown, strict=True)], words=len(shown))
    for line, row in zip(lines, rows, strict=True):
        yield row
        if line.read["outcome"] != "passed":
            with run.whole(line):
                why = RecordView(read_record(line.record)).page.verdict
            yield f"    {truncate(why.removeprefix(_score(line.read)), columns - 4)}"
    yield f"\ntoolsandbox show {run.path} ITEM prints one; ITEM is its name, or all of its id"


def _cells(read: Summary) -> tuple[str, ...]:
    """Return what tells a record from others; its name comes last, and is always shown."""
    scores, agent = read["scores"], redacted_line(read["agent"])
    score = f"{scores['score']:.2f}" if scores else "n/a"
    return (read["outcome"], score, f"trial {read['trial']}", agent, redacted_line(_names(read)[0]))


def _score(read: Summary) -> str:
    """Return with what its verdict begins, where it stands beside it."""
    return f"score {read['scores']['score']:.2f} of 1: " if read["scores"] else ""


def _found(lines: Lines, item: str, trial: int | None) -> Lines:
    found = [line for line in _meant(lines, item) if trial in (None, line.read["trial"])]
    if not found:
        raise CommandError(_nothing(lines, item, trial))
    return found


def _other(lines: Lines, item: str, beside: str) -> Line[Summary]:
    """Return the first record of what ``--beside`` names."""
    if beside.isdecimal():
        return _found(lines, item, int(beside))[0]
    if not _meant(lines, beside) and Path(beside).is_file():
        (run,) = stored_runs([Path(beside)])
        return _found(run.lines, item, None)[0]
    return _found(lines, beside, None)[0]


def _meant(lines: Lines, item: str) -> Lines:
    """Return the lines of the item of this id; else of this name, with brackets or without."""
    by_id = [line for line in lines if line.read["id"] == item]
    return by_id or [line for line in lines if item in _names(line.read)]


def _names(record: Summary) -> tuple[str, str]:
    name = record["id"].partition("::")[2] or record["id"]
    return name, name.partition("[")[0]


def _nothing(lines: Lines, item: str, trial: int | None) -> str:
    trials = sorted({line.read["trial"] for line in _meant(lines, item)})
    if trials:
        return f"{item} has no trial {trial}; it has {', '.join(map(str, trials))}"
    names = sorted({name for line in lines for name in _names(line.read)})
    more = ", …" if len(names) > MOST_NAMED else ""
    known = did_you_mean(item, names) or f": {', '.join(names[:MOST_NAMED])}{more}"
    return f"there is no item {item!r}{known}"


def _broken(text: str, columns: int) -> Iterator[str]:
    """Yield the lines, long ones in several, of which those after the first stand further in."""
    for line in text.split("\n"):
        margin = len(line) - len(line.lstrip())
        inset = " " * min(margin + 8, columns // 2)
        yield from textwrap.wrap(line, columns, subsequent_indent=inset) or [""]
