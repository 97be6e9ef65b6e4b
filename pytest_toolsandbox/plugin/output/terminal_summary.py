"""The summary below pytest's own: tables of scores, remarks, and why the session is not green."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Container, Generator, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_toolsandbox.output import terminal
from pytest_toolsandbox.output.players import Players
from pytest_toolsandbox.output.quarantine import counted_in_gates, quarantine_line
from pytest_toolsandbox.plugin.output.observer import Payload
from pytest_toolsandbox.plugin.settings import Settings, settings_of
from pytest_toolsandbox.plugin.stash import RESUMED, STORED
from pytest_toolsandbox.records.record import Summary
from pytest_toolsandbox.records.trials import by_item, lacks_trials
from pytest_toolsandbox.text.formatting import wrap_line
from pytest_toolsandbox.text.redaction import redacted
from pytest_toolsandbox.text.shells import join_command

from .observer import QUIET, YELLOW, Line, Observer, SessionResult
from .short_lines import ShortLines


class ScoreRemarks(Observer):
    """Remarks what the tables leave out: unreadable files, skipped items, unread words."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def remarks(self, result: SessionResult) -> Iterator[str]:
        records, config = counted_in_gates(result.records), self._config
        agent = ", ".join(config.getoption("--agent") or ()) or None
        yield from terminal.remarks(records, agent, result.unreadable_files, result.skipped)
        yield from _unread_words(records, settings_of(config), config)
        yield from quarantine_line(result.records)


class PlayedHow(Observer):
    """Remarks which items were not played, or not ahead, and which records could not be used."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._resumed: Counter[str] = Counter()
        self._in_turn: dict[str, str] = {}

    def on_report(self, report: pytest.TestReport, payload: Payload) -> None:
        """Count the trials that were kept, and note why an item was not played ahead."""
        trials = [record["trial"] for record in payload.records]
        self._resumed["kept"] += payload.is_kept
        self._resumed["judged"] += sum(trial in payload.judged for trial in trials)
        self._resumed["changed"] += payload.is_changed
        if payload.in_turn:
            self._in_turn[report.nodeid] = payload.in_turn

    def remarks(self, result: SessionResult) -> Iterator[str]:
        del result
        stash = self._config.stash
        if resumed := stash.get(RESUMED, None):
            yield from terminal.resumed(self._resumed, settings_of(self._config).resume)
            yield from filter(None, [resumed.unusable])
        yield from terminal.in_turn_lines(Counter(self._in_turn.values()))
        if stored := stash.get(STORED, None):
            yield from filter(None, [stored.unusable])


CONVERSATION: Final[Any] = "conversation"
"""Where pytest says that an error of a conversation is, in place of a phase of the item."""


class ConversationErrors(Observer):
    """Titles errors of conversations as such: pytest says in which phase of an item an error is.

    For pytest they are errors of the setup, so that they count as errors and not as failures.
    """

    def __init__(self) -> None:
        self._reports: list[Any] = []

    def on_report(self, report: pytest.TestReport, payload: Payload) -> None:
        """Keep the report of an item that ended in a conversation, if that is not expected."""
        if payload.in_conversation and report.failed:
            self._reports.append(report)

    def at_end(self, result: SessionResult) -> None:
        """Name the phase when other plugins have seen the reports, before pytest prints them."""
        del result
        for report in self._reports:
            report.when = CONVERSATION


def print_summary(
    players: Players,
    result: SessionResult,
    failures: Sequence[str],
    observers: Sequence[Observer],
    reporter: pytest.TerminalReporter,
) -> None:
    """Print who played, the tables, remarks in yellow, failures in red, and conclusions."""
    is_verbose = reporter.config.getoption("verbose") > 0
    tables = terminal.all_tables(counted_in_gates(result.records), is_verbose=is_verbose)
    who = wrap_line(players.line_of(result.records)) if result.records else []
    remarks = (line for observer in observers for line in observer.remarks(result))
    lines: list[Line] = [
        *((line, {}) for line in (*who, *tables)),
        *((line, YELLOW) for line in remarks),
        *((line, {"red": True}) for line in failures),
        *(line for observer in observers for line in observer.conclusions()),
    ]
    reporter.write_sep("=", "toolsandbox")
    print_lines(lines, reporter)


def unread_lines(result: SessionResult, config: pytest.Config) -> list[Line]:
    """Return what stands below the verdict if no judge has read the words of passed items."""
    remarks = result.unread_remark(config)
    return [(part, YELLOW) for line in remarks for part in wrap_line(line)]


class VerdictAtTheEnd:
    """Prints the lines with which a run ends, below the summaries of pytest and other plugins."""

    def __init__(
        self,
        verdicts: Callable[[], Sequence[Line]],
        short_lines: ShortLines,
        items: Container[str],
    ) -> None:
        self.verdicts = verdicts
        self.short_lines = short_lines
        self.items = items
        """The ids of items that have records."""

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter
    ) -> Generator[None, object, object]:
        """Print the gate and the verdict, if there are any."""
        self.short_lines.begin_errors(terminalreporter, self.items)
        returned = yield
        self.short_lines.end(terminalreporter)
        if lines := self.verdicts():
            terminalreporter.write_sep("=", "toolsandbox: verdict")
            print_lines(lines, terminalreporter)
        return returned


def print_lines(lines: Iterable[Line], reporter: pytest.TerminalReporter) -> None:
    """Print lines in their colours."""
    for line, colour in lines:
        reporter.write_line(line, **colour)


_NOT_REPEATED: Final = {
    *("--sandbox-results", "--sandbox-resume", "--sandbox-record", "--sandbox-rejudge")
}
"""Options with a value that a run which judges the same conversations again gives anew."""


def _unread_words(
    records: Sequence[Summary], settings: Settings, config: pytest.Config
) -> Iterator[str]:
    """Yield how many passed items no judge has read, and the command that judges them."""
    lines = terminal.words_lines(records)
    verbosity = config.get_verbosity()
    if settings.judge is not None or verbosity < QUIET or not lines:
        return
    yield from lines
    if verbosity < 0:
        return
    is_part = any(map(lacks_trials, by_item(records)))  # the others are played, if they decide now
    if settings.results is not None and not (is_part and settings.rejudge):
        yield _command("resume" if is_part else "rejudge", settings.results, config)


def _command(again: str, results: Path, config: pytest.Config) -> str:
    """Return the command that judges the records of a run by a model, with its other options."""
    judged = results.with_stem(f"{results.stem}-judged")
    typed = map(str, config.invocation_params.args)
    ours = [file_option(again, results, config), file_option("results", judged, config)]
    return redacted(f"  {join_command(['pytest', *_kept(typed), *ours])} --sandbox-judge=MODEL")


def file_option(name: str, file: Path, config: pytest.Config) -> str:
    """Return an option of this package that names a file, as it is typed."""
    here = config.invocation_params.dir
    return f"--sandbox-{name}={os.path.relpath(file, here) if file.is_relative_to(here) else file}"


def _kept(typed: Iterable[str]) -> Iterator[str]:
    is_value = False
    for word in typed:
        if not is_value and word.partition("=")[0] not in {*_NOT_REPEATED, "--sandbox-overwrite"}:
            yield word
        is_value = word in _NOT_REPEATED
