"""The scenarios that come with the project, each file read once for all tests."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from pytest_toolsandbox.language.files import find_files
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.protocols import load_file

SCENARIOS = Path(__file__).parents[1] / "scenarios"


@cache
def scenarios_of(file: Path) -> tuple[Scenario, ...]:
    """Return the scenarios of a file."""
    return tuple(load_file(file))


def shipped(*folders: str) -> list[Scenario]:
    """Return the scenarios below a folder, such as ``"office", "easy"``, or all of them."""
    files = find_files([SCENARIOS.joinpath(*folders)])
    return [scenario for file in files for scenario in scenarios_of(file)]
