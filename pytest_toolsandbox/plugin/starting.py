"""Start the plugin: with one of its options, or with the first scenario file."""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import pytest

from pytest_toolsandbox.plugin.collection.which_files import is_scenario_path

from .stash import BAD_FILES, HOOKS, RESUMED, STORED

if TYPE_CHECKING:
    from pytest_toolsandbox.plugin.collection.files import ScenarioFile

Read = TypeVar("Read")

_GARBAGE_THRESHOLD: Final = 20_000
"""How many new objects there are when Python looks for garbage among them."""


class Header:
    """Says at the start who will play, if an option names the agent."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config

    def pytest_report_header(self) -> list[str]:
        """Return the line of the header, in parts if it is long."""
        from pytest_toolsandbox.text.formatting import wrap_line

        from .settings import settings_of

        return wrap_line(settings_of(self.config).players.line())


def start_with_options(config: pytest.Config) -> None:
    """Read the files that the options name, and register what the options need."""
    from .settings import settings_of

    settings = settings_of(config)
    if settings.agent:
        config.pluginmanager.register(Header(config))
    # Each import is in its branch: an ini file may have options in a run without scenarios.
    if settings.continues:
        from pytest_toolsandbox.plugin.output.session import start_reports

        start_reports(config)  # before the file is read, which no other run may write then
    if settings.rejudge:
        from pytest_toolsandbox.records.reading import read_records

        config.stash[STORED] = _read(read_records, settings.rejudge, "--sandbox-rejudge")
    if settings.resume:
        from pytest_toolsandbox.runs.resuming import finished_trials

        config.stash[RESUMED] = _read(finished_trials, settings.resume, "--sandbox-resume")
    if settings.durations:
        from pytest_toolsandbox.plugin.collection.selecting import past_seconds_of

        past_seconds_of(config)  # before records are written, which may replace the file
    if len(settings.agent) > 1:
        from pytest_toolsandbox.plugin.collection.selecting import SeveralAgents

        config.pluginmanager.register(SeveralAgents())
    if settings.dry_run:
        from pytest_toolsandbox.plugin.playing.dry_run import DryRun

        config.pluginmanager.register(DryRun(config))
    if settings.needs_details or settings.min_score:
        from pytest_toolsandbox.plugin.output.session import start_reports

        start_reports(config)


def _read(read: Callable[[Path], Read], file: Path, option: str) -> Read:
    from pytest_toolsandbox.records.reading import StoredError

    try:
        return read(file)
    except StoredError as error:
        raise pytest.UsageError(f"{option}: {error}") from None


def find_suites(config: pytest.Config) -> None:
    """Replace arguments that are ids of the bundled suites, or in one, by their paths.

    Pytest has looked for its rootdir, the ini file and ``conftest.py`` by then, and found those of
    the current project, as without arguments.
    """
    from pytest_toolsandbox.suites import placed, suites_folder

    folder, root = config.invocation_params.dir, config.rootpath
    arguments = [placed(argument, folder, root) for argument in config.args]
    if arguments != config.args:
        config.args = arguments
        _start_with_scenarios(config, f"toolsandbox: the suites in {suites_folder()}")


def collect_file(path: Path, parent: pytest.Collector) -> ScenarioFile | None:
    """Return the node of a scenario file; with the first one, hooks and reports start."""
    if not is_scenario_path(path, parent.config):
        return None
    _start_with_scenarios(parent.config)
    from pytest_toolsandbox.plugin.collection.files import ScenarioFile
    from pytest_toolsandbox.suites import bundled_id
    from pytest_toolsandbox.text.formatting import escape_control, escape_unprintable

    file = ScenarioFile.from_parent(parent, path=path, nodeid=bundled_id(path))
    if escape_control(file.nodeid).splitlines() == [file.nodeid]:
        return file
    shown = escape_unprintable(file.nodeid).replace("\n", "\\n")
    file = ScenarioFile.from_parent(parent, path=path, nodeid=shown)
    file.is_misnamed = True
    return file


def _start_with_scenarios(config: pytest.Config, header: str | None = None) -> None:
    if config.pluginmanager.has_plugin(HOOKS):
        return
    from pytest_toolsandbox.plain_imports import import_plainly

    import_plainly()
    # Nearly all that a run makes stays to its end. To look for garbage among it each 700 objects,
    # as Python does, takes a fifth of the time of a run of the bundled suites.
    young, *older = before = gc.get_threshold()
    gc.set_threshold(max(young, _GARBAGE_THRESHOLD) if young else 0, *older)
    config.add_cleanup(partial(gc.set_threshold, *before))
    from pytest_toolsandbox.text.redaction import add_named_secrets

    from .collection.selecting import Sampling, Sharding
    from .hooks import ScenarioHooks
    from .output.session import start_reports
    from .settings import settings_of

    add_named_secrets(settings_of(config).secrets)
    config.stash[BAD_FILES] = set()
    config.pluginmanager.register(ScenarioHooks(header, config), HOOKS)
    if size := settings_of(config).sample:  # before shards, which cut what the sample leaves
        config.pluginmanager.register(Sampling(size))
    if shard := settings_of(config).shard:
        config.pluginmanager.register(Sharding(shard))
    start_reports(config)
