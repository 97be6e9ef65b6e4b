"""``toolsandbox suites``: the suites that come with the package, and where they lie."""

from __future__ import annotations

import sys

from pytest_toolsandbox.language.files import find_files
from pytest_toolsandbox.language.loading import load_file
from pytest_toolsandbox.language.mistakes import ScenarioError, unknown
from pytest_toolsandbox.reporting.tables import aligned
from pytest_toolsandbox.suites import suites
from pytest_toolsandbox.wording.phrases import counted


def print_suites() -> int:
    """Print a line for each suite: its name, how much is in it, and its folder."""
    rows = []
    for name, folder in suites().items():
        files = list(find_files([folder]))
        try:
            count = sum(len(load_file(file)) for file in files)
        except ScenarioError as error:
            print(error, file=sys.stderr)
            return 1
        rows.append((name, counted(len(files), "file"), counted(count, "scenario"), str(folder)))
    for line in aligned(rows, words=4):
        print(line)
    return 0


def print_path(name: str) -> int:
    """Print the path of a suite's folder, for ``$(toolsandbox suites phone)``.

    What is wrong goes to where no shell takes it for the path.
    """
    found = suites()
    if name not in found:
        print(unknown("suite", name, found), file=sys.stderr)
        return 1
    print(found[name])
    return 0
