"""The interface of everything that a session prints, writes or decides, and its common input.

An output is a subclass of :class:`Observer` and one entry of the list in ``session.py``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from pytest_toolsandbox.plugin.payload import Payload

if TYPE_CHECKING:
    from pytest_toolsandbox.records.record import Summary

Line = tuple[str, Mapping[str, bool]]
"""A line of the terminal and its colour, as pytest's ``write_line`` takes it."""
YELLOW: Mapping[str, bool] = {"yellow": True}


class PlayedItem(NamedTuple):
    """The trials of an item: of its last run, or of a later round."""

    id: str
    records: Sequence[Any]
    kept: Sequence[int]
    """The trials that are in the file of the run that is resumed."""


@dataclass(frozen=True)
class VerdictTexts:
    """What outputs show of the verdict of a baseline."""

    lines: Sequence[str]
    facts: Sequence[str]
    """Those of the lines that are in no table."""
    sections: Sequence[str]
    """What changed, as tables in Markdown."""
    broken: Sequence[str]
    """The ids of scenarios that pass less often than before, those that surely broke first."""
    properties: Mapping[str, object]
    """What JUnit XML says of the suite."""


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

    @property
    def records(self) -> list[Summary]:
        """The records in one order, whatever order the items finished in."""
        return [record for name in sorted(self.trials) for record in self.trials[name]]


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
        """Return what stands at the end of the terminal's summary."""
        return ()

    def close(self) -> None:
        """Release files and folders."""
