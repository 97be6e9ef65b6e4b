"""What a session says of its scenarios below pytest's own reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from pytest_toolsandbox.plugin.playing.requesting import spent
from pytest_toolsandbox.plugin.stash import RESUMED, STORED
from pytest_toolsandbox.reporting import terminal
from pytest_toolsandbox.reporting.quarantine import counted_in_gates, quarantine_line

from .spending import recorded_usage
from .unread_words import unread_words

if TYPE_CHECKING:
    from .session import SessionReports


def print_summary(of: SessionReports, red: list[str], reporter: pytest.TerminalReporter) -> None:
    """Print the scores, remarks in yellow, and in red why the session is not green."""
    verdict, html = of.verdict, of.html
    reporter.write_sep("=", "toolsandbox")
    for lines, colour in (
        (terminal.all_tables(counted_in_gates(of.all_records())), {}),
        (_remarks(of), {"yellow": True}),
        (red, {"red": True}),
        ([of.gate.line] if of.gate.line else [], {"yellow": True}),
        (verdict.lines(), verdict.colour) if verdict else ([], {}),
        ([f"html: {html.path}"] if html and html.is_written else [], {}),
    ):
        for line in lines:
            reporter.write_line(line, **colour)


def _remarks(of: SessionReports) -> Iterator[str]:
    records, stash = counted_in_gates(of.all_records()), of.config.stash
    stored, resumed = stash.get(STORED, None), stash.get(RESUMED, None)
    named = ", ".join(of.config.getoption("--agent") or ()) or None
    yield from terminal.remarks(records, named, len(of.unreadable_files), of.skipped)
    yield from unread_words(records, of.settings, of.config)
    yield from quarantine_line(of.all_records())
    spent_here = spent(of.config)
    yield from of.budget.remarks(of.all_records(), spent_here, is_resumed=bool(resumed))
    yield from recorded_usage(records, of.settings.record)
    if resumed:
        yield from terminal.resumed(of.resumed, of.settings.resume)
        yield from filter(None, [resumed.unusable])
    yield from terminal.in_turn_lines(Counter(of.in_turn.values()))
    if stored:
        yield from filter(None, [stored.unusable])
    yield from filter(None, [of.unsaid])
