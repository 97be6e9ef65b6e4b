"""Which files are ours, and the hooks that a run needs once it has one."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pytest_toolsandbox.records.record import Summary

from .skips import SKIP

BAD_FILES = pytest.StashKey[set[Path]]()
"""The scenario files with mistakes."""
RECORDS = pytest.StashKey[list["Summary"]]()
"""The records of an item that was played."""

HOOKS = "toolsandbox-scenarios"
SUITES = "toolsandbox-suites"


def start(config: pytest.Config) -> None:
    """Read what the user said, before the run begins."""
    from .settings import settings_of

    settings = settings_of(config)
    if settings.rejudge:
        from .rejudging import read_stored

        read_stored(config)
    if settings.results or settings.min_score:
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
        config.pluginmanager.register(SuitesHeader(suites_folder()), SUITES)


class SuitesHeader:
    """Says at the top of the output that suites of ours are played, and none of the project."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def pytest_report_header(self) -> str:
        """Return a line for pytest's header."""
        return f"toolsandbox: the suites in {self.folder}"


def holds_scenarios(path: Path, config: pytest.Config) -> bool:
    """Whether a file holds scenarios; with the first one, hooks and reports start."""
    if is_ours := _is_scenario_file(path, config):
        _add_hooks(config)
    return is_ours


def is_scenario(nodeid: str, config: pytest.Config) -> bool:
    """Whether an id is that of a scenario, also where no scenario was collected in this process."""
    from pytest_toolsandbox.suites import placed

    root = config.rootpath
    return _is_scenario_file(root / placed(nodeid.partition("::")[0], root, root), config)


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


def _add_hooks(config: pytest.Config) -> None:
    """Register the hooks, with the first scenario file of a run."""
    if config.pluginmanager.has_plugin(HOOKS):
        return
    config.stash[BAD_FILES] = set()
    config.pluginmanager.register(ScenarioHooks(), HOOKS)
    from .redacting import start_redacting

    start_redacting(config)
    if not hasattr(config, "workerinput"):  # reports end up in the controller of pytest-xdist
        from .session import start_reports

        start_reports(config)


class ScenarioHooks:
    """What is done in each process that has scenarios."""

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Let the other files run where nothing but scenario files could not be collected.

        pytest stops after any error of collection. Under pytest-xdist, it does not.
        """
        bad = session.config.stash[BAD_FILES]
        if bad and session.testsfailed == len(bad):
            session.config.option.continue_on_collection_errors = True

    @pytest.hookimpl(tryfirst=True)
    def pytest_make_collect_report(self, collector: pytest.Collector) -> Any:
        """Collect the files of shipped suites under ``--lf``, whatever it skips.

        It skips files in which nothing failed, and looks for those in which something did where
        their ids, taken for paths below the rootdir, lead.
        """
        config = collector.config
        if not isinstance(collector, pytest.File) or not config.getoption("lf", False):
            return None
        runner = config.pluginmanager.get_plugin("runner")
        if runner is None or not _is_shipped(collector.path):
            return None
        return runner.pytest_make_collect_report(collector)

    @pytest.hookimpl(wrapper=True, tryfirst=True)  # outside of what makes xfailed of errors
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Let a report carry the item's records to wherever reports end up."""
        report = yield
        if report.skipped and SKIP in item.stash:
            report.toolsandbox_skip = item.stash[SKIP]  # type: ignore[attr-defined]  # reports take any
        broken_repr = getattr(item, "broken_repr", None)
        if broken_repr and report.failed and report.when == "setup":
            report.longrepr = broken_repr(call.excinfo) or report.longrepr
        records = item.stash.get(RECORDS, None)
        if records and (report.when == "call" or (report.when == "setup" and not report.passed)):
            report.toolsandbox_records = records  # type: ignore[attr-defined]  # likewise
            item.stash[RECORDS] = []  # pytest keeps all items
            if records[-1]["outcome"] == "error" and hasattr(report, "wasxfail"):
                del report.wasxfail  # an outage is no failure that was expected
                report.outcome = "failed"
        return report


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
