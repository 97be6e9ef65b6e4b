"""Reads the settings of a project as pytest does: from its ini file and ``addopts``."""

from __future__ import annotations

import contextlib
import itertools
import os
import sys
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import pytest

from pytest_toolsandbox.agents.resolving import SCRIPTED, UNHELPFUL
from pytest_toolsandbox.commands import CommandError
from pytest_toolsandbox.commands.scenarios import Project
from pytest_toolsandbox.gate.verdict import LOOKS
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.models.requests import RequestContext
from pytest_toolsandbox.models.usage import Budget, Prices
from pytest_toolsandbox.runs.cassettes.inventory import Numbers

from .output.budget import prices_of
from .settings import Settings, settings_of
from .stash import PLUGIN

_INI_FILES: Final = ("pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")


class _PathReader:
    """Reads the ``pythonpath`` of pytest, in place of the run."""

    def __init__(self) -> None:
        self.python_path: list[Path] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_cmdline_main(self, config: pytest.Config) -> int:
        self.python_path = config.getini("pythonpath")
        return 0


class _SettingsReader(_PathReader):
    """Reads the settings of pytest, too."""

    def __init__(self) -> None:
        super().__init__()
        self.settings: tuple[Settings, Path] | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_cmdline_main(self, config: pytest.Config) -> int:
        super().pytest_cmdline_main(config)
        self.settings = settings_of(config), config.rootpath
        return 0


def read_project(paths: Iterable[Path], options: Sequence[str] = ()) -> Project:
    """Return what ``pytest OPTIONS PATHS`` would go by.

    If the settings are wrong, pytest prints why; then raises ``CommandError`` with its exit status.
    """
    reader = _SettingsReader()
    is_alone = os.environ.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    plugin = ("-p", PLUGIN) if is_alone else ()
    status = pytest.main([*plugin, *options, *map(str, paths)], plugins=[reader])
    _keep(reader.python_path)
    if reader.settings is None:
        raise CommandError("", int(status))
    settings, root = reader.settings

    def trials(scenario: Scenario) -> Numbers:
        number = settings.trials.of(scenario.trials)
        if settings.trials.is_auto:  # only a run can say how many it plays
            return Numbers(1, LOOKS[-1])
        return Numbers(number, number if number > 1 else None)

    return Project(
        root=root,
        aliases=settings.aliases,
        prices=Prices(settings.prices),
        criteria=settings.judge_criteria,
        votes=settings.judge_votes,
        cassettes=settings.cassettes,
        trials=trials,
        agents=[
            agent
            for agent in settings.agent
            if agent.partition(":")[0] not in {*SCRIPTED, UNHELPFUL}
        ],
        variants=_variants(settings),
        scenario_files=settings.scenario_files,
        record=settings.record,
        requests=partial(_context, settings, prices_of(settings), _budget(settings)),
    )


def keep_python_path(folder: Path) -> None:
    """Add the ``pythonpath`` that pytest would have below a folder, if an ini file may set it."""
    files = (above / name for above in (folder, *folder.parents) for name in _INI_FILES)
    if not any(file.is_file() and b"pythonpath" in file.read_bytes() for file in files):
        return
    reader = _PathReader()
    with contextlib.redirect_stdout(None), contextlib.redirect_stderr(None):
        pytest.main(["--noconftest", str(folder)], plugins=[reader])
    _keep(reader.python_path)


def _keep(python_path: Iterable[Path]) -> None:
    """Add folders to ``sys.path``, from which pytest has taken them at its end."""
    sys.path[:0] = [text for text in map(os.fspath, python_path) if text not in sys.path]


def _budget(settings: Settings) -> Budget:
    return Budget(settings.max_cost, settings.max_tokens, settings.max_time)


def _context(settings: Settings, prices: Prices, budget: Budget) -> RequestContext:
    """Return the context of a conversation that a command plays."""
    return RequestContext(
        retries=settings.retries,
        prices=prices,
        budget=budget,
        keeps_reasoning=settings.keep_reasoning,
    )


def _variants(settings: Settings) -> list[str]:
    """Return the parameters of the items of a scenario, as in ``[all_tools-feedback_on]``."""
    arms = [f"feedback_{'on' if on else 'off'}" for on in settings.feedback.arms]
    parts = [settings.augment, arms if len(arms) > 1 else [], settings.prompt.names(None)]
    ids = map("-".join, itertools.product(*filter(None, parts)))
    return [f"[{name}]" if name else "" for name in ids]
