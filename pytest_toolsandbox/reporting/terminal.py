"""The summary that ends a run in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_toolsandbox.language.wording import counted

from .records import Record
from .totals import Total, totals

HEADER = ("", "scenarios", "passed", "failed", "errors", "score", "turns", "calls")


def summary_lines(records: Sequence[Record]) -> list[str]:
    """Return the table of scores per category and overall; none of an empty run."""
    if not records:
        return []
    rows = [HEADER, *map(_cells, totals(records))]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADER))]
    return [_line(row, widths) for row in rows]


def not_played_lines(unread_files: int, without_agent: int) -> list[str]:
    """Return what the table does not count: files that cannot be read, scenarios without agent."""
    lines = []
    if unread_files:
        files = counted(unread_files, "scenario file")
        whose = "its" if unread_files == 1 else "their"
        lines.append(f"{files} could not be read: {whose} scenarios are not counted")
    if without_agent:
        scenarios = counted(without_agent, "scenario")
        lines.append(f"{scenarios} skipped without an agent: give --agent=NAME")
    return lines


def _cells(total: Total) -> tuple[str, ...]:
    return (
        total.name,
        str(total.items),
        str(total.passed),
        str(total.failed),
        str(total.errors),
        _number(total.score, 3),
        _number(total.turns, 1),
        _number(total.tool_calls, 1),
    )


def _number(value: float | None, digits: int) -> str:
    return "n/a" if value is None else f"{value:.{digits}f}"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *rest = (cell.rjust(width) for cell, width in zip(cells, widths, strict=True))
    return "  ".join([first.strip().ljust(widths[0]), *rest]).rstrip()
