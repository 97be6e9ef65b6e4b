"""What becomes of the records of a session: file, summary, JUnit XML, and the exit status."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

from pytest_toolsandbox.plugin.collection.which_files import is_scenario, plays_nothing
from pytest_toolsandbox.plugin.options import given_names
from pytest_toolsandbox.plugin.payload import Payload, take_payload
from pytest_toolsandbox.plugin.playing.requesting import SessionBudget
from pytest_toolsandbox.plugin.playing.workers import HandingOut
from pytest_toolsandbox.plugin.settings import settings_of
from pytest_toolsandbox.plugin.stash import REPORTS
from pytest_toolsandbox.plugin.stopping import hear_ending

from .junit_xml import LaterRounds, PassedOutput, junit_xml
from .not_run import NotRun
from .telling import ELSEWHERE, SentCassettes
from .terminal_summary import SessionGate

if TYPE_CHECKING:
    from pytest_toolsandbox.plugin.playing.rounds import RoundsOfWorkers
    from pytest_toolsandbox.records.record import Summary

    from .files import SessionBrief
    from .verdict import SessionVerdict

PROGRESS = "toolsandbox-progress"


def start_reports(config: pytest.Config, node: Any = None) -> None:
    """Register the reports, once: in the only process, or in the controller of pytest-xdist.

    A worker's ``node`` is told where to write down what it spends.
    """
    if not hasattr(config, "workerinput") and not config.pluginmanager.has_plugin(REPORTS):
        config.pluginmanager.register(SessionReports(config), REPORTS)
    if node is not None:
        where = node.gateway.spec
        node.workerinput[ELSEWHERE] = bool(where.chdir or not where.popen)
        reports: Any = config.pluginmanager.get_plugin(REPORTS)
        reports.budget.share(node)
        reports.handing_out.add(node)
        hear_ending(node, reports.ending)
        if reports.settings.trials.is_auto:
            reports.lead_rounds(node)


class SessionReports:
    """Lives where the reports of all items end up."""

    def __init__(self, config: pytest.Config) -> None:
        from .files import HtmlFile, ResultsFile, named

        self.config = config
        self.settings = settings_of(config)
        self.records: dict[str, list[Summary]] = {}
        self.missed_minimums: list[str] = []
        self.gate = SessionGate(self.settings)
        self.unreadable_files: set[str] = set()
        self.skipped: Counter[str] = Counter()
        self.in_turn: dict[str, str] = {}
        self.running: dict[Any, int] = {}
        """Worker → how many conversations it holds."""
        self.output = PassedOutput(config)
        self.later_rounds = LaterRounds(config)
        self.not_run = NotRun()
        self.handing_out = HandingOut(config)
        self.budget = SessionBudget(self.settings)
        self.cassettes = SentCassettes(config)
        self._early: set[str] = set()
        self._gone: list[Any] = []
        self.ending: set[Any] = set()
        """The workers that come to their end, or have."""
        self._is_ours = False
        """Whether what stopped the run did not reach all processes, as Ctrl-C does."""
        self.unsaid: str | None = None
        self.rounds: RoundsOfWorkers | None = None
        typed = [str(one) for one in config.invocation_params.args]
        self.verdict: SessionVerdict | None = None
        if self.settings.baseline and not plays_nothing(config):
            from .verdict import SessionVerdict

            is_typed = any(one.startswith("--sandbox-baseline") for one in typed)
            self.verdict = SessionVerdict(self.settings, is_typed=is_typed)
        self.summary = named(config)
        self.brief: SessionBrief | None = None
        if self.settings.brief and not plays_nothing(config):
            from .files import SessionBrief

            self.brief = SessionBrief(self.settings.brief)
        path = self.settings.results
        how = {"overwrite": self.settings.overwrite, "continues": self.settings.continues}
        self.file = ResultsFile(path, **how) if path else None
        self.resumed: Counter[str] = Counter()
        self.html = HtmlFile(self.settings.html) if self.settings.html else None
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
            names = given_names(self.config)
            self.file.refuse_to_overwrite(names.get("results") or names["resume"])

    @pytest.hookimpl(tryfirst=True)  # before it is shown as what could not be collected
    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Count the scenario files that could not be read. End what a worker finds wrong."""
        if lines := take_payload(report).usage_error:
            raise pytest.UsageError(*lines)
        if report.failed and report.nodeid.endswith((".yaml", ".yml")):
            self.unreadable_files.add(report.nodeid)

    def pytest_runtest_logstart(self) -> None:
        """Note that items are run: a run that ends before, as at a bad file, writes nothing."""
        self.not_run.is_begun = True

    @pytest.hookimpl(tryfirst=True)  # before an item's JUnit XML is written
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the records of an item; those of its last run, where it is run again."""
        payload = take_payload(report)
        if payload.skipped:
            self.skipped[payload.skipped] += 1
        if self.verdict is not None:
            self.verdict.impact = payload.impact or self.verdict.impact
            if report.skipped:
                self.verdict.expected.discard(report.nodeid)
        self.in_turn |= {report.nodeid: payload.in_turn} if payload.in_turn else {}
        if payload.running is not None:
            self.running[report.__dict__.get("node")] = payload.running
        self.output.hear(report)
        self.later_rounds.hear(report)
        self.not_run.hear(report, payload)
        self.cassettes.hear(payload.cassettes)
        if report.__dict__["outcome"] == "rerun":  # of pytest-rerunfailures
            return
        if payload.is_repeated and report.nodeid in self.records:
            self._add_untold(report.nodeid, payload.records)
            return
        if records := payload.records or self._lost_records(report):
            self._count_resumed(payload)
            self._keep(report.nodeid, records, payload.kept)
            if self.brief is not None:
                self.brief.keep(report, records)
            if self.summary is not None and report.failed:
                self.summary.keep(report)
            self.output.keep(report, records)
            self.gate.hear(report, records)

    def _count_resumed(self, payload: Payload) -> None:
        trials = [record["trial"] for record in payload.records]
        self.resumed["kept"] += 0 < len(payload.kept) == len(trials)
        self.resumed["judged"] += sum(trial in payload.judged for trial in trials)
        self.resumed["changed"] += payload.is_changed

    def _lost_records(self, report: pytest.TestReport) -> list[Any]:
        """Return what stands for an item that came to an end without a record.

        So does one that is lost with the worker that played it.
        """
        if not report.failed or report.when == "teardown" or report.nodeid in self.records:
            return []
        if not is_scenario(report.nodeid, self.config):
            return []
        from pytest_toolsandbox.records.writing import lost_record

        crash = getattr(report.longrepr, "reprcrash", None)
        reason = crash.message if crash else str(report.longrepr)
        return [lost_record(report.nodeid, reason)]

    def _keep(self, nodeid: str, records: Sequence[Any], there: Collection[int]) -> None:
        """Keep the records of an item. Ctrl-C waits, or a record would be lost that is there.

        Those of the trials that are ``there`` stand in the file that is resumed.
        """
        from pytest_toolsandbox.concurrency.interrupts import uninterrupted

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
        from pytest_toolsandbox.concurrency.interrupts import uninterrupted
        from pytest_toolsandbox.records.writing import as_line

        if self.file is not None and nodeid not in self._early:
            with uninterrupted():
                self.file.write(map(as_line, records))
                self._early.add(nodeid)

    def add_trials(self, nodeid: str, records: Sequence[Any], there: Collection[int]) -> None:
        """Keep further trials of an item, as :meth:`_keep` does."""
        from pytest_toolsandbox.concurrency.interrupts import uninterrupted

        with uninterrupted():
            before = self.records[nodeid]
            self._keep(nodeid, records, there)
            self.records[nodeid] = [*before, *self.records[nodeid]]

    def _add_untold(self, nodeid: str, records: Sequence[Any]) -> None:
        """Keep the trials of a later round that a stop left untold; others are there."""
        there = {one["trial"] for one in self.records[nodeid]}
        if there.isdisjoint(one["trial"] for one in records):
            self.add_trials(nodeid, records, ())

    def lead_rounds(self, node: Any) -> None:
        """Have a worker play as many trials of its items as decide."""
        from pytest_toolsandbox.plugin.playing.rounds import RoundsOfWorkers

        self.rounds = self.rounds or RoundsOfWorkers(self)
        self.rounds.add(node)

    @pytest.hookimpl(optionalhook=True, trylast=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Wait no longer for a worker that has left, or was lost; stop with one that was stopped.

        Pytest-xdist starts another one in its place, and waits until the others come to an end.
        """
        self._gone.append(node)
        self.budget.hear(node)
        status = getattr(node, "workeroutput", {}).get("exitstatus")
        if self.not_run.planned and status == pytest.ExitCode.INTERRUPTED:
            raise KeyboardInterrupt(f"{node.gateway.id} was stopped")
        if self.rounds is not None:  # those who wait begin no other round of a run that is stopped
            self.rounds.leave(node)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        """Let a run end with its summary where it is told to, as by a CI server."""
        from pytest_toolsandbox.concurrency.interrupts import terminable
        from pytest_toolsandbox.plugin.stopping import between_events

        with terminable(), between_events(self.config, lambda: bool(self.not_run.planned)):
            return (yield)

    @pytest.hookimpl(tryfirst=True)
    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Keep what pytest shows."""
        from pytest_toolsandbox.plugin.stopping import shorten

        self._is_ours = bool(excinfo.value.args)
        shorten(excinfo, self.config)

    @pytest.hookimpl(tryfirst=True)  # before JUnit XML is written and the summary printed
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Judge the means, and hand them to JUnit XML."""
        if session.exitstatus == pytest.ExitCode.INTERRUPTED:
            self._hear_workers()
        self._tell_not_run(session)
        if session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and self._is_empty_shard():
            session.exitstatus = pytest.ExitCode.OK
        wanted = self.records or self.settings.min_score or self._needs_verdict()
        if session.config.option.collectonly or not wanted:
            return
        from pytest_toolsandbox.output.quarantine import counted_in_gates
        from pytest_toolsandbox.output.totals import missed_minimums
        from pytest_toolsandbox.output.user_tables import missed_share

        records, minimums = counted_in_gates(self.all_records()), self.settings.min_score
        self._add_properties()
        if self.html is not None:
            self.html.write(self._why_red())
        self.missed_minimums = [
            *missed_minimums(records, minimums),
            *missed_share(records, self.settings.max_user_faults),
        ]
        self.gate.decide(session, self._reasons_to_fail(records))
        self._keep_for_later()
        green = (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
        fault = self.verdict.fault if self.verdict else ""
        if (self.missed_minimums or self._unwritten() or fault) and session.exitstatus in green:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
            self.gate.line = f"gate: the session fails, since {fault}" if fault else None

    def _is_empty_shard(self) -> bool:
        """Whether the shard has no scenario, as it is told here, or by workers."""
        from pytest_toolsandbox.plugin.collection.selecting import EMPTY_SHARD, is_empty_shard

        told = (getattr(node, "workeroutput", {}).get(EMPTY_SHARD) for node in self._gone)
        return is_empty_shard(self.config) or any(told)

    def _add_properties(self) -> None:
        """Hand the means to JUnit XML, if it is written."""
        if (xml := junit_xml(self.config)) is None:
            return
        from pytest_toolsandbox.output.junit import suite_properties

        self.later_rounds.add(self.records)
        properties = suite_properties(self.all_records(), len(self.unreadable_files))
        properties |= self.verdict.properties() if self.verdict else {}
        for name, value in properties.items():
            xml.add_global_property(name, value)

    def _reasons_to_fail(self, records: Sequence[Summary]) -> Iterator[str]:
        """Yield why failed scenarios fail the session, whatever its gate weighs."""
        from pytest_toolsandbox.output.totals import without_minimum

        if self.not_run.is_budget_spent:
            yield "the budget did not suffice for all scenarios"
        if self._overspent():
            yield "more was used than the budget allows"
        if self.missed_minimums:
            yield "a minimum was missed"
        if self._unwritten():
            yield "records could not be written"
        if self.verdict is not None:
            yield self.verdict.fault
        if self.verdict is not None and self.gate.by == "baseline":
            yield self.verdict.undecided(records)
        elif uncovered := without_minimum(records, self.settings.min_score):
            yield f"no minimum covers {', '.join(uncovered)}"

    def _tell_not_run(self, session: pytest.Session) -> None:
        """Write a record of each item that was not run, and let the session not pass for them."""
        self.not_run.close(self.records, session)
        if self.file is not None and (records := self.not_run.records(self.records)):
            from pytest_toolsandbox.records.writing import as_line

            self.file.write(map(as_line, records))
        if (xml := junit_xml(self.config)) is not None and self.not_run.lines():
            xml.add_global_property("toolsandbox.not_run", self.not_run.count)
        if self._why_red() and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _why_red(self) -> list[str]:
        """Return what was not run and what was spent too much: with either no session passes."""
        return [*self.not_run.lines(), *self._overspent()]

    def _overspent(self) -> list[str]:
        from pytest_toolsandbox.plugin.playing.requesting import spent

        return self.budget.overspent(spent(self.config), self.not_run.lines())

    def _needs_verdict(self) -> bool:
        """Whether there is one where nothing was played; take an earlier one that holds on."""
        if self.verdict is None:
            return False
        if self.skipped["unchanged"]:
            self.verdict.reuse(self.config)
            return True
        return self.verdict.is_required(self.skipped)

    def _keep_for_later(self) -> None:
        """Write the brief, and keep a good verdict for runs in which nothing changes."""
        told = self.verdict.lines() if self.verdict else self.missed_minimums
        told = [*told, *self._why_red()]
        if self.summary is not None and self.records:
            facts = [*self.verdict.facts(), *self._why_red()] if self.verdict else told
            sections = self.verdict.sections() if self.verdict else ()
            self.unsaid = self.summary.write(self.all_records(), facts, sections)
        if self.brief is not None:
            first = self.verdict.broken if self.verdict else ()
            self.brief.write(self.all_records(), told, first)
        if self.verdict is not None:
            self.verdict.remember(self.config)

    def _unwritten(self) -> list[str]:
        shortfall = self.file.shortfall() if self.file else None
        brief = self.brief.problem if self.brief else None
        problems = (shortfall, brief, self.cassettes.problem)
        return [*filter(None, problems), *(self.html.problems if self.html else [])]

    def _hear_workers(self) -> None:
        """Keep the records that workers sent since Ctrl-C."""
        from pytest_toolsandbox.plugin.stopping import late_events

        late = late_events(self.config, self._gone, self.ending, at_once=self._is_ours)
        for event, about in late:
            if event == "testreport":
                self.pytest_runtest_logreport(about["rep"])
            elif event == "workerfinished":
                self.budget.hear(about["node"])
            elif self.rounds is not None and about.get("said"):
                self.rounds.hear(**about)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the scores, and what else there is to say."""
        red = [*self.missed_minimums, *self._unwritten(), *self._why_red()]
        told = self.records or red or self.unreadable_files or self.skipped
        if not (told or self._needs_verdict()):
            return
        from .terminal_summary import print_summary

        print_summary(self, red, terminalreporter)

    def pytest_unconfigure(self) -> None:
        """Let other runs have the file."""
        self.budget.close()
        if self.file is not None:
            told = {name: [one["trial"] for one in each] for name, each in self.records.items()}
            self.file.close(told)

    def all_records(self) -> list[Summary]:
        """Return the records in one order, whatever order the items finished in."""
        return [record for name in sorted(self.records) for record in self.records[name]]
