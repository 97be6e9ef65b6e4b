"""The hooks of a process that has scenarios, and the options that it refuses for them."""

from __future__ import annotations

import gc
import sys
from collections.abc import Generator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any
from warnings import WarningMessage

import pytest

from pytest_toolsandbox.concurrency.stopping import (
    ending_with,
    forget_interrupts,
    ignore_further,
    interrupt,
    interrupt_once,
    stoppable,
    uninterrupted,
)
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.plugin.collection.selecting import EMPTY_SHARD, is_empty_shard
from pytest_toolsandbox.plugin.collection.which_files import is_bundled, plays_nothing
from pytest_toolsandbox.plugin.output.budget import SPENT, spent
from pytest_toolsandbox.plugin.output.observer import Payload, attach_payload
from pytest_toolsandbox.plugin.output.redacting import clean_report, clean_warning
from pytest_toolsandbox.plugin.output.rounds import play_rounds
from pytest_toolsandbox.plugin.output.sending import send_unreported, send_usage_error
from pytest_toolsandbox.plugin.output.verdict import WHY, look_for_changes
from pytest_toolsandbox.plugin.playing.playable import PlayableItem
from pytest_toolsandbox.plugin.playing.players import player_of
from pytest_toolsandbox.text.error_text import tamed
from pytest_toolsandbox.text.formatting import pluralize
from pytest_toolsandbox.text.nearest_name import did_you_mean
from pytest_toolsandbox.worlds.live.ending import end_servers

from .marks import skip
from .settings import settings_of
from .stash import BAD_FILES, UNCHANGED
from .stopping import StoppedByController, end_within, shorten

_MOST = 5
"""How many scenarios a line names."""


def _refuse_minimums(config: pytest.Config, scenarios: Sequence[Scenario]) -> None:
    """Refuse a minimum for a category that no scenario has, before anything is played."""
    names = {
        name for scenario in scenarios for name in (scenario.variant, *scenario.categories) if name
    }
    required = [minimum.category for minimum in settings_of(config).min_score if minimum.required]
    start = "--sandbox-min-score: no scenario of this run is of"
    lacking = [name for name in required if name and name not in names]
    _refuse([f"{start} {name!r}{did_you_mean(name, names)}" for name in lacking], config)


def _refuse_trials(config: pytest.Config, scenarios: Sequence[Scenario]) -> None:
    """Refuse to play scenarios that can never pass: too few trials for ``--sandbox-pass``."""
    settings = settings_of(config)
    if settings.rejudge:  # there are as many trials as there are records
        return
    plans = ((scenario.name, settings.plan(scenario)) for scenario in scenarios)
    never = {name: plan.trials for name, plan in plans if plan.needed > plan.trials}
    names = [f"{name} ({pluralize(count, 'trial')})" for name, count in never.items()]
    more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    remedy = f"give --sandbox-trials={settings.pass_}, or a smaller number"
    line = f"{', '.join(names[:_MOST])}{more} can never pass; {remedy}"
    _refuse([f"--sandbox-pass={settings.pass_}: {line}"] if never else [], config)


def _refuse(lines: Sequence[str], config: pytest.Config) -> None:
    if lines and not hasattr(config, "workerinput"):
        raise pytest.UsageError(*lines)
    if lines:  # the controller knows no scenario
        send_usage_error(lines, config)


class ScenarioHooks:
    """The hooks of each process that has scenarios."""

    def __init__(self, header: str | None, config: pytest.Config) -> None:
        self.config = config
        self.header = header
        self.is_worker = hasattr(config, "workerinput")
        self.controller = StoppedByController(config)

    def pytest_report_header(self) -> str | None:
        """Print the folder of the bundled suites, if they are played."""
        return self.header

    @pytest.hookimpl(tryfirst=True)  # before a worker says that it has collected
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Run other files if all collection errors are of scenario files, as pytest-xdist does."""
        items = [item for item in session.items if isinstance(item, PlayableItem)]
        scenarios = [item.scenario for item in items]
        is_checked = settings_of(session.config).dry_run or not plays_nothing(session.config)
        if scenarios and is_checked:
            _refuse_minimums(session.config, scenarios)
            if session.config.getini("sandbox_agent_files"):
                look_for_changes(session.config, [(item.nodeid, item.scenario) for item in items])
            _refuse_trials(session.config, scenarios)
        bad = session.config.stash[BAD_FILES]
        if bad and session.testsfailed == len(bad):
            session.config.option.continue_on_collection_errors = True
        gc.freeze()  # the scenarios stay to the end, and looking through them takes long

    @pytest.hookimpl(tryfirst=True)  # before --lf, which looks for them elsewhere
    def pytest_make_collect_report(self, collector: pytest.Collector) -> Any:
        """Collect files of bundled suites under ``--lf``, which looks for them elsewhere."""
        config = collector.config
        if not isinstance(collector, pytest.File) or not config.getoption("lf", False):
            return None
        runner = config.pluginmanager.get_plugin("runner")
        if runner is None or not is_bundled(collector.path):
            return None
        return runner.pytest_make_collect_report(collector)

    @pytest.hookimpl(wrapper=True)  # around pytest, which keeps the error
    def pytest_fixture_setup(
        self, fixturedef: Any, request: Any
    ) -> Generator[None, object, object]:
        """Let pytest keep every error of a fixture, also one that ends programs.

        An error that raises when pytest looks at it is replaced. Otherwise the fixture would be
        half set up, and every later item an error.
        """
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

    @pytest.hookimpl(tryfirst=True)  # before fixtures are set up
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Play nothing if the verdict of an earlier run is reused."""
        __tracebackhide__ = True
        if isinstance(item, PlayableItem) and UNCHANGED in item.config.stash:
            skip("unchanged", WHY)

    @pytest.hookimpl(wrapper=True, tryfirst=True)  # outside of what makes xfailed of errors
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Attach the item's records to a report, for the process that prints the results."""
        if isinstance(item, PlayableItem):  # which shows what ended the setup itself
            item.phase = call.when
        forget_interrupts()  # pytest reports one only if the debugger of --pdb goes on after it
        report = yield
        payload = Payload()
        if report.skipped and call.excinfo:
            payload = replace(payload, skipped=getattr(call.excinfo.value, "why", ""))
        if isinstance(item, PlayableItem):
            running = player_of(item.config).running if self.is_worker else None
            payload = item.payload_of(report, replace(payload, running=running))
            clean_report(report)
        attach_payload(report, payload)
        return report

    @pytest.hookimpl(wrapper=True)  # around the hook in which pytest-xdist sends it
    def pytest_runtest_logreport(self) -> Generator[None, object, object]:
        """Delay Ctrl-C while a worker sends a report: a partial one would break its connection."""
        with uninterrupted() if self.is_worker else nullcontext():
            return (yield)

    @pytest.hookimpl(tryfirst=True)  # before pytest prints it, and pytest-xdist sends it
    def pytest_warning_recorded(self, warning_message: WarningMessage) -> None:
        """Clean a warning, of whichever test: it may come from a client library's thread."""
        clean_warning(warning_message, is_sent=self.is_worker)

    @pytest.hookimpl(tryfirst=True)  # before pytest prints the traceback
    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Begin nothing more, and let a worker send what it has."""
        if self.is_worker:
            ignore_further()
            shorten(excinfo, self.config)
        player_of(self.config).stop()

    @pytest.hookimpl(wrapper=True)  # before reports end, and fixtures of the session
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None, object, object]:
        """Abandon conversations that still run; of a stopped run, keep the finished trials."""
        player = player_of(session.config)
        if isinstance(sys.exception(), KeyboardInterrupt):  # Ctrl-C again, before pytest noted it
            session.exitstatus = pytest.ExitCode.INTERRUPTED
        is_refused = (
            session.exitstatus == pytest.ExitCode.USAGE_ERROR
        )  # it leaves files as they are
        with uninterrupted():
            self.controller.say(has_sent_all=False)
            for item, trials in () if is_refused else player.unreported():
                item.keep(trials)
                send_unreported(item)
            self.controller.say(has_sent_all=True)
        player.close(lambda: int(session.exitstatus))  # which gates may yet change
        end_servers()
        if self.is_worker:
            ignore_further()  # its end is the controller's matter from here on
            output = session.config.workeroutput  # type: ignore[attr-defined]  # of pytest-xdist
            output[SPENT] = tuple(spent(session.config))  # which goes to another process
            output[EMPTY_SHARD] = is_empty_shard(session.config)
        return (yield)

    @pytest.hookimpl(wrapper=True)  # signals are handled during all of it, later rounds included
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Play more trials with ``--sandbox-trials=auto``, until the baseline decides."""
        handler = interrupt_once if self.is_worker else interrupt
        with stoppable(handler), ending_with(partial(end_within, session)):
            try:
                result = yield
            except pytest.exit.Exception as error:  # where a run that is resumed is another one
                if error.returncode != pytest.ExitCode.USAGE_ERROR:
                    raise
                raise pytest.UsageError(error.msg) from None
            if settings_of(session.config).trials.is_auto:
                play_rounds(session)
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Redact logs while a scenario is played, and keep the trials that finished."""
        if not isinstance(item, PlayableItem):
            return (yield)
        with player_of(item.config).guarded(item):
            return (yield)
