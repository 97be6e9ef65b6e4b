"""Finds and reads the scenarios that a command is about, and says what cannot be read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_toolsandbox.language.files import find_files
from pytest_toolsandbox.language.loading import load_file
from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.suites import placed

from .conftests import Conftests


@dataclass
class FoundScenarios:
    """Scenarios with their files, and how many files or folders could not be read."""

    scenarios: list[tuple[Path, Scenario]]
    unread: int
    conftests: Conftests


def find_scenarios(paths: Sequence[Path]) -> FoundScenarios:
    """Return the scenarios below ``paths``, and print what is wrong with others.

    A path may be the id of a suite that comes with the package, or one in it, as for pytest.
    Raises ``CommandError`` where a ``conftest.py`` cannot be imported.
    """
    here = Path.cwd()
    places = [Path(placed(str(path), here, here)) for path in paths]
    missing = [path for path in places if not path.exists()]
    for path in missing:
        print(f"{path}: there is no such file or folder")
    there = [path for path in places if path.exists()]
    conftests = Conftests(there)
    found = FoundScenarios([], len(missing), conftests)
    each_once = {file.resolve(): file for file in reversed(list(find_files(there)))}
    for file in reversed(each_once.values()):
        conftests.import_for(file)
        try:
            found.scenarios += [(file, scenario) for scenario in load_file(file)]
        except ScenarioError as error:
            print(error)
            found.unread += 1
    return found
