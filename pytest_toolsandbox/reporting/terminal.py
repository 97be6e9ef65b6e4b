"""The summary that ends a run in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_toolsandbox.language.wording import counted

from .records import Record
from .tables import aligned, number
from .totals import Total, augmented_totals, totals

FIXTURE = "fixture"
"""What a record says of an agent that is none of ``--agent``'s."""
HEADER = ("", "items", "pass", "fail", "error", "score", "turns", "calls")
"""Short, so that even the longest name of an augmentation leaves a row within 80 columns."""


def summary_lines(records: Sequence[Record]) -> list[str]:
    """Return the table of means per category, per augmentation and overall; none of no records.

    The rows of augmentations, where there are any, stand apart.
    """
    if not records:
        return []
    *categories, everything = map(_cells, totals(records))
    augmented = list(map(_cells, augmented_totals(records)))
    if not augmented:
        return aligned([HEADER, *categories, everything])
    above: list[tuple[str, ...]] = [()] if categories else []
    return aligned([HEADER, *categories, *above, *augmented, (), everything])


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


def other_agent_lines(named: str | None, records: Sequence[Record]) -> list[str]:
    """Return a line where another agent played than the one that the command line names."""
    played = {record["id"] for record in records if record.get("agent") == FIXTURE}
    if named is None or not played:
        return []
    scenarios = counted(len(played), "item")
    return [f"the fixture 'agent' of a conftest.py played {scenarios}, not --agent={named}"]


def _cells(total: Total) -> tuple[str, ...]:
    return (
        total.name,
        str(total.items),
        str(total.passed),
        str(total.failed),
        str(total.errors),
        number(total.score, 3),
        number(total.turns, 1),
        number(total.tool_calls, 1),
    )
