"""The summary of a step of CI in Markdown: the verdict, what did not pass, and the figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from pytest_toolsandbox.records.record import Summary
from pytest_toolsandbox.records.verdict import verdict
from pytest_toolsandbox.wording.phrases import counted
from pytest_toolsandbox.wording.redaction import redacted, redacted_line

from .comparison_text import MARKS
from .markdown import cell, plain, row, table
from .totals import by_item, summary_table

LIMIT: Final = 100_000
"""Bytes: a step of GitHub's may have 1024 kB, and loses all of it where it has more."""
_WORST: Final = ("error", "failed", "inconclusive")
_VERDICT: Final = "baseline: "
_TAIL: Final = 80
"""Bytes for the line that says how many are left out."""
Link = Callable[[str], str | None]


class Told(NamedTuple):
    """What a session tells below its verdict: lines, and sections in Markdown."""

    lines: Sequence[str] = ()
    sections: Sequence[str] = ()


NOTHING: Final = Told()


def step_summary(
    records: Sequence[Summary],
    why: Mapping[str, str],
    link: Link,
    told: Told = NOTHING,
    limit: int = LIMIT,
) -> str:
    """Return Markdown of at most ``limit`` bytes: what did not pass comes before the figures.

    ``why`` maps the ids of items to a line that says why they did not pass, ``link`` their ids to
    where their file is shown. Sections of what is ``told`` take half of the bytes at most.
    """
    outcomes = {trials[0]["id"]: verdict(trials) for trials in by_item(records)}
    missed = [name for kind in _WORST for name, one in outcomes.items() if one == kind]
    counts = [f"{one} {kind}" for kind in _WORST if (one := [*outcomes.values()].count(kind))]
    of = counted(len(outcomes), "scenario")
    bad = f"### ❌ {len(missed)} of {of} did not pass: {', '.join(counts)}"
    head = bad if missed else f"### ✅ {of} passed"
    lines = [head, "", *(f"- {plain(redacted_line(one))}" for one in told.lines)]
    if told.lines and told.lines[0].startswith(_VERDICT):  # failures are weighed by it
        first = told.lines[0].removeprefix(_VERDICT)
        mark = MARKS.get(first.partition(":")[0], "❌")
        lines[0], lines[2] = f"### {mark} {plain(redacted_line(first))}", f"- {head[6:]}"
    found = summary_table(records)
    figures = table(found.headings, [one for one in found.rows()[1:] if one])
    for section in map(redacted, told.sections):
        if len("\n".join([*lines, section]).encode()) < limit // 2:
            lines += ["", section]
    rows = [_row(outcomes[name], name, why.get(name, ""), link) for name in missed]
    return _fitting(lines, rows, figures, limit)


def _fitting(lines: Sequence[str], rows: Sequence[str], figures: str, limit: int) -> str:
    text = "\n".join([*lines, ""])
    if rows:
        text += f"\n{row(('outcome', 'scenario', 'why'))}\n{row(('---',) * 3)}\n"
    for place, one in enumerate(rows):
        if len((text + one).encode()) + len(figures.encode()) + _TAIL > limit:
            text += f"\nand {len(rows) - place} more, which the terminal's summary names\n"
            break
        text += f"{one}\n"
    return f"{text}\n{figures}\n"


def _row(outcome: str, name: str, why: str, link: Link) -> str:
    shown = cell(redacted_line(name.partition("::")[2] or name))
    target = link(name)
    linked = f"[{shown}]({target})" if target else shown
    return row((outcome, linked, cell(redacted_line(why))))
