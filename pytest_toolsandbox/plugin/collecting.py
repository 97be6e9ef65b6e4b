"""Which files are ours, and the hooks that a run needs once it has one."""

from __future__ import annotations

import gc
import sys
from collections.abc import Generator, Sequence
from pathlib import Path
from traceback import walk_tb
from typing import TYPE_CHECKING, Any, Never
from warnings import WarningMessage

import _pytest.outcomes
import pytest

from .options import OPTIONS, given

if TYPE_CHECKING:
    from pytest_toolsandbox.language.scenario import Scenario
    from pytest_toolsandbox.records.reading import StoredRecords
    from pytest_toolsandbox.records.record import Summary
    from pytest_toolsandbox.runs.resuming import Finished
    from pytest_toolsandbox.runs.sharding import Sharded
    from pytest_toolsandbox.runs.trial_plan import TrialPlan

    from .files import ScenarioFile

BAD_FILES = pytest.StashKey[set[Path]]()
"""The scenario files with mistakes."""
STORED: pytest.StashKey[StoredRecords] = pytest.StashKey()
"""The records that are judged again, where there are any."""
RESUMED: pytest.StashKey[Finished] = pytest.StashKey()
"""The trials that the run has finished which is resumed, if one is."""
ROUND: pytest.StashKey[TrialPlan] = pytest.StashKey()
"""Which trials of all items a later round plays, where there is one."""
RESUMED_AS = pytest.StashKey[dict[str, Any]]()
"""What an item's report carries of it: which trials are kept, whether its scenario changed."""
SHARDED: pytest.StashKey[Sharded] = pytest.StashKey()
"""The shard that is played, where there is one."""
UNCHANGED = pytest.StashKey[dict[str, str]]()
"""The verdict of an earlier run that depended on the same as this one."""
GOES_ON = pytest.StashKey[bool]()
"""Whether further trials of an item say more: it has a result, and is in no quarantine."""
IMPACT = pytest.StashKey[str]()
"""The digest of all that the verdict of a run depends on."""
RECORDS = pytest.StashKey[list["Summary"]]()
"""The records of an item that was played."""
ON_THE_WAY = pytest.StashKey[list["Summary"]]()
"""Those that a report carries to wherever reports end up."""
IN_TURN = pytest.StashKey[str]()
"""Why an item was played in its turn, where others are played ahead."""
SECONDS = pytest.StashKey[float]()
"""How much longer an item's conversations took than it waited for them."""
HOOKS = "toolsandbox-scenarios"
USAGE_ERROR = "toolsandbox_usage_error"
"""What a worker's report carries that finds an option wrong: the lines."""
_MOST = 5
"""How many scenarios a line names."""
_PLAYS_NOTHING = (
    *("collectonly", "setuponly", "showfixtures", "show_fixtures_per_test"),
    "sandbox_dry_run",
)


def start(config: pytest.Config) -> None:
    """Read what the user said, before the run begins."""
    from .settings import settings_of

    settings = settings_of(config)
    if settings.rejudge:
        from pytest_toolsandbox.records.reading import StoredError, read_records

        try:
            config.stash[STORED] = read_records(settings.rejudge)
        except StoredError as error:
            raise pytest.UsageError(f"--sandbox-rejudge: {error}") from None
    if settings.resume:
        from pytest_toolsandbox.records.reading import StoredError
        from pytest_toolsandbox.runs.resuming import finished_trials

        try:
            config.stash[RESUMED] = finished_trials(settings.resume)
        except StoredError as error:
            raise pytest.UsageError(f"--sandbox-resume: {error}") from None
    if settings.durations:
        from .selecting import past_seconds_of

        past_seconds_of(config)
    if len(settings.agent) > 1:
        from .several_agents import SeveralAgents

        config.pluginmanager.register(SeveralAgents())
    if settings.dry_run:
        from .dry_run import DryRun

        config.pluginmanager.register(DryRun(config))
    if settings.needs_details or settings.min_score:
        from .session import start_reports

        start_reports(config)


def find_suites(config: pytest.Config) -> None:
    """Replace arguments that are ids of the shipped suites, or in one, by where those lie.

    When pytest looked for its rootdir, the ini file and ``conftest.py``, such an argument led
    nowhere, so that these are what they are without arguments: those of the current project.
    """
    from pytest_toolsandbox.suites import placed, suites_folder

    folder, root = config.invocation_params.dir, config.rootpath
    arguments = [placed(argument, folder, root) for argument in config.args]
    if arguments != config.args:
        config.args = arguments
        _add_hooks(config, f"toolsandbox: the suites in {suites_folder()}")


def collect_file(path: Path, parent: pytest.Collector) -> ScenarioFile | None:
    """Return the node of a scenario file; with the first one, hooks and reports start."""
    if not _is_scenario_file(path, parent.config):
        return None
    _add_hooks(parent.config)
    from pytest_toolsandbox.suites import shipped_id
    from pytest_toolsandbox.wording.phrases import escaped, printable

    from .files import ScenarioFile

    file = ScenarioFile.from_parent(parent, path=path, nodeid=shipped_id(path))
    if escaped(file.nodeid).splitlines() == [file.nodeid]:
        return file
    shown = printable(file.nodeid).replace("\n", "\\n")
    file = ScenarioFile.from_parent(parent, path=path, nodeid=shown)
    file.is_misnamed = True
    return file


def plays_nothing(config: pytest.Config) -> bool:
    """Whether the user only wants to see what there is."""
    return any(config.getoption(name, None) for name in _PLAYS_NOTHING)


def is_scenario(nodeid: str, config: pytest.Config) -> bool:
    """Whether an id is that of a scenario, also where no scenario was collected in this process."""
    from pytest_toolsandbox.suites import placed

    root = config.rootpath
    return _is_scenario_file(root / placed(nodeid.partition("::")[0], root, root), config)


class Skipped(_pytest.outcomes.Skipped):
    """An item is not played; ``why`` is counted: ``without agent`` or ``without record``."""

    __module__ = "builtins"
    why = ""


def skip(why: str, text: str) -> Never:
    """Skip an item, or all that need a fixture; reports carry the reason, so that it is counted."""
    __tracebackhide__ = True
    skipped = Skipped(text)
    skipped.why = why
    raise skipped


def _is_scenario_file(path: Path, config: pytest.Config) -> bool:
    from pytest_toolsandbox.language.files import is_scenario_file

    return is_scenario_file(path, config.getini("scenario_files")) or _is_shipped(path)


def _is_shipped(path: Path) -> bool:
    """Whether a file is a scenario file of a shipped suite, whatever the project's are called."""
    from pytest_toolsandbox.language.files import is_scenario_file

    if not is_scenario_file(path):
        return False
    from pytest_toolsandbox.suites import shipped_id

    return shipped_id(path) is not None


def _add_hooks(config: pytest.Config, header: str | None = None) -> None:
    if config.pluginmanager.has_plugin(HOOKS):
        return
    from pytest_toolsandbox.wording.redaction import add_named_secrets

    from .session import start_reports
    from .settings import settings_of

    add_named_secrets(settings_of(config).secrets)
    config.stash[BAD_FILES] = set()
    hooks = ScenarioHooks(header, config)
    config.pluginmanager.register(hooks, HOOKS)
    start_reports(config)


class ScenarioHooks:
    """What is done in each process that has scenarios."""

    def __init__(self, header: str | None, config: pytest.Config) -> None:
        self.config = config
        self.header = header
        self.is_worker = hasattr(config, "workerinput")

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
            from .selecting import keep_shard

            keep_shard(shard, config, items)

    def pytest_report_collectionfinish(self, config: pytest.Config) -> str | None:
        """Say which shard is played."""
        if SHARDED not in config.stash:
            return None
        from .selecting import shard_line

        return shard_line(config)

    @pytest.hookimpl(tryfirst=True)  # before a worker says that it has collected
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Run other files if all collection errors are of scenario files, as pytest-xdist does."""
        from .settings import settings_of

        scenarios = [item.scenario for item in session.items if hasattr(item, "scenario")]
        is_told = settings_of(session.config).dry_run or not plays_nothing(session.config)
        if scenarios and is_told:
            self._check_minimums(session.config, scenarios)
            if session.config.getini("sandbox_agent_files"):
                from .unchanged import look_for_changes

                ours = (item for item in session.items if hasattr(item, "scenario"))
                look_for_changes(session.config, [(one.nodeid, one.scenario) for one in ours])
            self._check_trials(session.config, scenarios)
        bad = session.config.stash[BAD_FILES]
        if bad and session.testsfailed == len(bad):
            session.config.option.continue_on_collection_errors = True
        gc.freeze()  # the scenarios stay to the end, and looking through them takes long

    def _check_minimums(self, config: pytest.Config, scenarios: Sequence[Scenario]) -> None:
        """Refuse a minimum for what no scenario is of: now, since playing costs money."""
        from pytest_toolsandbox.wording.nearest_name import did_you_mean

        from .settings import settings_of

        names = {name for one in scenarios for name in (one.variant, *one.categories) if name}
        asked = [one.category for one in settings_of(config).min_score if one.required]
        start = "--sandbox-min-score: no scenario of this run is of"
        lacking = [name for name in asked if name and name not in names]
        self._refuse([f"{start} {name!r}{did_you_mean(name, names)}" for name in lacking], config)

    def _check_trials(self, config: pytest.Config, scenarios: Sequence[Scenario]) -> None:
        """Refuse to play what can never pass."""
        from pytest_toolsandbox.wording.phrases import counted

        from .settings import settings_of

        settings = settings_of(config)
        if settings.rejudge:  # there are as many trials as there are records
            return
        plans = ((one.name, settings.plan(one)) for one in scenarios)
        never = {name: plan.trials for name, plan in plans if plan.needed > plan.trials}
        names = [f"{name} ({counted(count, 'trial')})" for name, count in never.items()]
        more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
        remedy = f"give --sandbox-trials={settings.pass_}, or a smaller number"
        line = f"{', '.join(names[:_MOST])}{more} can never pass; {remedy}"
        self._refuse([f"--sandbox-pass={settings.pass_}: {line}"] if never else [], config)

    def _refuse(self, lines: Sequence[str], config: pytest.Config) -> None:
        if lines and not self.is_worker:
            raise pytest.UsageError(*lines)
        if lines:  # the controller knows no scenario
            tell_controller(lines, config)

    @pytest.hookimpl(tryfirst=True)
    def pytest_make_collect_report(self, collector: pytest.Collector) -> Any:
        """Collect files of shipped suites under ``--lf``, which looks for them elsewhere."""
        config = collector.config
        if not isinstance(collector, pytest.File) or not config.getoption("lf", False):
            return None
        runner = config.pluginmanager.get_plugin("runner")
        if runner is None or not _is_shipped(collector.path):
            return None
        return runner.pytest_make_collect_report(collector)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: Any, request: Any
    ) -> Generator[None, object, object]:
        """Let pytest keep what stands for an error that raises where it looks at it.

        Else the fixture would be half set up, and every item after this one an error.
        """
        from pytest_toolsandbox.wording.error_text import tamed

        __tracebackhide__ = True
        try:
            return (yield)
        except BaseException as raised:
            error = tamed(raised)
            if error is raised:
                raise
            kept = error if pytest.version_tuple < (8, 2, 1) else (error, error.__traceback__)
            fixturedef.cached_result = None, fixturedef.cache_key(request), kept
            raise error from None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Play nothing where an earlier verdict holds."""
        __tracebackhide__ = True
        if hasattr(item, "scenario") and UNCHANGED in item.config.stash:
            from .unchanged import WHY

            skip("unchanged", WHY)

    @pytest.hookimpl(wrapper=True, tryfirst=True)  # outside of what makes xfailed of errors
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Let a report carry the item's records to wherever reports end up."""
        from pytest_toolsandbox.records.verdict import SCORED, verdict

        from .redacting import clean_report

        if hasattr(item, "phase"):  # it is a scenario's, and shows what ended the setup itself
            item.phase = call.when
        report = yield
        if report.skipped and call.excinfo and (why := getattr(call.excinfo.value, "why", "")):
            report.toolsandbox_skip = why  # type: ignore[attr-defined]  # reports take any
        if report.when == "setup" and SECONDS in item.stash:
            report.duration += item.stash[SECONDS]
            if why := item.stash.get(IN_TURN, None):
                report.toolsandbox_in_turn = why  # type: ignore[attr-defined]  # reports take any
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

    @pytest.hookimpl(tryfirst=True)
    def pytest_warning_recorded(self, warning_message: WarningMessage) -> None:
        """Clean a warning, of whichever test: it may come from a client library's thread."""
        from .redacting import clean_warning

        clean_warning(warning_message, is_sent=self.is_worker)

    @pytest.hookimpl(tryfirst=True)
    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Begin nothing more, and let a worker say what it has."""
        from .players import stop_playing
        from .stopping import ignore_further, shorten

        if self.is_worker:
            ignore_further()
            shorten(excinfo, self.config)
        stop_playing(self.config)

    @pytest.hookimpl(wrapper=True)  # before reports end, and fixtures of the session
    def pytest_sessionfinish(
        self, session: pytest.Session, exitstatus: int
    ) -> Generator[None, object, object]:
        """Leave what is still being played behind, and keep what is finished of a stopped run."""
        from pytest_toolsandbox.waiting.interrupts import ends_with, uninterrupted

        from .players import player_of

        player = player_of(session.config)
        if exitstatus == pytest.ExitCode.INTERRUPTED:
            with uninterrupted():
                for item, trials in player.unreported():
                    item.keep(trials)
                    tell_records(item)
        ends_with(lambda: int(session.exitstatus))  # which gates may yet change
        player.close()
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Play more trials where the user wants as many as decide."""
        from pytest_toolsandbox.waiting.interrupts import terminable

        from .settings import settings_of

        try:
            with terminable():
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
            from .rounds_of_workers import CHANNEL, follow_rounds

            follow_rounds(session, session.config.workerinput[CHANNEL])  # type: ignore[attr-defined]  # of pytest-xdist
        else:
            from .rounds import play_rounds

            play_rounds(session)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Clean what is logged while a scenario is played, and keep the trials that finished."""
        if not hasattr(item, "scenario"):
            return (yield)
        from .players import player_of

        with player_of(item.config).guarded():
            try:
                return (yield)
            except BaseException:  # Ctrl-C, before or after the report was told
                item.stash[RECORDS] = item.stash.get(RECORDS, []) or item.stash.get(ON_THE_WAY, [])
                raise
            finally:
                tell_records(item)
                item.stash[ON_THE_WAY] = []  # pytest keeps all items


def tell_records(item: pytest.Item) -> None:
    """Have the records of an item kept that no report carries, since the run was interrupted."""
    from .session import REPORTS
    from .stopping import interactor_of

    if report := report_of_records(item):
        if interactor := interactor_of(item.config):  # which takes reports of one item at a time
            interactor.item_index = item.session.items.index(item)
        ours = item.config.pluginmanager.get_plugin(REPORTS)  # or in the controller
        (ours or item.ihook).pytest_runtest_logreport(report=report)


def report_of_records(item: pytest.Item) -> pytest.TestReport | None:
    """Return a report with the records of an item that no other carries, if there are any."""
    from .redacting import clean_report

    if not (records := item.stash.get(RECORDS, [])):
        return None
    nothing = pytest.CallInfo.from_call(lambda: None, "setup")
    report = pytest.TestReport.from_item_and_call(item, nothing)
    report.__dict__.update(toolsandbox_records=records, toolsandbox_perhaps_told=True)
    clean_report(report)
    return report


def tell_controller(lines: Sequence[str], config: pytest.Config) -> None:
    """Let the controller of pytest-xdist end the run with an error of usage."""
    report = pytest.CollectReport("toolsandbox", "failed", "\n".join(lines), [])
    report.__dict__[USAGE_ERROR] = [*lines]
    config.hook.pytest_collectreport(report=report)


def end_run(text: str, config: pytest.Config) -> Never:
    """End the run with an error of usage that shows while items are run."""
    if hasattr(config, "workerinput"):
        tell_controller([text], config)
    pytest.exit(text, returncode=pytest.ExitCode.USAGE_ERROR)


class CollectionRepr:
    """What is wrong with a file; the first line stands in the short summary.

    Between processes it becomes plain text, so that pytest-xdist, all of whose workers collect
    every file, can tell that they all say the same.
    """

    def __init__(self, text: str) -> None:
        from pytest_toolsandbox.wording.redaction import clean

        self.text = clean(text)
        self.message = self.text.partition("\n")[0]
        self.reprcrash = self  # which pytest asks for the message

    def __str__(self) -> str:
        return self.text

    def toterminal(self, tw: Any) -> None:
        """Write it to pytest's terminal writer."""
        for line in self.text.splitlines():
            tw.line(line, red=True)


def is_used(config: pytest.Config) -> bool:
    """Whether a run has scenarios, or was given an option of ours."""
    return config.pluginmanager.has_plugin(HOOKS) or any(given(one, config) for one in OPTIONS)


def left_report(collector: pytest.Collector, error: SystemExit) -> pytest.CollectReport:
    """Return the report of a ``conftest.py`` that leaves Python, so that other files run."""
    from pytest_toolsandbox.wording.error_text import describe_exception

    repr_ = CollectionRepr(f"conftest.py raised {describe_exception(error)}")
    return pytest.CollectReport(collector.nodeid, "failed", repr_, [])  # type: ignore[arg-type]  # pytest takes any


def clean_collect_report(report: pytest.CollectReport, config: pytest.Config) -> None:
    """Tell what is wrong with a world in its lines, and of anything else what may be shown."""
    call = report.__dict__.get("call")
    if call and call.excinfo and (text := world_error(call.excinfo.value)):
        report.longrepr = CollectionRepr(text)  # type: ignore[assignment]  # pytest takes any
    elif is_used(config):
        from .redacting import cleaned

        report.longrepr = cleaned(report.longrepr)


def raise_in_one_line(error: BaseException) -> None:
    """End pytest in one line where our code raised, or was stopped, in a ``conftest.py``."""
    if text := world_error(error):
        raise pytest.UsageError(text) from None
    files = [Path(frame.f_code.co_filename) for frame, _ in walk_tb(error.__traceback__)]
    plugin = Path(__file__).parent
    own = [file for file in files if file.is_relative_to(plugin.parent)]
    if isinstance(error, KeyboardInterrupt) and not all(f.is_relative_to(plugin) for f in own):
        sys.stderr.write("ERROR: Ctrl-C, while conftest.py was loaded\n")
        raise SystemExit(pytest.ExitCode.INTERRUPTED) from None


def world_error(error: BaseException) -> str | None:
    """Return what is wrong with a world; pytest keeps the cause of a failure to load."""
    from pytest_toolsandbox.worlds.errors import WorldError

    found = (one for one in (error, error.__cause__) if isinstance(one, WorldError))
    return next(map(str, found), None)
