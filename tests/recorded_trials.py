"""Records a conversation with an agent, and replays it without the agent."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from pytest_toolsandbox.agents.shapes import AbsentAgent
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.records.writing import Trial
from pytest_toolsandbox.runs.cassettes.recording import Mode, Recording, play_recorded
from pytest_toolsandbox.runs.trial import play_trial

ABOUT = {"id": "it", "agent": "own", "user": "scripted"}


def recorded_and_replayed(scene: Scenario, agent: Any, folder: Path) -> tuple[Trial, Trial]:
    """Return the trial as it was recorded, and as it was replayed."""
    return _played("all", scene, agent, folder), _played("replay", scene, AbsentAgent(), folder)


def _played(mode: Mode, scene: Scenario, agent: Any, folder: Path) -> Trial:
    recording = Recording(mode, folder / "it.cassette.yaml", "it", ABOUT)
    return play_recorded(recording, 1, (agent, None), partial(play_trial, scene, agent, None, 1))
