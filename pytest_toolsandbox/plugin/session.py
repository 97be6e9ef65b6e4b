"""What becomes of the records of a session: file, summary, JUnit XML, and the exit status."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Generator, Iterable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

from pytest_toolsandbox.records.verdict import verdict
from pytest_toolsandbox.wording.phrases import counted

from .collecting import RESUMED, STORED, USAGE_ERROR, is_scenario, plays_nothing
from .junit_xml import PassedOutput, junit_xml
from .not_run import NotRun
from .settings import settings_of
from .spending import SessionBudget, recorded_usage

if TYPE_CHECKING:
    from pytest_toolsandbox.records.record import Summary

    from .brief import SessionBrief
    from .rounds_of_workers import RoundsOfWorkers
    from .verdict import SessionVerdict

REPORTS = "toolsandbox-reports"
PROGRESS = "toolsandbox-progress"
WHAT = {"means": "means", "baseline": "trials"}
"""Gate → what it weighs."""


def start_reports(config: pytest.Config, node: Any = None) -> None:
    """Register the reports, once: in the only process, or in the controller of pytest-xdist.

    A worker's ``node`` is told where to write down what it spends.
    """
    if not hasattr(config, "workerinput") and not config.pluginmanager.has_plugin(REPORTS):
        config.pluginmanager.register(SessionReports(config), REPORTS)
    if node is not None:
        if settings_of(config).record != "none":
            from .recording import refuse_elsewhere

            refuse_elsewhere(node)
        reports: Any = config.pluginmanager.get_plugin(REPORTS)
        reports.budget.share(node)
        if reports.settings.trials.is_auto:
            reports.lead_rounds(node)


class SessionReports:
    """Lives where the reports of all items end up."""

    def __init__(self, config: pytest.Config) -> None:
        from .html_file import HtmlFile
        from .results_file import ResultsFile
        from .step_summary import named

        self.config = config
        self.settings = settings_of(config)
        self.records: dict[str, list[Summary]] = {}
        self.missed_minimums: list[str] = []
        self.gate: str | None = None
        self.unreadable_files: set[str] = set()
        self.skipped: Counter[str] = Counter()
        self.in_turn: dict[str, str] = {}
        self.output = PassedOutput(config)
        self.not_run = NotRun()
        self.budget = SessionBudget(self.settings)
        self._early: set[str] = set()
        self.excusable = 0
        self.unsaid: str | None = None
        self.rounds: RoundsOfWorkers | None = None
        self.verdict: SessionVerdict | None = None
        if self.settings.baseline and not plays_nothing(config):
            from .verdict import SessionVerdict

            self.verdict = SessionVerdict(self.settings)
        self.summary = named(config)
        self.brief: SessionBrief | None = None
        if self.settings.brief and not plays_nothing(config):
            from .brief import SessionBrief

            self.brief = SessionBrief(self.settings.brief)
        path = self.settings.results
        how = {"overwrite": self.settings.overwrite, "continues": self.settings.continues}
        self.file = ResultsFile(path, **how) if path else None
        self.resumed: Counter[str] = Counter()
        self.html = HtmlFile(self.settings.html) if self.settings.html else None
        typed = config.invocation_params.args
        if self.file and any(one.startswith("--sandbox-results") for one in typed):
            self._refuse_to_overwrite()

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Refuse to overwrite records, once it is clear that there is a scenario to be played."""
        self._plan({item.nodeid for item in session.items})

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Collection[str]) -> None:
        """Do the same where workers collect, and say from now on how far they are."""
        self._plan(ids)
        if self.not_run.planned:
            self._show_progress()

    def _plan(self, ids: Collection[str]) -> None:
        if plays_nothing(self.config):
            return
        files = {i.partition("::")[0] for i in ids}
        ours = {name for name in files if is_scenario(name, self.config)}
        if self.verdict is not None:
            self.verdict.expect(i for i in ids if i.partition("::")[0] in ours)
        self.not_run.planned = {i for i in ids if i.partition("::")[0] in ours}
        if ours:
            # Now, since Ctrl-C and other reports would wait for it at the first record.
            import_module("pytest_toolsandbox.records.writing")
            self._refuse_to_overwrite()

    def _show_progress(self) -> None:
        from .progress import ProgressOfWorkers

        if not self.config.pluginmanager.has_plugin(PROGRESS):
            self.config.pluginmanager.register(ProgressOfWorkers(self), PROGRESS)

    def _refuse_to_overwrite(self) -> None:
        if self.file is not None and not plays_nothing(self.config):
            self.file.refuse_to_overwrite()

    @pytest.hookimpl(tryfirst=True)  # before it is shown as what could not be collected
    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Count the scenario files that could not be read. End what a worker finds wrong."""
        if lines := report.__dict__.get(USAGE_ERROR):
            raise pytest.UsageError(*lines)
        if report.failed and report.nodeid.endswith((".yaml", ".yml")):
            self.unreadable_files.add(report.nodeid)

    def pytest_runtest_logstart(self) -> None:
        """Note that items are run: a run that ends before, as at a bad file, writes nothing."""
        self.not_run.is_begun = True

    @pytest.hookimpl(tryfirst=True)  # before an item's JUnit XML is written
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the records of an item; those of its last run, where it is run again."""
        attributes = report.__dict__
        if report.skipped and "toolsandbox_skip" in attributes:
            self.skipped[attributes["toolsandbox_skip"]] += 1
        if self.verdict is not None:
            self.verdict.impact = attributes.pop("toolsandbox_impact", self.verdict.impact)
            if report.skipped:
                self.verdict.expected.discard(report.nodeid)
        if "toolsandbox_in_turn" in attributes:
            self.in_turn[report.nodeid] = attributes["toolsandbox_in_turn"]
        self.output.hear(report)
        self.not_run.hear(report)
        records = attributes.pop("toolsandbox_records", None)  # pytest keeps all reports
        is_told = "toolsandbox_perhaps_told" in attributes and report.nodeid in self.records
        if attributes["outcome"] == "rerun" or is_told:  # of pytest-rerunfailures
            return
        if not records and self._is_lost(report):
            from pytest_toolsandbox.records.writing import lost_record

            crash = getattr(report.longrepr, "reprcrash", None)
            reason = crash.message if crash else str(report.longrepr)
            records = [lost_record(report.nodeid, reason)]
        if records:
            kept = attributes.pop("toolsandbox_kept", ())
            self.resumed["kept"] += len(kept) == len(records)
            self.resumed["changed"] += attributes.pop("toolsandbox_changed", False)
            self._keep(report.nodeid, records, kept)
            if self.brief is not None:
                self.brief.keep(report, records)
            if self.summary is not None and report.failed:
                self.summary.keep(report)
            self.output.keep(report.nodeid, records)
            self.excusable += report.failed and self._is_excusable(report, records)

    def _is_excusable(self, report: pytest.TestReport, records: Sequence[Any]) -> bool:
        """Whether an item that did not pass need not fail the session, if a gate says so."""
        if self.settings.decides_by_baseline:
            whose = {record["cause"] for record in records if record["outcome"] == "error"}
            return whose <= {"provider", "user"}
        outcome = verdict(records)
        return outcome == "inconclusive" or (outcome == "failed" and report.when == "call")

    def _is_lost(self, report: pytest.TestReport) -> bool:
        """Whether an item came to an end without a record, as with the worker that played it."""
        if not report.failed or report.when == "teardown" or report.nodeid in self.records:
            return False
        return is_scenario(report.nodeid, self.config)

    def _keep(self, nodeid: str, records: Sequence[Any], there: Collection[int]) -> None:
        """Keep the records of an item. Ctrl-C waits, or a record would be lost that is there.

        Those of the trials that are ``there`` stand in the file that is resumed.
        """
        from pytest_toolsandbox.waiting.interrupts import uninterrupted

        with uninterrupted():
            from pytest_toolsandbox.records.record import summary_of
            from pytest_toolsandbox.records.writing import as_line

            self.records[nodeid] = list(map(summary_of, records))
            if self.verdict is not None:
                self.verdict.keep(nodeid, records)
            if self.file is not None and nodeid not in self._early:
                old = there if self.settings.continues else ()
                new = (record for record in records if record["trial"] not in old)
                self.file.write(map(as_line, new))
            self._early.discard(nodeid)
            if self.html is not None:
                self.html.add(records)

    def keep_early(self, nodeid: str, records: Iterable[Mapping[str, Any]]) -> None:
        """Write the records of an item that has passed before its turn, so that they can be read.

        Where it is played again they stand, since what has passed is not.
        """
        from pytest_toolsandbox.records.writing import as_line
        from pytest_toolsandbox.waiting.interrupts import uninterrupted

        if self.file is not None and nodeid not in self._early:
            with uninterrupted():
                self.file.write(map(as_line, records))
                self._early.add(nodeid)

    def add_trials(self, nodeid: str, records: Sequence[Any], there: Collection[int]) -> None:
        """Keep further trials of an item, as :meth:`_keep` does."""
        from pytest_toolsandbox.waiting.interrupts import uninterrupted

        with uninterrupted():
            before = self.records[nodeid]
            self._keep(nodeid, records, there)
            self.records[nodeid] = [*before, *self.records[nodeid]]

    def lead_rounds(self, node: Any) -> None:
        """Have a worker play as many trials of its items as decide."""
        from .rounds_of_workers import RoundsOfWorkers

        self.rounds = self.rounds or RoundsOfWorkers(self)
        self.rounds.add(node)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Wait no longer for a worker that has left, or was lost."""
        if self.rounds is not None:
            self.rounds.leave(node)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        """Let a run end with its summary where it is told to, as by a CI server."""
        from pytest_toolsandbox.waiting.interrupts import terminable

        with terminable():
            return (yield)

    @pytest.hookimpl(tryfirst=True)
    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Keep what pytest shows."""
        from .stopping import shorten

        shorten(excinfo, self.config)

    @pytest.hookimpl(tryfirst=True)  # before JUnit XML is written and the summary printed
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Judge the means, and hand them to JUnit XML."""
        if session.exitstatus == pytest.ExitCode.INTERRUPTED:
            self._hear_workers()
        self._tell_not_run(session)
        wanted = self.records or self.settings.min_score or self._reuses_verdict()
        if session.config.option.collectonly or not wanted:
            return
        from pytest_toolsandbox.reporting.junit import suite_properties
        from pytest_toolsandbox.reporting.quarantine import counted_in_gates
        from pytest_toolsandbox.reporting.totals import missed_minimums, without_minimum
        from pytest_toolsandbox.reporting.user_lines import missed_share

        records, minimums = counted_in_gates(self._all()), self.settings.min_score
        xml = junit_xml(self.config)
        properties = suite_properties(self._all(), len(self.unreadable_files))
        properties |= self.verdict.properties() if self.verdict else {}
        if xml is not None:
            for name, value in properties.items():
                xml.add_global_property(name, value)
        if self.html is not None:
            self.html.write(self.not_run.lines())
        self.missed_minimums = [
            *missed_minimums(records, minimums),
            *missed_share(records, self.settings.max_user_faults),
        ]
        if self.verdict is not None:
            self._judge_by_baseline(session)
        elif self.settings.gate == "means":
            alone = without_minimum(records, minimums)
            self.gate = self._decide_by_means(session, alone)
        self._keep_for_later()
        green = (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
        is_worse = self.verdict is not None and self.verdict.fault
        if (self.missed_minimums or self._unwritten() or is_worse) and session.exitstatus in green:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _tell_not_run(self, session: pytest.Session) -> None:
        """Write a record of each item that was not run, and let the session not pass for them."""
        self.not_run.close(self.records, session)
        if self.file is not None and (records := self.not_run.records(self.records)):
            from pytest_toolsandbox.records.writing import as_line

            self.file.write(map(as_line, records))
        if (xml := junit_xml(self.config)) is not None and self.not_run.lines():
            xml.add_global_property("toolsandbox.not_run", self.not_run.count)
        if self.not_run.lines() and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _reuses_verdict(self) -> bool:
        """Take the verdict of an earlier run where the items were skipped for it."""
        if self.verdict is None or not self.skipped["unchanged"]:
            return False
        self.verdict.reuse(self.config)
        return True

    def _keep_for_later(self) -> None:
        """Write the brief, and keep a good verdict for runs in which nothing changes."""
        told = self.verdict.lines() if self.verdict else self.missed_minimums
        told = [*told, *self.not_run.lines()]
        if self.summary is not None and self.records:
            self.unsaid = self.summary.write(self._all(), told)
        if self.brief is not None:
            first = self.verdict.broken if self.verdict else ()
            self.brief.write(self._all(), told, first)
        if self.verdict is not None:
            self.verdict.remember(self.config)

    def _unwritten(self) -> list[str]:
        shortfall = self.file.shortfall() if self.file else None
        brief = self.brief.problem if self.brief else None
        return [*filter(None, (shortfall, brief)), *(self.html.problems if self.html else [])]

    def _hear_workers(self) -> None:
        """Keep the records that workers sent since Ctrl-C."""
        from .stopping import late_events

        for event, about in late_events(self.config):
            if event == "testreport":
                self.pytest_runtest_logreport(about["rep"])
            elif self.rounds is not None and about.get("said"):
                self.rounds.hear(**about)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the scores, and what else there is to say."""
        red = [*self.missed_minimums, *self._unwritten(), *self.not_run.lines()]
        if not (self.records or red or self.unreadable_files or self.skipped):
            return
        from pytest_toolsandbox.reporting import terminal
        from pytest_toolsandbox.reporting.quarantine import counted_in_gates, quarantine_line

        records, stored = counted_in_gates(self._all()), self.config.stash.get(STORED, None)
        named = ", ".join(self.config.getoption("--agent") or ()) or None
        resumed = self.config.stash.get(RESUMED, None)
        yellow = [
            *terminal.remarks(records, named, len(self.unreadable_files), self.skipped),
            *quarantine_line(self._all()),
            *self.budget.remarks(records),
            *recorded_usage(records, self.settings.record),
            *(terminal.resumed(self.resumed, self.settings.resume) if resumed else []),
            *([resumed.unusable] if resumed and resumed.unusable else []),
            *terminal.in_turn_lines(Counter(self.in_turn.values())),
            *([stored.unusable] if stored and stored.unusable else []),
            *([self.unsaid] if self.unsaid else []),
        ]
        terminalreporter.write_sep("=", "toolsandbox")
        for lines, colour in (
            (terminal.all_tables(records), {}),
            (yellow, {"yellow": True}),
            (red, {"red": True}),
            ([self.gate] if self.gate else [], {"yellow": True}),
            (self.verdict.lines(), self.verdict.colour) if self.verdict else ([], {}),
            ([f"html: {self.html.path}"] if self.html and self.html.is_written else [], {}),
        ):
            for line in lines:
                terminalreporter.write_line(line, **colour)

    def pytest_unconfigure(self) -> None:
        """Let other runs have the file."""
        self.budget.close()
        if self.file is not None:
            told = {name: [one["trial"] for one in each] for name, each in self.records.items()}
            self.file.close(told)

    def _judge_by_baseline(self, session: pytest.Session) -> None:
        """Let the verdict decide where only scenarios failed, unless the user says otherwise."""
        if self.settings.decides_by_baseline and self.verdict is not None:
            reason = "a minimum was missed" if self.missed_minimums else self.verdict.fault
            self.gate = self._decide(session, "baseline", reason)

    def _decide_by_means(self, session: pytest.Session, uncovered: Sequence[str]) -> str | None:
        """Let a session pass where only scenarios failed and their means suffice; say so."""
        reason = ""
        if self.missed_minimums:
            reason = "a minimum was missed"
        elif uncovered:
            reason = f"no minimum covers {', '.join(uncovered)}"
        return self._decide(session, "means", reason)

    def _decide(self, session: pytest.Session, by: str, reason: str) -> str | None:
        """Let a session pass where only scenarios failed, unless there is a ``reason``; say so."""
        if not self.excusable or session.exitstatus != pytest.ExitCode.TESTS_FAILED:
            return None
        failed = counted(self.excusable, "failed scenario")
        others = session.testsfailed - self.excusable
        if session.shouldfail or session.shouldstop:
            reason = f"the run was stopped early, and its {WHAT[by]} leave scenarios out"
        elif others:
            reason = f"there {'is' if others == 1 else 'are'} {counted(others, 'other failure')}"
        elif self.not_run.is_budget_spent:
            reason = "the budget did not suffice for all scenarios"
        elif self._unwritten() and not self.missed_minimums:
            reason = "records could not be written"
        if reason:
            return f"gate: by {by}, {failed} would not fail the session, but {reason}"
        session.exitstatus = pytest.ExitCode.OK
        return f"gate: by {by}, {failed} did not fail the session"

    def _all(self) -> list[Summary]:
        """Return the records in one order, whatever order the items finished in."""
        return [record for name in sorted(self.records) for record in self.records[name]]
