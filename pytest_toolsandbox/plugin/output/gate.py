"""Whether a session passes: items that were not run, and ``--sandbox-gate``.

With a gate, failed scenarios alone do not fail a session that means or a verdict decide.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import pytest

from pytest_toolsandbox.plugin.settings import Settings
from pytest_toolsandbox.plugin.stash import BUDGET, STORED
from pytest_toolsandbox.records.record import Summary
from pytest_toolsandbox.records.trials import NOT_RUN, Counts, verdict
from pytest_toolsandbox.records.writing import not_run_record
from pytest_toolsandbox.text.formatting import pluralize, wrap_line

from .observer import YELLOW, Line, Observer, Payload
from .rounds import Round

_STOPPED: Final = "the run was stopped"
_TOO_FEW: Final = "the records have too few trials for a verdict, --sandbox-resume plays the others"
_PLAYED: Final = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
"""How a session ends in which nothing stopped the rounds."""


class NotRun(Observer):
    """Compares the planned items with those that ended. A session that lacks an item never passes.

    An item of several trials is one of these, too, if it has not enough of them for a verdict.
    """

    def __init__(self, resume: str = "") -> None:
        self.resume = resume
        """The option that plays what is missing, if there is a file of records."""
        self.planned: set[str] = set()
        self.is_begun = False
        self._ended: set[str] = set()
        self._budget: dict[str, str] = {}
        self._why: dict[str, str] = {}
        self._trials: dict[str, int] = {}

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
        """Note which items were not run, and why, once nothing more is played."""
        self._ended |= {name for name, trials in played.items() if verdict(trials) != NOT_RUN}
        is_refused = session.exitstatus == pytest.ExitCode.USAGE_ERROR
        left = self.planned - self._ended if self.is_begun and not is_refused else set()
        why = _why_it_ended(session)
        is_over = session.exitstatus in _PLAYED and why == _STOPPED
        if last_round is not None and not (is_over or is_refused):
            left |= {name for name, trials in played.items() if _lacks(trials, last_round)}
        lacking = played.keys() if is_over and STORED in session.config.stash else ()
        self._why = {name: _TOO_FEW if name in lacking else why for name in left} | self._budget
        self._trials = {name: len(played[name]) for name in self._why if name in played}

    def records(self, played: Iterable[str]) -> list[dict[str, Any]]:
        """Return a record for each item that was not played at all."""
        return [not_run_record(name, self._why[name]) for name in sorted({*self._why} - {*played})]

    @property
    def is_budget_spent(self) -> bool:
        """Whether the budget did not suffice for an item."""
        return bool(self._budget)

    def lines(self) -> list[str]:
        remedy = f"; {self.resume} plays the rest" if self.resume else ""
        return [f"{why}; {self._count(why)}{remedy}" for why in sorted({*self._why.values()})]

    def _count(self, reason: str) -> str:
        """Return how many items were not run for a reason, and how many of them in part."""
        names = [name for name, why in self._why.items() if why == reason]
        trials = [self._trials[name] for name in names if name in self._trials]
        planned, rest = f"of {pluralize(len(self.planned), 'item')} ", len(names) - len(trials)
        not_run = f"{rest} {planned}not run" if rest else ""
        part = f"{len(trials)} {'' if rest else planned}unfinished"
        in_part = f"{part} ({pluralize(sum(trials), 'trial')})" if trials else ""
        return ", ".join(filter(None, [not_run, in_part]))

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
    """Return the reason of pytest or pytest-xdist for ending before the last item."""
    controller: Any = session.config.pluginmanager.get_plugin("dsession")
    reasons = (session.shouldfail, session.shouldstop, getattr(controller, "shouldstop", None))
    text = next((reason for reason in reasons if isinstance(reason, str)), None)
    return f"the run ended early: {text}" if text else _STOPPED


_FURTHER: Final = 78
"""Columns of an indented line."""
_WEIGHED: Final = {"means": "means", "baseline": "trials"}
"""Gate → what it weighs."""


class SessionGate(Observer):
    """Counts the failed items that need not fail the session, and lets it pass for them."""

    def __init__(self, settings: Settings) -> None:
        gate = settings.gate or "baseline"  # with a baseline, its verdict decides by default
        has_baseline = settings.baseline is not None
        self.by = gate if gate == "means" or (gate == "baseline" and has_baseline) else None
        self.lines: list[str] = []
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

    def decide(
        self, session: pytest.Session, reasons: Iterable[str], failed: Counts | None = None
    ) -> None:
        """Let a session pass in which only scenarios failed, unless there is one of the reasons.

        If later rounds played on, ``failed`` has the counts of failed items, which pytest lacks.
        """
        excusable = self._failed + self._lost
        is_red = session.exitstatus == pytest.ExitCode.TESTS_FAILED
        if self.by is None or not excusable or not is_red:
            return
        lost = f"{pluralize(self._lost, 'scenario')} lost to an outage or the user"
        failures = pluralize(self._failed, "failed scenario")
        if failed and failed.all_trials != failed.first:
            failures = f"{pluralize(failed.all_trials, 'failed scenario')} {failed.words}"
        items = " and ".join([failures] * bool(self._failed) + [lost] * bool(self._lost))
        foreign = session.testsfailed - excusable
        are = "is" if foreign == 1 else "are"
        why_not = (
            f"the run was stopped early, and its {_WEIGHED[self.by]} leave scenarios out"
            if session.shouldfail or session.shouldstop
            else "",
            f"there {are} {pluralize(foreign, 'other failure')}" if foreign else "",
            *reasons,
        )
        who = f"the {self.by} {'decide' if self.by == 'means' else 'decides'}"
        if reason := next(filter(None, why_not), None):
            self.lines = [
                f"gate: the session fails, since {reason}",
                f"{items} alone would not fail it: {who}",
            ]
            return
        self.lines = [f"gate: {items} did not fail the session, because {who}"]
        session.exitstatus = pytest.ExitCode.OK

    def verdicts(self) -> list[Line]:
        first, rest = self.lines[:1], self.lines[1:]
        further = (f"  {part}" for line in rest for part in wrap_line(line, _FURTHER))
        parts = [*(part for line in first for part in wrap_line(line)), *further]
        return [(part, YELLOW) for part in parts]
