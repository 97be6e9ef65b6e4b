"""``toolsandbox suites``: the suites that come with the package, and where they lie."""

from __future__ import annotations

import itertools
from pathlib import Path

from pytest_toolsandbox.language.files import find_files
from pytest_toolsandbox.language.loading import load_file
from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.reporting.tables import Cells, aligned
from pytest_toolsandbox.suites import suites
from pytest_toolsandbox.wording.nearest_name import unknown
from pytest_toolsandbox.wording.phrases import counted

from . import CommandError


def print_suites(name: str | None) -> int:
    """Print name, size and folder of each suite; of the named one its folder alone."""
    found = suites()
    if name is not None and name not in found:
        raise CommandError(unknown("suite", name, found))
    rows = itertools.starmap(_row, found.items() if name is None else ())
    print(*([found[name]] if name else aligned(list(rows), words=4)), sep="\n")
    return 0


def _row(name: str, folder: Path) -> Cells:
    files = list(find_files([folder]))
    try:
        count = sum(len(load_file(file)) for file in files)
    except ScenarioError as error:
        raise CommandError(str(error)) from error
    return name, counted(len(files), "file"), counted(count, "scenario"), str(folder)
