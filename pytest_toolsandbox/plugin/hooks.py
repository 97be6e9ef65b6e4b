"""The hooks that a process needs once it has a scenario, and what is refused then."""

from __future__ import annotations

import gc
import sys
from collections.abc import Generator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any
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
from pytest_toolsandbox.plugin.collection.which_files import is_shipped, plays_nothing
from pytest_toolsandbox.plugin.output.telling import (
    clean_report,
    tell_controller,
    tell_records,
)
from pytest_toolsandbox.plugin.playing.playable import PlayableItem
from pytest_toolsandbox.plugin.playing.players import player_of

from .marks import skip
from .payload import Payload, attach_payload
from .settings import settings_of
from .stash import (
    BAD_FILES,
    SHARDED,
    UNCHANGED,
)
from .stopping import StoppedByController, end_within, shorten

if TYPE_CHECKING:
    from pytest_toolsandbox.language.scenario import Scenario


_MOST = 5
"""How many scenarios a line names."""


def check_minimums(config: pytest.Config, scenarios: Sequence[Scenario]) -> None:
    """Refuse a minimum for what no scenario is of: now, since playing costs money."""
    from pytest_toolsandbox.text.nearest_name import did_you_mean

    names = {name for one in scenarios for name in (one.variant, *one.categories) if name}
    asked = [one.category for one in settings_of(config).min_score if one.required]
    start = "--sandbox-min-score: no scenario of this run is of"
    lacking = [name for name in asked if name and name not in names]
    _refuse([f"{start} {name!r}{did_you_mean(name, names)}" for name in lacking], config)


def check_trials(config: pytest.Config, scenarios: Sequence[Scenario]) -> None:
    """Refuse to play what can never pass."""
    from pytest_toolsandbox.text.formatting import pluralize

    settings = settings_of(config)
    if settings.rejudge:  # there are as many trials as there are records
        return
    plans = ((one.name, settings.plan(one)) for one in scenarios)
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
        tell_controller(lines, config)


_BROKEN_OFF = (pytest.ExitCode.INTERRUPTED, pytest.ExitCode.INTERNAL_ERROR)
"""How a session ends in whose midst something was raised: of Ctrl-C Python's locks make either."""


class ScenarioHooks:
    """What is done in each process that has scenarios."""

    def __init__(self, header: str | None, config: pytest.Config) -> None:
        self.config = config
        self.header = header
        self.is_worker = hasattr(config, "workerinput")
        self.controller = StoppedByController(config)

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
            from pytest_toolsandbox.plugin.collection.selecting import keep_shard

            keep_shard(shard, config, items)

    def pytest_report_collectionfinish(self, config: pytest.Config) -> str | None:
        """Say which shard is played."""
        if SHARDED not in config.stash:
            return None
        from pytest_toolsandbox.plugin.collection.selecting import shard_line

        return shard_line(config)

    @pytest.hookimpl(tryfirst=True)  # before a worker says that it has collected
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Run other files if all collection errors are of scenario files, as pytest-xdist does."""
        from .settings import settings_of

        ours = [item for item in session.items if isinstance(item, PlayableItem)]
        scenarios = [item.scenario for item in ours]
        is_told = settings_of(session.config).dry_run or not plays_nothing(session.config)
        if scenarios and is_told:
            check_minimums(session.config, scenarios)
            if session.config.getini("sandbox_agent_files"):
                from pytest_toolsandbox.plugin.collection.unchanged import look_for_changes

                look_for_changes(session.config, [(item.nodeid, item.scenario) for item in ours])
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
        from pytest_toolsandbox.text.error_text import tamed

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
        if isinstance(item, PlayableItem) and UNCHANGED in item.config.stash:
            from pytest_toolsandbox.plugin.collection.unchanged import WHY

            skip("unchanged", WHY)

    @pytest.hookimpl(wrapper=True, tryfirst=True)  # outside of what makes xfailed of errors
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Let a report carry the item's records to wherever reports end up."""
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

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_logreport(self) -> Generator[None, object, object]:
        """Have Ctrl-C wait until a worker has sent a report: half of one ends all that it says."""
        with uninterrupted() if self.is_worker else nullcontext():
            return (yield)

    @pytest.hookimpl(tryfirst=True)
    def pytest_warning_recorded(self, warning_message: WarningMessage) -> None:
        """Clean a warning, of whichever test: it may come from a client library's thread."""
        from pytest_toolsandbox.plugin.output.telling import clean_warning

        clean_warning(warning_message, is_sent=self.is_worker)

    @pytest.hookimpl(tryfirst=True)
    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Begin nothing more, and let a worker say what it has."""
        if self.is_worker:
            ignore_further()
            shorten(excinfo, self.config)
        player_of(self.config).stop()

    @pytest.hookimpl(wrapper=True)  # before reports end, and fixtures of the session
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None, object, object]:
        """Leave what is still being played behind, and keep what is finished of a stopped run."""
        self.controller.say_ending()
        player = player_of(session.config)
        if isinstance(sys.exception(), KeyboardInterrupt):  # Ctrl-C again, before pytest noted it
            session.exitstatus = pytest.ExitCode.INTERRUPTED
        is_broken_off = session.exitstatus in _BROKEN_OFF
        if is_broken_off and not session.shouldstop:  # which --sw sets: it ends a run as -x does
            with uninterrupted():
                for item, trials in player.unreported():
                    item.keep(trials)
                    tell_records(item)
        player.close(lambda: int(session.exitstatus))  # which gates may yet change
        if self.is_worker:
            ignore_further()  # its end is the controller's matter from here on
            from pytest_toolsandbox.plugin.collection.selecting import EMPTY_SHARD, is_empty_shard
            from pytest_toolsandbox.plugin.playing.requesting import SPENT, spent

            output = session.config.workeroutput  # type: ignore[attr-defined]  # of pytest-xdist
            output[SPENT] = tuple(spent(session.config))  # which goes to another process
            output[EMPTY_SHARD] = is_empty_shard(session.config)
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Play more trials where the user wants as many as decide."""
        handler = interrupt_once if self.is_worker else interrupt
        with stoppable(handler), ending_with(partial(end_within, session)):
            try:
                result = yield
            except pytest.exit.Exception as error:  # where a run that is resumed is another one
                if error.returncode != pytest.ExitCode.USAGE_ERROR:
                    raise
                raise pytest.UsageError(error.msg) from None
            if settings_of(session.config).trials.is_auto:
                from pytest_toolsandbox.plugin.playing.rounds import play_rounds

                play_rounds(session)
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Clean what is logged while a scenario is played, and tell the trials that finished."""
        if not isinstance(item, PlayableItem):
            return (yield)
        from pytest_toolsandbox.plugin.playing.players import player_of

        with player_of(item.config).guarded(item):
            return (yield)
