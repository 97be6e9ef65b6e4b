"""Collects the files of scenarios; with the first one, the hooks and reports of a run start."""

from __future__ import annotations

import gc
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from pytest_toolsandbox.plugin.collection.which_files import is_scenario_path
from pytest_toolsandbox.plugin.stash import BAD_FILES, HOOKS

if TYPE_CHECKING:
    from .files import ScenarioFile

_GARBAGE_THRESHOLD: Final = 20_000
"""How many new objects there are when Python looks for garbage among them."""


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
    if not is_scenario_path(path, parent.config):
        return None
    _add_hooks(parent.config)
    from pytest_toolsandbox.suites import shipped_id
    from pytest_toolsandbox.text.formatting import escape_control, escape_unprintable

    from .files import ScenarioFile

    file = ScenarioFile.from_parent(parent, path=path, nodeid=shipped_id(path))
    if escape_control(file.nodeid).splitlines() == [file.nodeid]:
        return file
    shown = escape_unprintable(file.nodeid).replace("\n", "\\n")
    file = ScenarioFile.from_parent(parent, path=path, nodeid=shown)
    file.is_misnamed = True
    return file


def _add_hooks(config: pytest.Config, header: str | None = None) -> None:
    if config.pluginmanager.has_plugin(HOOKS):
        return
    # Nearly all that a run makes stays to its end. To look for garbage among it each 700 objects,
    # as Python does, takes a fifth of the time of a run of the bundled suites.
    often, *rest = before = gc.get_threshold()
    gc.set_threshold(max(often, _GARBAGE_THRESHOLD) if often else 0, *rest)
    config.add_cleanup(partial(gc.set_threshold, *before))
    from pytest_toolsandbox.plugin.hooks import ScenarioHooks
    from pytest_toolsandbox.plugin.output.session import start_reports
    from pytest_toolsandbox.plugin.settings import settings_of
    from pytest_toolsandbox.text.redaction import add_named_secrets

    add_named_secrets(settings_of(config).secrets)
    config.stash[BAD_FILES] = set()
    hooks = ScenarioHooks(header, config)
    config.pluginmanager.register(hooks, HOOKS)
    start_reports(config)
