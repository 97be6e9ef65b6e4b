"""``toolsandbox show``: what a file of records has, a conversation as a page, or two of them."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from pytest_toolsandbox.records.reading import Line
from pytest_toolsandbox.records.record import Record, Summary, read_record
from pytest_toolsandbox.reporting.html.conversation import other_calls, page_view
from pytest_toolsandbox.reporting.pages.beside import beside_text
from pytest_toolsandbox.reporting.pages.findings import page_text
from pytest_toolsandbox.reporting.pages.thread import spent_at
from pytest_toolsandbox.reporting.pages.view import Note
from pytest_toolsandbox.reporting.tables import aligned
from pytest_toolsandbox.wording.nearest_name import did_you_mean
from pytest_toolsandbox.wording.phrases import cut
from pytest_toolsandbox.wording.redaction import redacted_line

from . import CommandError
from .stored_runs import StoredRun, holding_together, stored_runs

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
    view = page_view(record)
    spent = {at: [Note(words) for words in some] for at, some in spent_at(record).items()}
    notes = view.notes or {}
    both = {at: [*spent.get(at, ()), *notes.get(at, ())] for at in {*spent, *notes}}
    return "\n".join([head, page_text(record, replace(view, notes=both)), *other_calls(record)])


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
                why = page_view(read_record(line.record)).verdict
            yield f"    {cut(why.removeprefix(_score(line.read)), columns - 4)}"
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
