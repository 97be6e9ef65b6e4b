"""The hooks that a process needs once it has a scenario."""

from __future__ import annotations

import gc
import sys
from collections.abc import Generator
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, cast
from warnings import WarningMessage

import pytest

from .collection.which_files import is_shipped, plays_nothing
from .playing.sent_cassettes import send_recorded
from .reporting.telling import tell_records
from .skipping import skip
from .stash import (
    BAD_FILES,
    GOES_ON,
    IMPACT,
    IN_TURN,
    ON_THE_WAY,
    RECORDS,
    RESUMED_AS,
    SECONDS,
    SHARDED,
    UNCHANGED,
)

if TYPE_CHECKING:
    from .playing.items import ScenarioItem


_BROKEN_OFF = (pytest.ExitCode.INTERRUPTED, pytest.ExitCode.INTERNAL_ERROR)
"""How a session ends in whose midst something was raised: of Ctrl-C Python's locks make either."""


class ScenarioHooks:
    """What is done in each process that has scenarios."""

    def __init__(self, header: str | None, config: pytest.Config) -> None:
        self.config = config
        self.header = header
        self.is_worker = hasattr(config, "workerinput")
        self._ending: Any = None
        if self.is_worker:
            from .stopping import CHANNEL

            self._ending = config.workerinput.pop(CHANNEL, None)  # type: ignore[attr-defined]  # of pytest-xdist

    def pytest_report_header(self) -> str | None:
        """Say where the suites are that are played."""
        return self.header

    @pytest.hookimpl(trylast=True)  # what -k and -m leave is cut
    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Keep the scenarios of the shard that is asked for."""
        from .settings import settings_of

        if shard := settings_of(config).shard:
            from .collection.selecting import keep_shard

            keep_shard(shard, config, items)

    def pytest_report_collectionfinish(self, config: pytest.Config) -> str | None:
        """Say which shard is played."""
        if SHARDED not in config.stash:
            return None
        from .collection.selecting import shard_line

        return shard_line(config)

    @pytest.hookimpl(tryfirst=True)  # before a worker says that it has collected
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Run other files if all collection errors are of scenario files, as pytest-xdist does."""
        from .collection.refusing import check_minimums, check_trials
        from .settings import settings_of

        scenarios = [item.scenario for item in session.items if hasattr(item, "scenario")]
        is_told = settings_of(session.config).dry_run or not plays_nothing(session.config)
        if scenarios and is_told:
            check_minimums(session.config, scenarios)
            if session.config.getini("sandbox_agent_files"):
                from .collection.unchanged import look_for_changes

                ours = (item for item in session.items if hasattr(item, "scenario"))
                look_for_changes(session.config, [(one.nodeid, one.scenario) for one in ours])
            check_trials(session.config, scenarios)
        bad = session.config.stash[BAD_FILES]
        if bad and session.testsfailed == len(bad):
            session.config.option.continue_on_collection_errors = True
        gc.freeze()  # the scenarios stay to the end, and looking through them takes long

    @pytest.hookimpl(tryfirst=True)
    def pytest_make_collect_report(self, collector: pytest.Collector) -> Any:
        """Collect files of shipped suites under ``--lf``, which looks for them elsewhere."""
        config = collector.config
        if not isinstance(collector, pytest.File) or not config.getoption("lf", False):
            return None
        runner = config.pluginmanager.get_plugin("runner")
        if runner is None or not is_shipped(collector.path):
            return None
        return runner.pytest_make_collect_report(collector)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: Any, request: Any
    ) -> Generator[None, object, object]:
        """Let pytest keep what it keeps of most errors: of those that end programs as well.

        For one that raises where pytest looks at it, another stands. Else the fixture would be half
        set up, and every item after this one an error.
        """
        from pytest_toolsandbox.wording.error_text import tamed

        __tracebackhide__ = True
        try:
            return (yield)
        except BaseException as raised:
            error = tamed(raised)
            if error is raised and fixturedef.cached_result is not None:
                raise
            kept = error if pytest.version_tuple < (8, 2, 1) else (error, error.__traceback__)
            fixturedef.cached_result = None, fixturedef.cache_key(request), kept
            if error is raised:
                raise
            raise error from None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Play nothing where an earlier verdict holds."""
        __tracebackhide__ = True
        if hasattr(item, "scenario") and UNCHANGED in item.config.stash:
            from .collection.unchanged import WHY

            skip("unchanged", WHY)

    @pytest.hookimpl(wrapper=True, tryfirst=True)  # outside of what makes xfailed of errors
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Let a report carry the item's records to wherever reports end up."""
        from pytest_toolsandbox.records.verdict import SCORED, verdict

        from .reporting.redacting import clean_report

        if hasattr(item, "phase"):  # it is a scenario's, and shows what ended the setup itself
            item.phase = call.when
        report = yield
        send_recorded(item, report)
        if report.skipped and call.excinfo and (why := getattr(call.excinfo.value, "why", "")):
            report.toolsandbox_skip = why  # type: ignore[attr-defined]  # reports take any
        if report.when == "setup" and SECONDS in item.stash:
            report.duration += item.stash[SECONDS]
            if why := item.stash.get(IN_TURN, None):
                report.toolsandbox_in_turn = why  # type: ignore[attr-defined]  # reports take any
        if self.is_worker and hasattr(item, "phase"):
            from .playing.players import player_of

            report.toolsandbox_running = player_of(item.config).running  # type: ignore[attr-defined]  # reports take any
        if hasattr(item, "phase") and (impact := item.config.stash.get(IMPACT, "")):
            report.toolsandbox_impact = impact  # type: ignore[attr-defined]  # reports take any
        if RECORDS not in item.stash:
            return report
        records = item.stash[RECORDS]
        if records and (report.when == "call" or (report.when == "setup" and not report.passed)):
            report.toolsandbox_records = records  # type: ignore[attr-defined]  # reports take any
            resumed: dict[str, Any] = item.stash.get(RESUMED_AS, {})
            report.__dict__.update(resumed)
            item.stash[ON_THE_WAY], item.stash[RECORDS] = records, []
            is_free = any(record.get("quarantine") for record in records)
            item.stash[GOES_ON] = not is_free
            is_scored = verdict(records) in SCORED
            if hasattr(report, "wasxfail") and not is_scored and not is_free:
                del report.wasxfail  # an outage is no failure that was expected
                report.outcome = "failed"
        clean_report(report)
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_logreport(self) -> Generator[None, object, object]:
        """Have Ctrl-C wait until a worker has sent a report: half of one ends all that it says."""
        from pytest_toolsandbox.waiting.interrupts import uninterrupted

        with uninterrupted() if self.is_worker else nullcontext():
            return (yield)

    @pytest.hookimpl(tryfirst=True)
    def pytest_warning_recorded(self, warning_message: WarningMessage) -> None:
        """Clean a warning, of whichever test: it may come from a client library's thread."""
        from .reporting.redacting import clean_warning

        clean_warning(warning_message, is_sent=self.is_worker)

    @pytest.hookimpl(tryfirst=True)
    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Begin nothing more, and let a worker say what it has."""
        from pytest_toolsandbox.waiting.interrupts import ignore_further

        from .playing.players import stop_playing
        from .stopping import shorten

        if self.is_worker:
            ignore_further()
            shorten(excinfo, self.config)
        stop_playing(self.config)

    @pytest.hookimpl(wrapper=True)  # before reports end, and fixtures of the session
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None, object, object]:
        """Leave what is still being played behind, and keep what is finished of a stopped run."""
        from pytest_toolsandbox.waiting.interrupts import (
            ends_with,
            ignore_further,
            uninterrupted,
        )

        from .playing.players import player_of
        from .stopping import say_ending

        if self._ending is not None:
            say_ending(self._ending)
        player = player_of(session.config)
        if isinstance(sys.exception(), KeyboardInterrupt):  # Ctrl-C again, before pytest noted it
            session.exitstatus = pytest.ExitCode.INTERRUPTED
        is_broken_off = session.exitstatus in _BROKEN_OFF
        if is_broken_off and not session.shouldstop:  # which --sw sets: it ends a run as -x does
            with uninterrupted():
                for item, trials in player.unreported():
                    item.keep(trials)
                    tell_records(item)
        ends_with(lambda: int(session.exitstatus))  # which gates may yet change
        player.close()
        if self.is_worker:
            ignore_further()  # its end is the controller's matter from here on
            from .collection.selecting import EMPTY_SHARD, is_empty_shard
            from .playing.requesting import spent
            from .reporting.spending import SPENT

            output = session.config.workeroutput  # type: ignore[attr-defined]  # of pytest-xdist
            output[SPENT] = tuple(spent(session.config))  # which goes to another process
            output[EMPTY_SHARD] = is_empty_shard(session.config)
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Play more trials where the user wants as many as decide."""
        from pytest_toolsandbox.waiting.interrupts import ending_with, terminable

        from .ending import end_within
        from .settings import settings_of

        with (
            terminable(is_worker=self.is_worker),
            ending_with(partial(end_within, session)),
        ):
            try:
                result = yield
            except pytest.exit.Exception as error:  # where a run that is resumed is another one
                if error.returncode != pytest.ExitCode.USAGE_ERROR:
                    raise
                raise pytest.UsageError(error.msg) from None
            if settings_of(session.config).trials.is_auto:
                self._play_rounds(session)
        return result

    def _play_rounds(self, session: pytest.Session) -> None:
        if self.is_worker:
            from .playing.rounds_of_workers import CHANNEL, follow_rounds

            follow_rounds(session, session.config.workerinput[CHANNEL])  # type: ignore[attr-defined]  # of pytest-xdist
        elif not session.config.pluginmanager.has_plugin("dsession"):  # else workers have played
            from .playing.rounds import play_rounds

            play_rounds(session)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Clean what is logged while a scenario is played, and tell the trials that finished."""
        if not hasattr(item, "scenario"):
            return (yield)
        from .playing.players import player_of

        with player_of(item.config).guarded(cast("ScenarioItem", item)):
            return (yield)
