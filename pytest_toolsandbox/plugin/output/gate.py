"""``--sandbox-gate``: whether failed scenarios fail a session that means or a verdict decide."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import pytest

from pytest_toolsandbox.plugin.payload import Payload
from pytest_toolsandbox.records.trials import verdict
from pytest_toolsandbox.text.formatting import pluralize

from .observer import YELLOW, Line, Observer

if TYPE_CHECKING:
    from pytest_toolsandbox.plugin.settings import Settings

_WEIGHED: Final = {"means": "means", "baseline": "trials"}
"""Gate → what it weighs."""


class SessionGate(Observer):
    """Counts the failed items that need not fail the session, and lets it pass for them."""

    def __init__(self, settings: Settings) -> None:
        by_baseline = settings.baseline is not None and settings.decides_by_baseline
        by_means = settings.gate == "means"
        self.by = "baseline" if by_baseline else "means" if by_means else None
        self.line: str | None = None
        """What it decided, if there was something to decide."""
        self._failed = self._lost = 0

    def on_report(self, report: pytest.TestReport, payload: Payload) -> None:
        """Note an item that failed, and why."""
        if payload.records and report.failed and self._is_excusable(report, payload):
            outcomes = {record["outcome"] for record in payload.records}
            is_lost = not outcomes.isdisjoint(("error", "inconclusive"))
            self._lost += is_lost
            self._failed += not is_lost

    def _is_excusable(self, report: pytest.TestReport, payload: Payload) -> bool:
        if self.by == "baseline":
            errors = [record for record in payload.records if record["outcome"] == "error"]
            return {record["cause"] for record in errors} <= {"provider", "user"}
        outcome = verdict(payload.records)
        return outcome == "inconclusive" or (outcome == "failed" and report.when == "call")

    def decide(self, session: pytest.Session, reasons: Iterable[str]) -> None:
        """Let a session pass in which only scenarios failed, unless there is one of the reasons."""
        excusable = self._failed + self._lost
        is_red = session.exitstatus == pytest.ExitCode.TESTS_FAILED
        if self.by is None or not excusable or not is_red:
            return
        lost = f"{pluralize(self._lost, 'scenario')} lost to an outage or the user"
        failed = pluralize(self._failed, "failed scenario")
        items = " and ".join([failed] * bool(self._failed) + [lost] * bool(self._lost))
        others = session.testsfailed - excusable
        are = "is" if others == 1 else "are"
        why_not = (
            f"the run was stopped early, and its {_WEIGHED[self.by]} leave scenarios out"
            if session.shouldfail or session.shouldstop
            else "",
            f"there {are} {pluralize(others, 'other failure')}" if others else "",
            *reasons,
        )
        if reason := next(filter(None, why_not), None):
            self.line = f"gate: by {self.by}, {items} would not fail the session, but {reason}"
            return
        self.line = f"gate: by {self.by}, {items} did not fail the session"
        session.exitstatus = pytest.ExitCode.OK

    def conclusions(self) -> list[Line]:
        """Return what the gate decided."""
        return [(self.line, YELLOW)] if self.line else []
