"""``toolsandbox calibrate`` with the aliases, prices and criteria of the ini file.

What pytest is told in a project: for commands that do as it would.

``toolsandbox cassettes`` as pytest would record: by its rootdir, ini file and ``addopts``.

``toolsandbox try-agent`` with the aliases of the ini file.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

import pytest

from pytest_toolsandbox.agents.resolving import SCRIPTED, UNHELPFUL
from pytest_toolsandbox.commands import calibrate as calibrating, try_agent as trying
from pytest_toolsandbox.commands.cassettes import Project, list_cassettes as list_of
from pytest_toolsandbox.gate.verdict import LOOKS
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.models.usage import Prices
from pytest_toolsandbox.runs.cassettes.inventory import Numbers

from .settings import Settings, settings_of
from .stash import PLUGIN


class _Asked:
    """Reads what pytest is told, in place of the run."""

    def __init__(self) -> None:
        self.found: tuple[Settings, Path] | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_cmdline_main(self, config: pytest.Config) -> int:
        self.found = settings_of(config), config.rootpath
        return 0


def told(arguments: Iterable[str]) -> tuple[Settings, Path] | int:
    """Return the settings and the rootdir of ``pytest ARGUMENTS``.

    What cannot be meant is told as pytest tells it, and its exit status is returned.
    """
    asked = _Asked()
    is_alone = os.environ.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    plugin = ("-p", PLUGIN) if is_alone else ()
    status = pytest.main([*plugin, *arguments], plugins=[asked])
    return int(status) if asked.found is None else asked.found


def calibrate(**given: Any) -> int:
    """Judge labelled wordings, or write those of a run; see :mod:`..commands.calibrate`."""
    found = told(())
    if isinstance(found, int):
        return found
    settings, _ = found
    given["votes"] = given["votes"] or settings.judge_votes
    prices = Prices(settings.prices)
    project = calibrating.Project(settings.aliases, settings.judge_criteria, prices)
    return calibrating.calibrate(project=project, **given)


def list_cassettes(
    paths: Sequence[Path], folder: Path | None, trials: int | None, *, prune: bool, check: bool
) -> int:
    """Print the cassettes of the scenarios below ``paths``; see :mod:`..commands.cassettes`.

    ``folder`` and ``trials`` are what the command line says, before the ini file. What that says
    and cannot be meant is told as pytest tells it, with its exit status.
    """
    found = told(map(str, paths))
    if isinstance(found, int):
        return found
    settings, root = found
    folder = folder.absolute() if folder else settings.cassettes
    numbers, recorded = partial(_numbers, settings, trials), _recorded(settings)
    project = Project(root, folder, numbers, *recorded, settings.scenario_files)
    return list_of(paths, project, prunes_trials=bool(trials), prune=prune, check=check)


def _numbers(settings: Settings, said: int | None, scenario: Scenario) -> Numbers:
    """Return which trials of a scenario are played; more of them, where only a run can say it."""
    if said:
        return Numbers(said, said)
    number = settings.trials.of(scenario.trials)
    if settings.trials.is_auto:
        return Numbers(1, LOOKS[-1])
    return Numbers(number, number if number > 1 else None)


def _recorded(settings: Settings) -> tuple[list[str], list[str]]:
    """Return the agents of the ini file that are no scripts, and the variants that they play."""
    written = {*SCRIPTED, UNHELPFUL}
    agents = [one for one in settings.agent if one.partition(":")[0] not in written]
    arms = [f"feedback_{'on' if on else 'off'}" for on in settings.feedback.arms]
    parts = [settings.augment, arms if len(arms) > 1 else [], settings.prompt.names(None)]
    ids = map("-".join, itertools.product(*filter(None, parts)))
    return agents, [f"[{one}]" if one else "" for one in ids]


def try_agent(agent: str, call_format: Literal["native", "text", "react"]) -> int:
    """Play a small scenario and print all of it; see :mod:`..commands.try_agent`."""
    found = told(())
    if isinstance(found, int):
        return found
    settings, _ = found
    return trying.try_agent(agent, call_format, settings.aliases)
