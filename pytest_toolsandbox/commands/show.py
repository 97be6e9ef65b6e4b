"""``toolsandbox show``: a conversation of a file of records, as the page of a failed one."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from pytest_toolsandbox.records.reading import Line
from pytest_toolsandbox.records.record import Summary, read_record
from pytest_toolsandbox.reporting.html.conversation import other_calls, page_view
from pytest_toolsandbox.reporting.pages.findings import page_text
from pytest_toolsandbox.wording.nearest_name import did_you_mean

from . import CommandError
from .stored_runs import stored_runs

NARROWEST: Final = 60
"""Columns below which lines are not broken further."""
MOST_NAMED: Final = 10


def show_item(results: Path, item: str, trial: int | None, width: int | None) -> int:
    """Print the trials of the items that are meant; return 1 for lines that cannot be used."""
    (run,) = stored_runs([results])
    found = [line for line in _meant(run.lines, item) if trial in (None, line.read["trial"])]
    if not found:
        raise CommandError(_nothing(run.lines, item, trial))
    columns = max(NARROWEST, width or shutil.get_terminal_size().columns)
    for place, line in enumerate(found):
        record = read_record(line.record)
        head = f"{record['id']}  trial {record['trial']}  {record['agent']}  {record['outcome']}"
        text = "\n".join([page_text(record, page_view(record)), *other_calls(record)])
        print(*([""] if place else []), head, *_broken(text, columns), sep="\n")
    return 1 if run.unusable else 0


def _meant(lines: Sequence[Line[Summary]], item: str) -> list[Line[Summary]]:
    """Return the lines of the item of this id; else of this name, with brackets or without."""
    by_id = [line for line in lines if line.read["id"] == item]
    return by_id or [line for line in lines if item in _names(line.read)]


def _names(record: Summary) -> tuple[str, str]:
    name = record["id"].partition("::")[2] or record["id"]
    return name, name.partition("[")[0]


def _nothing(lines: Sequence[Line[Summary]], item: str, trial: int | None) -> str:
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
