"""The interface of a session's outputs, and what items send to them.

An output is a subclass of :class:`Observer` and one entry of the list in ``session.py``. What an
item sends is a payload on pytest's reports. Pytest-xdist sends a report's attributes between
processes, and other plugins write them as JSON: so the payload is one attribute, a dictionary of
plain values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest

from pytest_toolsandbox.output.quarantine import counted_in_gates
from pytest_toolsandbox.plugin.settings import settings_of
from pytest_toolsandbox.records.record import Summary
from pytest_toolsandbox.records.trials import by_item

if TYPE_CHECKING:
    from pytest_toolsandbox.output.tables import TitledTable

_ATTRIBUTE: Final = "toolsandbox"


@dataclass(frozen=True)
class Payload:
    """What one report adds to pytest's own fields. Each field has a default, which is not sent."""

    records: Sequence[Summary] = ()
    """The records of an item's trials."""
    is_repeated: bool = False
    """Whether another report may have carried the same records: the run was interrupted."""
    kept: Sequence[int] = ()
    """The trials that ``--sandbox-resume`` took from the earlier run."""
    judged: Sequence[int] = ()
    """The trials that it judged again and did not play."""
    is_changed: bool = False
    """Whether a finished trial was played again, since its scenario has changed."""
    skipped: str = ""
    """Why the item was skipped, if this plugin skipped it."""
    in_turn: str = ""
    """Why the item was not played ahead."""
    impact: str = ""
    """The digest of all that the verdict depends on."""
    in_conversation: bool = False
    """Whether the item is an error because its conversation could not be finished or scored."""
    running: int | None = None
    """How many conversations the worker holds."""
    cassettes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Path of a cassette → trials to add to it, from a worker that cannot write it."""
    message: str = ""
    """What the short summary says of a file that could not be collected."""
    usage_error: Sequence[str] = ()
    """What a worker finds wrong with the options, in lines."""

    @property
    def is_kept(self) -> bool:
        """Whether the item was not played, since the earlier run has all its trials."""
        return 0 < len(self.kept) == len(self.records)


_EMPTY: Final = Payload()


def attach_payload(report: Any, payload: Payload) -> None:
    """Put a payload on a report, if there is anything in it."""
    fields = vars(payload).items()
    if sent := {name: value for name, value in fields if value != getattr(_EMPTY, name)}:
        report.__dict__[_ATTRIBUTE] = sent


def crash_message(report: pytest.TestReport) -> str:
    """Return what a failed report says: its message, where pytest has a place for one."""
    crash = getattr(report.longrepr, "reprcrash", None)
    return crash.message if crash else str(report.longrepr)


def take_payload(report: pytest.TestReport | pytest.CollectReport) -> Payload:
    """Take the payload off a report; pytest keeps all reports, and need not keep the records."""
    return Payload(**report.__dict__.pop(_ATTRIBUTE, {}))


Line = tuple[str, Mapping[str, bool]]
"""A line of the terminal and its colour, as pytest's ``write_line`` takes it."""
YELLOW: Mapping[str, bool] = {"yellow": True}
QUIET: Final = -1
"""The verbosity of ``-q``; with ``-qq`` nothing is said that is not needed."""


class PlayedItem(NamedTuple):
    """The trials of an item: of its last run, or of a later round."""

    id: str
    records: Sequence[Any]
    kept: Sequence[int]
    """The trials that are in the file of the run that is resumed."""


@dataclass(frozen=True)
class VerdictTexts:
    """What outputs show of a verdict."""

    lines: Sequence[str]
    """The sentence and its figures."""
    changes: Sequence[str]
    """What changed, as lines of the terminal."""
    facts: Sequence[str]
    """The sentence, its figures and what was not compared: all that is in no table."""
    sections: Sequence[str]
    """What changed, as tables in Markdown."""
    tables: Sequence[TitledTable]
    """The same tables as they are."""
    broken: Sequence[str]
    """The ids of scenarios that pass less often than before, those that surely broke first."""
    properties: Mapping[str, object]
    """What JUnit XML says of the suite."""
    where: Sequence[str] = ()
    """Where the pass rate fell, if it did."""
    items: Mapping[str, str] = field(default_factory=dict)
    """Scenario → its item, where ids of items name an agent or a prompt, and these do not."""


@dataclass(frozen=True)
class SessionResult:
    """What a run came to, once nothing more is played."""

    trials: Mapping[str, Sequence[Summary]]
    """Id of an item → its records."""
    has_scores: bool
    """Whether there are records, or minimums or a verdict that need none."""
    not_run: Sequence[Mapping[str, Any]]
    """A record of each item that was not played at all."""
    not_run_count: int
    """How many items were not run, or have too few trials for a verdict."""
    problems: Sequence[str]
    """Why the run cannot pass, whatever its scores: items were not run, the budget is spent."""
    missed_minimums: Sequence[str]
    unreadable_files: int
    skipped: Mapping[str, int]
    """Reason → how many items this plugin skipped."""
    verdict: VerdictTexts | None
    """The verdict beside a baseline."""
    compared: Mapping[str, VerdictTexts]
    """Two of several agents or prompts → the verdict between them."""

    @property
    def records(self) -> list[Summary]:
        """The records in one order, whatever order the items finished in."""
        return [record for name in sorted(self.trials) for record in self.trials[name]]

    def unread_remark(self, config: pytest.Config) -> list[str]:
        """Return the remark that passed items were not read, unless a judge is named, or none."""
        from pytest_toolsandbox.output.terminal import unread_remark

        is_decided = settings_of(config).judge is not None
        return [] if is_decided else unread_remark(by_item(counted_in_gates(self.records)))


class Observer:
    """Follows the reports of a session, and adds to its results. Every method is optional."""

    def on_report(self, report: pytest.TestReport, payload: Payload) -> None:
        """Follow a report of pytest; of an item that was played, one has its records."""

    def on_records(self, item: PlayedItem) -> None:
        """Take the records of an item."""

    def at_end(self, result: SessionResult) -> None:
        """Write what is written once nothing more is played."""

    def failures(self) -> Iterable[str]:
        """Return what could not be written, in lines: the session fails."""
        return ()

    def remarks(self, result: SessionResult) -> Iterable[str]:
        """Return what the terminal's summary remarks below its tables."""
        del result
        return ()

    def conclusions(self) -> Iterable[Line]:
        """Return the last lines of the terminal's summary."""
        return ()

    def verdicts(self) -> Iterable[Line]:
        """Return the last lines of all, below pytest's own summary: what the run came to."""
        return ()

    def close(self) -> None:
        """Release files and folders."""
