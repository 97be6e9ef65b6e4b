"""The summary that ends a run in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_toolsandbox.records.record import Summary
from pytest_toolsandbox.wording.phrases import counted

from .error_table import error_lines
from .tables import aligned, joined_tables
from .tooltalk_table import call_lines
from .totals import summary_table

FIXTURE = "fixture"
"""The name in a record of an agent that a conftest's fixture gives."""


def summary_lines(records: Sequence[Summary]) -> list[str]:
    """Return the table of means per category and overall; empty without records."""
    return aligned(summary_table(records).rows()) if records else []


def all_tables(records: Sequence[Summary]) -> list[str]:
    """Return the tables of a run, one below the other."""
    return joined_tables(lines(records) for lines in (call_lines, error_lines, summary_lines))


def not_played_lines(unread_files: int, without_agent: int, without_record: int) -> list[str]:
    """Return what the table does not count.

    Files that cannot be read, items without an agent, or without a record to be judged again.
    """
    lines = []
    if unread_files:
        files = counted(unread_files, "scenario file")
        whose = "its" if unread_files == 1 else "their"
        lines.append(f"{files} could not be read: {whose} scenarios are not counted")
    if without_agent:
        scenarios = counted(without_agent, "scenario")
        lines.append(f"{scenarios} skipped without an agent: give --agent=NAME")
    if without_record:
        items = counted(without_record, "item")
        lines.append(f"{items} skipped without a stored conversation: -rs tells why")
    return lines


def other_agent_lines(named: str | None, records: Sequence[Summary]) -> list[str]:
    """Return a line where another agent played than the one that the command line names."""
    played = {record["id"] for record in records if record.get("agent") == FIXTURE}
    if named is None or not played:
        return []
    scenarios = counted(len(played), "item")
    return [f"the fixture 'agent' of a conftest.py played {scenarios}, not --agent={named}"]
