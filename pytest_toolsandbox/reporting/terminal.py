"""The summary that ends a run in the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from pytest_toolsandbox.records.record import Summary
from pytest_toolsandbox.wording.phrases import counted

from .error_table import error_lines
from .judge_lines import judge_lines
from .tables import aligned, joined_tables
from .tooltalk_table import call_lines
from .totals import summary_table
from .usage_table import usage_lines
from .user_lines import user_lines

FIXTURE = "fixture"
"""The name in a record of an agent that a conftest's fixture gives."""


def summary_lines(records: Sequence[Summary]) -> list[str]:
    """Return the table of means per category and overall; empty without records."""
    return aligned(summary_table(records).rows())


def all_tables(records: Sequence[Summary]) -> list[str]:
    """Return the tables of a run, one below the other."""
    tables = (call_lines, error_lines, summary_lines, usage_lines, user_lines, judge_lines)
    return joined_tables(lines(records) for lines in tables)


def remarks(
    records: Sequence[Summary], named: str | None, unread_files: int, skipped: Mapping[str, int]
) -> Iterator[str]:
    """Yield what the table does not count, and whether another agent played than ``named``."""
    played = {record["id"] for record in records if record.get("agent") == FIXTURE}
    if named is not None and played:
        items = counted(len(played), "item")
        yield f"the fixture 'agent' of a conftest.py played {items}, not --agent={named}"
    others = sum((Counter(record.get("other_calls", {})) for record in records), Counter[str]())
    if others:
        named_calls = ", ".join(f"{name} {count}" for name, count in sorted(others.items()))
        yield f"calls of tools that are no scenario's, which nothing here sees: {named_calls}"
    if unread_files:
        files = counted(unread_files, "scenario file")
        whose = "its" if unread_files == 1 else "their"
        yield f"{files} could not be read: {whose} scenarios are not counted"
    if without_agent := skipped["without agent"]:
        yield f"{counted(without_agent, 'scenario')} skipped without an agent: give --agent=NAME"
    if without_record := skipped["without record"]:
        items = counted(without_record, "item")
        yield f"{items} skipped without a stored conversation: -rs tells why"


def resumed(counts: Mapping[str, int], file: object) -> Iterator[str]:
    """Yield what was not played, since ``file`` has it, and how many items were again.

    Items are ``kept`` and ``changed``; what is ``judged`` are conversations.
    """
    if kept := counts["kept"]:
        yield f"resume: {counted(kept, 'item')} not played, but told from {file}"
    if judged := counts["judged"]:
        yield f"resume: {counted(judged, 'conversation')} of {file} judged, and not held again"
    if changed := counts["changed"]:
        items = counted(changed, "item")
        yield f"resume: {items} played again, whose scenario, tools or world are others now"


def in_turn_lines(reasons: Mapping[str, int]) -> Iterator[str]:
    """Yield how many items were played one at a time and why, where others are played ahead."""
    count = sum(reasons.values())
    if count <= 1:  # nothing to be played beside it
        return
    most = sorted(reasons.items(), key=lambda each: (-each[1], each[0]))
    why = "; ".join(f"{reason} ({number})" for reason, number in most)
    yield f"{counted(count, 'item')} could not be played ahead, but one at a time: {why}"
