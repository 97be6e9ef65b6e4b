"""Collect the reports of a session, hand them to its outputs, and set the exit status.

To add an output, write an :class:`~.observer.Observer` and add it to ``SessionReports._observers``.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_toolsandbox.concurrency.stopping import uninterrupted
from pytest_toolsandbox.output.quarantine import counted_in_gates
from pytest_toolsandbox.output.totals import missed_minimums, without_minimum
from pytest_toolsandbox.output.user_tables import missed_share
from pytest_toolsandbox.plugin.collection.selecting import EMPTY_SHARD, is_empty_shard
from pytest_toolsandbox.plugin.collection.which_files import is_scenario, plays_nothing
from pytest_toolsandbox.plugin.options import given_names
from pytest_toolsandbox.plugin.playing.workers import HandingOut
from pytest_toolsandbox.plugin.settings import settings_of
from pytest_toolsandbox.plugin.stash import REPORTS
from pytest_toolsandbox.plugin.stopping import StoppableStart, WorkersStopped, shorten
from pytest_toolsandbox.records.record import Summary, summary_of
from pytest_toolsandbox.records.trials import failed_counts, is_lost
from pytest_toolsandbox.records.writing import lost_record
from pytest_toolsandbox.text.redaction import redacted
from pytest_toolsandbox.text.shells import join_command

from .budget import SessionBudget
from .compared_arms import ComparedArms
from .files import STEP_SUMMARY, BriefFile, FirstAgain, HtmlFile, JUnitXml, StepSummary
from .gate import NotRun, SessionGate
from .observer import Line, Observer, PlayedItem, SessionResult, crash_message, take_payload
from .progress import ProgressOfWorkers
from .results_file import ResultsFile
from .rounds import CHANNEL, Rounds
from .run_facts import RunFacts
from .sending import ELSEWHERE, SentCassettes
from .short_lines import ShortLines, short_line
from .terminal_summary import (
    CONVERSATION,
    ConversationErrors,
    PlayedHow,
    ScoreRemarks,
    VerdictAtTheEnd,
    file_option,
    print_summary,
    unread_lines,
)
from .verdict import SessionVerdict

_PROGRESS: Final = "toolsandbox-progress"
_GREEN: Final = (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)


def start_reports(config: pytest.Config, node: Any = None) -> None:
    """Register the reports, once: in the only process, or in the controller of pytest-xdist.

    A worker's ``node`` is connected with them.
    """
    if not hasattr(config, "workerinput") and not config.pluginmanager.has_plugin(REPORTS):
        of_session = SessionReports(config)
        config.pluginmanager.register(of_session, REPORTS)
        config.pluginmanager.register(StoppableStart())
        config.pluginmanager.register(_at_the_end(of_session))
    if node is not None:
        reports: Any = config.pluginmanager.get_plugin(REPORTS)
        reports.add_worker(node)


def _at_the_end(reports: SessionReports) -> VerdictAtTheEnd:
    return VerdictAtTheEnd(reports.verdicts, reports.short_lines, reports.records)


class SessionReports:
    """Keeps the records of all items, where the reports of all processes arrive."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.settings = settings_of(config)
        self.records: dict[str, list[Summary]] = {}
        """Id of an item → its records."""
        self.unreadable_files: set[str] = set()
        self.skipped: Counter[str] = Counter()
        """Reason → how many items this plugin skipped."""
        self.gate = SessionGate(self.settings)
        self.not_run = NotRun(_resume_option(config))
        self.budget = SessionBudget(config)
        self.cassettes = SentCassettes(config)
        self.verdict: SessionVerdict | None = None
        if self.settings.baseline is not None and not plays_nothing(config):
            is_typed = _is_typed("--sandbox-baseline", config)
            self.verdict = SessionVerdict(config, self.settings.baseline, is_typed=is_typed)
        is_compared = len(self.settings.agent) > 1 or len(self.settings.prompt.texts) > 1
        self.compared = ComparedArms(self.settings) if is_compared else None
        self.file = _results_file(config)
        self.run_facts = RunFacts(config)
        self.rounds = Rounds(
            config, self.verdict, lambda: self.not_run.is_budget_spent, self._keep_later_trials
        )
        self.observers = self._observers()
        self._result: SessionResult | None = None
        self.short_lines = ShortLines()
        self.handing_out = HandingOut(config)
        self._gone: list[Any] = []
        self.workers = WorkersStopped(config)

    def _observers(self) -> list[Observer]:
        """Return the outputs, in the order of their lines in the summary."""
        config, settings = self.config, self.settings
        step_summary = os.environ.get(STEP_SUMMARY)
        brief = None if plays_nothing(config) else settings.brief
        observers: list[Observer | None] = [
            ScoreRemarks(config),
            ConversationErrors(),
            self.budget,
            PlayedHow(config),
            StepSummary(Path(step_summary), config) if step_summary else None,
            self.file,
            BriefFile(brief, config) if brief else None,
            self.cassettes,
            JUnitXml(config),
            HtmlFile(settings.html, config) if settings.html else None,
            None if plays_nothing(config) else FirstAgain(config),
            self.not_run,
            self.compared,
            self.gate,
            self.verdict,
        ]
        return [observer for observer in observers if observer is not None]

    def add_worker(self, node: Any) -> None:
        """Connect a worker that is about to start."""
        where = node.gateway.spec
        node.workerinput[ELSEWHERE] = bool(where.chdir or not where.popen)
        self.budget.share(node)
        self.handing_out.add(node)
        self.workers.add(node)
        if self.settings.trials.is_auto:
            self.rounds.add(node)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Refuse to overwrite records, once it is clear that there is a scenario to be played."""
        self._plan({item.nodeid for item in session.items})

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Collection[str]) -> None:
        """Do the same if workers collect, and show their progress from now on."""
        self._plan(ids)
        planned = self.not_run.planned
        if planned and not self.config.pluginmanager.has_plugin(_PROGRESS):
            progress = ProgressOfWorkers(self.config, len(planned), self.records)
            self.config.pluginmanager.register(progress, _PROGRESS)
            self.observers.append(progress)

    def _plan(self, ids: Collection[str]) -> None:
        if plays_nothing(self.config):
            return
        names = {nodeid.partition("::")[0] for nodeid in ids}
        files = {name for name in names if is_scenario(name, self.config)}
        self.not_run.planned = {nodeid for nodeid in ids if nodeid.partition("::")[0] in files}
        if self.verdict is not None:
            self.verdict.expected |= self.not_run.planned
        if files and self.file is not None:
            self.file.reserve(_results_option(self.config))
        if files:
            self.run_facts.ask()
            self.rounds.forecast()

    @pytest.hookimpl(tryfirst=True)  # before it is shown as what could not be collected
    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Count the scenario files that could not be read. End what a worker finds wrong."""
        payload = take_payload(report)
        if lines := payload.usage_error:
            raise pytest.UsageError(*lines)
        if payload.message:
            from pytest_toolsandbox.plugin.collection.files import message_first

            message_first(report, payload.message)
        if report.failed and report.nodeid.endswith((".yaml", ".yml")):
            self.unreadable_files.add(report.nodeid)

    def pytest_runtest_logstart(self) -> None:
        """Note that items are run: a run that ends before, as at a bad file, writes nothing."""
        self.not_run.is_begun = True

    @pytest.hookimpl(tryfirst=True)  # before an item's JUnit XML is written
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the records of an item; those of its last run, if it is run again."""
        payload = take_payload(report)
        if payload.skipped:
            self.skipped[payload.skipped] += 1
        if payload.is_repeated and report.nodeid in self.records:
            # A stop prevented the report of a later round, or the records are here already.
            present = {record["trial"] for record in self.records[report.nodeid]}
            new = [record for record in payload.records if record["trial"] not in present]
            if new:
                self._add_trials(report.nodeid, new, ())
            payload = replace(payload, records=())
        elif report.__dict__["outcome"] == "rerun":  # of pytest-rerunfailures
            payload = replace(payload, records=())
        elif records := payload.records or self._lost_records(report):
            payload = replace(payload, records=records)
            self._keep(report.nodeid, records, payload.kept)
        for observer in self.observers:
            observer.on_report(report, payload)

    @pytest.hookimpl(tryfirst=True)  # pytest knows its own phases only
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """Return that an error of a conversation is an error, and what a short line begins with."""
        if (line := short_line(report)) is not None:
            return line
        return ("error", "E", "ERROR") if report.when == CONVERSATION else None

    def _lost_records(self, report: pytest.TestReport) -> list[Any]:
        """Return a record for an item that ended without one, as with the worker that played it."""
        lacks_records = (
            report.failed and report.when != "teardown" and report.nodeid not in self.records
        )
        if not lacks_records or not is_scenario(report.nodeid, self.config):
            return []
        return [lost_record(report.nodeid, crash_message(report))]

    def _keep(self, nodeid: str, records: Sequence[Any], kept: Sequence[int]) -> None:
        """Keep the records of an item. Ctrl-C waits, or records would be lost."""
        with uninterrupted():
            records = self.run_facts.added_to(records)
            self.records[nodeid] = list(map(summary_of, records))
            for observer in self.observers:
                observer.on_records(PlayedItem(nodeid, records, kept))

    def _add_trials(self, nodeid: str, records: Sequence[Any], kept: Sequence[int]) -> None:
        """Keep further trials of an item."""
        with uninterrupted():
            before = self.records[nodeid]
            self._keep(nodeid, records, kept)
            self.records[nodeid] = [*before, *self.records[nodeid]]

    def _keep_later_trials(self, report: pytest.TestReport) -> None:
        """Keep the trials of a later round; report errors to pytest, which fail the session."""
        payload = take_payload(report)
        records: Any = payload.records
        self.not_run.on_report(report, payload)
        self.cassettes.on_report(report, payload)
        if records:
            self._add_trials(report.nodeid, records, payload.kept)
        errors = [record for record in records if record["outcome"] == "error"]
        if report.failed and not (records and all(map(is_lost, errors))):
            self.config.hook.pytest_runtest_logreport(report=report)

    def write_early(self, nodeid: str, records: Iterable[Mapping[str, Any]]) -> None:
        """Write the records of an item that has passed before its turn, so that they can be read.

        They stay if it is played again: only items that have not passed are.
        """
        if self.file is not None:
            with uninterrupted():
                self.file.write_early(nodeid, self.run_facts.added_to(records))

    @pytest.hookimpl(optionalhook=True, trylast=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Wait no longer for a worker that has left, or was lost; stop with one that was stopped.

        Pytest-xdist starts another one in its place, and waits until the others come to an end.
        """
        self._gone.append(node)
        self.budget.note_spent(node)
        status = getattr(node, "workeroutput", {}).get("exitstatus")
        if self.not_run.planned and status == pytest.ExitCode.INTERRUPTED:
            raise KeyboardInterrupt(f"{node.gateway.id} was stopped")
        self.rounds.leave(node)  # those who wait begin no other round of a stopped run

    @pytest.hookimpl(wrapper=True)  # around the loop of pytest-xdist, whose events it delays
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        """End a run with its summary if a signal stops it, as CI servers send."""
        with self.workers.between_events():
            return (yield)

    @pytest.hookimpl(tryfirst=True)  # before pytest prints it
    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Shorten the traceback before pytest reads the source of its frames."""
        shorten(excinfo, self.config)

    def _keep_last_events(self) -> None:
        """Keep the records that workers sent since Ctrl-C."""
        for event, about in self.workers.last_events(self._gone):
            if event == "testreport":
                self.pytest_runtest_logreport(about["rep"])
            elif event == "workerfinished":
                self.budget.note_spent(about["node"])
            elif event == CHANNEL and about["message"]:
                self.rounds.receive(**about)

    @pytest.hookimpl(tryfirst=True)  # before JUnit XML is written and the summary printed
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the outputs, and decide whether the session passes."""
        if isinstance(sys.exception(), KeyboardInterrupt):  # Ctrl-C again, before pytest noted it
            session.exitstatus = pytest.ExitCode.INTERRUPTED
        if session.exitstatus == pytest.ExitCode.INTERRUPTED:
            self._keep_last_events()
        self.not_run.conclude(self.records, session, self.rounds.last)
        result = self._result = self._concluded(session)
        if result.problems and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            of_workers = (getattr(node, "workeroutput", {}).get(EMPTY_SHARD) for node in self._gone)
            if is_empty_shard(self.config) or any(of_workers):
                session.exitstatus = pytest.ExitCode.OK
        for observer in self.observers:
            observer.at_end(result)
        if not result.has_scores:
            return
        counts = failed_counts(counted_in_gates(result.records))
        self.gate.decide(session, self._reasons_to_fail(result), counts)
        fault = self.verdict.fault if self.verdict else ""
        is_red = result.missed_minimums or self._failures() or fault
        if is_red and session.exitstatus in _GREEN:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
            self.gate.lines = [f"gate: the session fails, since {fault}"] if fault else []

    def _concluded(self, session: pytest.Session) -> SessionResult:
        not_run, missed = self.not_run.lines(), self._missed_minimums(session.config)
        is_verdict_needed = self.verdict is not None and self.verdict.is_needed(self.skipped)
        has_scores = bool(self.records or missed or is_verdict_needed)
        return SessionResult(
            trials=self.records,
            has_scores=has_scores and not session.config.option.collectonly,
            not_run=self.run_facts.added_to(self.not_run.records(self.records)),
            not_run_count=self.not_run.count,
            problems=[*not_run, *self.budget.overspent(not_run)],
            missed_minimums=missed,
            unreadable_files=len(self.unreadable_files),
            skipped=self.skipped,
            verdict=self.verdict.texts() if self.verdict and has_scores else None,
            compared=self.compared.texts() if self.compared else {},
        )

    def _missed_minimums(self, config: pytest.Config) -> list[str]:
        settings = self.settings
        if config.option.collectonly or not (self.records or settings.min_score):
            return []
        records = counted_in_gates(chain.from_iterable(self.records.values()))
        return [
            *missed_minimums(records, settings.min_score),
            *missed_share(records, settings.max_user_faults),
        ]

    def _reasons_to_fail(self, result: SessionResult) -> Iterator[str]:
        """Yield why failed scenarios fail the session, whatever its gate weighs."""
        records = counted_in_gates(result.records)
        if self.not_run.is_budget_spent:
            yield "the budget did not suffice for all scenarios"
        if self.budget.overspent(self.not_run.lines()):
            yield "more was used than the budget allows"
        if result.missed_minimums:
            yield "a minimum was missed"
        if self._failures():
            yield "records could not be written"
        if self.verdict is not None:
            yield self.verdict.fault
        if self.verdict is not None and self.gate.by == "baseline":
            yield self.verdict.undecided(records)
        elif uncovered := without_minimum(records, self.settings.min_score):
            yield f"no minimum covers {', '.join(uncovered)}"

    def _failures(self) -> list[str]:
        return [line for observer in self.observers for line in observer.failures()]

    @pytest.hookimpl(trylast=True)  # just before pytest's short summary
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the scores, and what else there is to say."""
        self.short_lines.begin(terminalreporter, self.records)
        if (result := self._result) is None:
            return
        red = [*result.missed_minimums, *self._failures(), *result.problems]
        if red or result.has_scores or self.unreadable_files or self.skipped:
            print_summary(self.settings.players, result, red, self.observers, terminalreporter)

    def verdicts(self) -> list[Line]:
        """Return the lines with which the run ends: the gate and the verdict, if there are any."""
        if self._result is None:
            return []
        lines = [line for observer in self.observers for line in observer.verdicts()]
        return [*lines, *unread_lines(self._result, self.config)] if lines else []

    def pytest_unconfigure(self) -> None:
        """Release files and folders."""
        for observer in self.observers:
            observer.close()


def _results_file(config: pytest.Config) -> ResultsFile | None:
    """Return the file of records, if there is one; it may not hold others.

    It is reserved before its records are read, or anything is collected.
    """
    settings = settings_of(config)
    if settings.results is None:
        return None
    overwrite, continues = settings.overwrite, settings.continues
    file = ResultsFile(settings.results, overwrite=overwrite, continues=continues)
    is_first = continues or _is_typed("--sandbox-results", config)
    if is_first and not plays_nothing(config):
        file.reserve(_results_option(config))
    return file


def _resume_option(config: pytest.Config) -> str:
    settings = settings_of(config)
    if settings.results is None or settings.rejudge:
        return ""
    return redacted(join_command([file_option("resume", settings.results, config)]))


def _results_option(config: pytest.Config) -> str:
    names = given_names(config)
    return names.get("results") or names["resume"]


def _is_typed(option: str, config: pytest.Config) -> bool:
    return any(str(word).startswith(option) for word in config.invocation_params.args)
