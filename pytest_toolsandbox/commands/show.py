"""``toolsandbox show``: lists the records of a file, or prints conversations as pages of text.

``--beside`` prints two conversations next to each other, from where they part.
"""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from pytest_toolsandbox.output.pages.record_view import RecordView, beside_text
from pytest_toolsandbox.output.tables import aligned
from pytest_toolsandbox.records.reading import Line
from pytest_toolsandbox.records.record import Record, Summary, read_record
from pytest_toolsandbox.records.trials import outcome_words
from pytest_toolsandbox.text.formatting import truncate
from pytest_toolsandbox.text.nearest_name import did_you_mean
from pytest_toolsandbox.text.redaction import redacted_line

from .forks_file import ForksFile
from .parsing import CommandError
from .record_files import StoredRun, consistent_records, stored_runs

Lines = Sequence[Line[Summary]]

_NARROWEST: Final = 60
"""Columns below which lines are not broken further."""
_MOST_NAMED: Final = 10
_WORST_FIRST: Final = ("error", "failed", "inconclusive", "passed")


def show_item(
    results: Path, item: str | None, trial: int | None, beside: str | None, width: int | None
) -> int:
    """Print the trials of the chosen items, or list all; raise for unusable lines.

    ``beside`` names the second conversation: another trial's number, another item, or another file
    of records that has the item.
    """
    (run,) = stored_runs([results])
    columns = max(_NARROWEST, width or shutil.get_terminal_size().columns)
    if item is None:
        print(*_listed(run, columns), sep="\n")
    elif beside is None:
        lines = chosen_lines(run.lines, item, trial)
        forks = ForksFile(results)
        with consistent_records(results, forks.path):
            pages = [_page(read_record(line.record), forks) for line in lines]
        print("\n".join(_wrapped("\n\n".join(pages), columns)))
    else:
        first, *_ = chosen_lines(run.lines, item, trial)
        other = _other(run.lines, item, beside)
        with consistent_records(results, beside):
            text = beside_text(read_record(first.record), read_record(other.record))
        print("\n".join(_wrapped(text, columns)))
    if run.unusable:
        raise CommandError(run.unusable)
    return 0


def _page(record: Record, forks: ForksFile) -> str:
    outcome = outcome_words(record["outcome"])
    head = f"{record['id']}  trial {record['trial']}  {record['agent']}  {outcome}"
    view = RecordView(record, forks.of(record["id"], record["trial"]))
    return "\n".join([head, view.text(with_usage=True), *view.other_calls[1:]])


def _listed(run: StoredRun, columns: int) -> Iterator[str]:
    """Yield a line for each record, the worst outcomes first, with the reason below failures."""
    lines = sorted(run.lines, key=lambda line: _WORST_FIRST.index(line.read["outcome"]))
    *columns_of_cells, names = zip(*(_cells(line.read) for line in lines), strict=True)
    shown = [*(cells for cells in columns_of_cells if len({*cells}) > 1), names]
    rows = aligned([*zip(*shown, strict=True)], words=len(shown))
    for line, row in zip(lines, rows, strict=True):
        yield row
        if line.read["outcome"] != "passed":
            with run.whole(line):
                reason = RecordView(read_record(line.record)).page.verdict
            scores = line.read["scores"]
            score = f"; score {scores['score']:.2f} of 1" if scores else ""  # the row has it
            yield f"    {truncate(reason.removesuffix(score), columns - 4)}"
    yield f"\ntoolsandbox show {run.path} ITEM prints one; ITEM is its name, or all of its id"


def _cells(summary: Summary) -> tuple[str, ...]:
    """Return what distinguishes a record; its name comes last, and is always shown."""
    scores = summary["scores"]
    return (
        outcome_words(summary["outcome"]),
        f"{scores['score']:.2f}" if scores else "n/a",
        f"trial {summary['trial']}",
        redacted_line(summary["agent"]),
        redacted_line(_names(summary)[0]),
    )


def chosen_lines(lines: Lines, item: str, trial: int | None) -> Lines:
    """Return the records of an item, by its id or name. Raises ``CommandError``."""
    chosen = [line for line in _matching(lines, item) if trial in (None, line.read["trial"])]
    if not chosen:
        raise CommandError(_no_match(lines, item, trial))
    return chosen


def _other(lines: Lines, item: str, beside: str) -> Line[Summary]:
    """Return the first record of what ``--beside`` names."""
    if beside.isdecimal():
        return chosen_lines(lines, item, int(beside))[0]
    if not _matching(lines, beside) and Path(beside).is_file():
        (run,) = stored_runs([Path(beside)])
        return chosen_lines(run.lines, item, None)[0]
    return chosen_lines(lines, beside, None)[0]


def _matching(lines: Lines, item: str) -> Lines:
    """Return the lines of the item of this id; else of this name, with brackets or without."""
    by_id = [line for line in lines if line.read["id"] == item]
    return by_id or [line for line in lines if item in _names(line.read)]


def _names(summary: Summary) -> tuple[str, str]:
    name = summary["id"].partition("::")[2] or summary["id"]
    return name, name.partition("[")[0]


def _no_match(lines: Lines, item: str, trial: int | None) -> str:
    trials = sorted({line.read["trial"] for line in _matching(lines, item)})
    if trials:
        return f"{item} has no trial {trial}; it has {', '.join(map(str, trials))}"
    names = sorted({name for line in lines for name in _names(line.read)})
    ellipsis = ", …" if len(names) > _MOST_NAMED else ""
    known = did_you_mean(item, names) or f": {', '.join(names[:_MOST_NAMED])}{ellipsis}"
    return f"there is no item {item!r}{known}"


def _wrapped(text: str, columns: int) -> Iterator[str]:
    """Yield the lines; the parts of a long one are indented further after the first."""
    for line in text.split("\n"):
        margin = len(line) - len(line.lstrip())
        indent = " " * min(margin + 8, columns // 2)
        yield from textwrap.wrap(line, columns, subsequent_indent=indent) or [""]
