"""Whether failed scenarios fail a session in which means or a baseline decide."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

import pytest

from pytest_toolsandbox.records.verdict import verdict
from pytest_toolsandbox.wording.phrases import counted

if TYPE_CHECKING:
    from pytest_toolsandbox.plugin.settings import Settings

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
        lost = f"{counted(self._lost, 'scenario')} lost to an outage or the user"
        failed = counted(self._failed, "failed scenario")
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
            yield f"there {'is' if others == 1 else 'are'} {counted(others, 'other failure')}"
