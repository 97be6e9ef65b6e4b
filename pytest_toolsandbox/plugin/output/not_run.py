"""Which items a run did not play: it was stopped, ended early, or had spent its budget."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import pytest

from pytest_toolsandbox.plugin.payload import Payload
from pytest_toolsandbox.plugin.stash import BUDGET, STORED
from pytest_toolsandbox.records.trials import NOT_RUN, verdict
from pytest_toolsandbox.text.formatting import pluralize

from .observer import Observer
from .rounds import Round

if TYPE_CHECKING:
    from pytest_toolsandbox.records.record import Summary

_STOPPED: Final = "the run was stopped"
_TOO_FEW: Final = "the records have too few trials for a verdict, --sandbox-resume plays the others"
_PLAYED: Final = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
"""How a session ends in which nothing stopped the rounds."""


class NotRun(Observer):
    """Compares what was planned with what ended. A session that lacks an item never passes.

    An item of several trials is one of these, too, if it has not enough of them for a verdict.
    """

    def __init__(self) -> None:
        self.planned: set[str] = set()
        self.is_begun = False
        self._ended: set[str] = set()
        self._budget: dict[str, str] = {}
        self._why: dict[str, str] = {}

    def on_report(self, report: pytest.TestReport, payload: Payload) -> None:
        """Note that an item ended, or was skipped because the budget is spent."""
        if payload.skipped == BUDGET:
            text = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
            self._budget[report.nodeid] = text.removeprefix("Skipped: ")
        elif payload.records:  # ``conclude`` reads them
            return
        elif report.failed or report.skipped or (report.when == "call" and report.passed):
            self._ended.add(report.nodeid)

    def conclude(
        self,
        played: Mapping[str, Sequence[Summary]],
        session: pytest.Session,
        last_round: Round | None,
    ) -> None:
        """Find out what was not run, and why, now that nothing more is played."""
        self._ended |= {name for name, trials in played.items() if verdict(trials) != NOT_RUN}
        is_refused = session.exitstatus == pytest.ExitCode.USAGE_ERROR
        left = self.planned - self._ended if self.is_begun and not is_refused else set()
        why = _why_it_ended(session)
        is_over = session.exitstatus in _PLAYED and why == _STOPPED
        if last_round is not None and not (is_over or is_refused):
            left |= {name for name, trials in played.items() if _lacks(trials, last_round)}
        lacking = played.keys() if is_over and STORED in session.config.stash else ()
        self._why = {name: _TOO_FEW if name in lacking else why for name in left} | self._budget

    def records(self, played: Iterable[str]) -> list[dict[str, Any]]:
        """Return a record for each item that was not played at all."""
        if not (names := sorted(self._why.keys() - set(played))):
            return []
        from pytest_toolsandbox.records.writing import not_run_record

        return [not_run_record(name, self._why[name]) for name in names]

    @property
    def is_budget_spent(self) -> bool:
        """Whether the budget did not suffice for an item."""
        return bool(self._budget)

    def lines(self) -> list[str]:
        """Return a line for each reason, with how many items were not run for it."""
        planned = pluralize(len(self.planned), "item")
        reasons = sorted(Counter(self._why.values()).items())
        return [f"{why}; {count} of {planned} not run" for why, count in reasons]

    @property
    def count(self) -> int:
        """How many items were not run."""
        return len(self._why)


def _lacks(trials: Sequence[Summary], last: Round) -> bool:
    """Whether an item that is played in rounds lacks trials of the last round."""
    goes_on = not trials[0].get("quarantine")
    is_asked = not last.confirms or trials[0]["id"] in last.confirms
    wanted = set(range(last.first, last.last + 1))
    return goes_on and is_asked and not wanted <= {trial["trial"] for trial in trials}


def _why_it_ended(session: pytest.Session) -> str:
    """Return why pytest or pytest-xdist says that it ended before the last item."""
    controller: Any = session.config.pluginmanager.get_plugin("dsession")
    reasons = (session.shouldfail, session.shouldstop, getattr(controller, "shouldstop", None))
    text = next((reason for reason in reasons if isinstance(reason, str)), None)
    return f"the run ended early: {text}" if text else _STOPPED
