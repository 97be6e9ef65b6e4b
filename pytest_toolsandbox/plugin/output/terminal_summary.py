"""What a session says of its scenarios below pytest's own reports.

Say how many passed items no judge has read, and the command that has them read.

Whether failed scenarios fail a session in which means or a baseline decide.
"""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from pytest_toolsandbox.output import terminal
from pytest_toolsandbox.output.quarantine import counted_in_gates, quarantine_line
from pytest_toolsandbox.output.terminal import words_lines
from pytest_toolsandbox.plugin.playing.requesting import recorded_usage, spent
from pytest_toolsandbox.plugin.stash import RESUMED, STORED
from pytest_toolsandbox.records.trials import by_item, lacks_trials, verdict
from pytest_toolsandbox.text.formatting import pluralize
from pytest_toolsandbox.text.redaction import redacted

if TYPE_CHECKING:
    from pytest_toolsandbox.plugin.settings import Settings
    from pytest_toolsandbox.records.record import Summary

    from .session import SessionReports


_NO_MORE: Final = ("--sandbox-results", "--sandbox-resume", "--sandbox-record", "--sandbox-rejudge")
"""Options of a run, with a value, that are others where its conversations are judged again."""
_OVERWRITE: Final = "--sandbox-overwrite"


def unread_words(
    records: Sequence[Summary], settings: Settings, config: pytest.Config
) -> Iterator[str]:
    """Yield how many passed items nobody read, and how to have a model read them."""
    lines = words_lines(records)
    if settings.judge is not None or config.getoption("verbose") < 0 or not lines:
        return
    yield from lines
    is_part = any(map(lacks_trials, by_item(records)))  # the others are played, if they decide now
    if settings.results is not None and not (is_part and settings.rejudge):
        params, again = config.invocation_params, "resume" if is_part else "rejudge"
        yield _command(again, settings.results, list(map(str, params.args)), params.dir)


def _command(again: str, results: Path, typed: Sequence[str], here: Path) -> str:
    """Return the command that has a model read what a run has written, with its other options."""
    judged = results.with_stem(f"{results.stem}-judged")
    files = {again: _shown(results, here), "results": _shown(judged, here)}
    ours = [f"--sandbox-{option}={file}" for option, file in files.items()]
    return redacted(f"  {shlex.join(['pytest', *_kept(typed), *ours])} --sandbox-judge=MODEL")


def _kept(typed: Sequence[str]) -> Iterator[str]:
    is_value = False
    for word in typed:
        if not is_value and word.partition("=")[0] not in (*_NO_MORE, _OVERWRITE):
            yield word
        is_value = word in _NO_MORE


def _shown(file: Path, here: Path) -> str:
    return os.path.relpath(file, here) if file.is_relative_to(here) else str(file)


_WEIGHED: Final = {"means": "means", "baseline": "trials"}
"""Gate → what it weighs."""


class SessionGate:
    """Counts the failed items that need not fail the session, and lets it pass for them."""

    def __init__(self, settings: Settings) -> None:
        by_baseline = settings.baseline is not None and settings.decides_by_baseline
        by_means = settings.gate == "means"
        self.by = "baseline" if by_baseline else "means" if by_means else None
        self.line: str | None = None
        """What it decided, where there was something to decide."""
        self._failed = self._lost = 0

    def hear(self, report: pytest.TestReport, records: Sequence[Any]) -> None:
        """Note an item that failed, and why."""
        if report.failed and self._is_excusable(report, records):
            is_lost = any(record["outcome"] in ("error", "inconclusive") for record in records)
            self._lost += is_lost
            self._failed += not is_lost

    def _is_excusable(self, report: pytest.TestReport, records: Sequence[Any]) -> bool:
        if self.by == "baseline":
            whose = {record["cause"] for record in records if record["outcome"] == "error"}
            return whose <= {"provider", "user"}
        outcome = verdict(records)
        return outcome == "inconclusive" or (outcome == "failed" and report.when == "call")

    def decide(self, session: pytest.Session, reasons: Iterable[str]) -> None:
        """Let a session pass where only scenarios failed, unless one of the reasons is given."""
        is_red = session.exitstatus == pytest.ExitCode.TESTS_FAILED
        if self.by is None or not self._excusable or not is_red:
            return
        lost = f"{pluralize(self._lost, 'scenario')} lost to an outage or the user"
        failed = pluralize(self._failed, "failed scenario")
        failed = " and ".join([failed] * bool(self._failed) + [lost] * bool(self._lost))
        if reason := next(filter(None, (*self._others(session), *reasons)), None):
            self.line = f"gate: by {self.by}, {failed} would not fail the session, but {reason}"
            return
        self.line = f"gate: by {self.by}, {failed} did not fail the session"
        session.exitstatus = pytest.ExitCode.OK

    @property
    def _excusable(self) -> int:
        return self._failed + self._lost

    def _others(self, session: pytest.Session) -> Iterable[str]:
        if session.shouldfail or session.shouldstop:
            weighed = _WEIGHED[self.by or "means"]
            yield f"the run was stopped early, and its {weighed} leave scenarios out"
        if others := session.testsfailed - self._excusable:
            yield f"there {'is' if others == 1 else 'are'} {pluralize(others, 'other failure')}"


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
