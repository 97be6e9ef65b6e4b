"""``toolsandbox cassettes`` as pytest would record: by its rootdir, ini file and ``addopts``."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from pytest_toolsandbox.agents.resolving import UNHELPFUL, WRITTEN
from pytest_toolsandbox.commands.cassettes import Project, list_cassettes as list_of
from pytest_toolsandbox.gate.plan import LOOKS
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.runs.cassettes.inventory import Numbers

from .settings import Settings
from .told import told


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
    written = {*WRITTEN, UNHELPFUL}
    agents = [one for one in settings.agent if one.partition(":")[0] not in written]
    arms = [f"feedback_{'on' if on else 'off'}" for on in settings.feedback.arms]
    parts = [settings.augment, arms if len(arms) > 1 else [], settings.prompt.names(None)]
    ids = map("-".join, itertools.product(*filter(None, parts)))
    return agents, [f"[{one}]" if one else "" for one in ids]
