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


PUBLISHED = ("office", "phone", "queries")
"""The suites of the papers; proofs of ``frontier`` take ten times as long."""


def shipped(*folders: str) -> list[Scenario]:
    """Return the scenarios below a folder, such as ``"office", "easy"``, or of published suites."""
    below = [folders] if folders else [(suite,) for suite in PUBLISHED]
    files = find_files([SCENARIOS.joinpath(*parts) for parts in below])
    return [scenario for file in files for scenario in scenarios_of(file)]
