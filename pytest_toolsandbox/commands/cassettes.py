"""``toolsandbox cassettes``: which there are, and which are stale or missing."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.reporting.tables import aligned
from pytest_toolsandbox.runs.cassettes.inventory import Shelved, missing, shelved, sizes
from pytest_toolsandbox.runs.cassettes.places import FOLDER
from pytest_toolsandbox.runs.cassettes.store import drop
from pytest_toolsandbox.wording.whole_files import left_behind

from .scenarios import find_scenarios


def list_cassettes(
    paths: Sequence[Path], folder: Path | None, trials: int, *, prune: bool, check: bool
) -> int:
    """Print the cassettes of the scenarios below ``paths``, and what is stale, missing or broken.

    Returns 1 where ``check`` is asked for and anything is, or where no scenario can be read.
    """
    found = find_scenarios(paths)
    places = _places(paths, found.scenarios, folder)
    there = shelved(places, trials)
    lacking = missing(places, there)
    print(*aligned([("agent", "cassettes", "trials", "size"), *sizes(there)]), sep="\n")
    findings = [line for one in there for line in one.findings]
    findings += [f"{path}: it is missing" for path in lacking]
    print(*findings, sep="\n", end="\n" if findings else "")
    if prune:
        _prune(there, places)
        findings = [f for one in there if not one.stale for f in one.findings if "stale" not in f]
        findings += map(str, lacking)
    return 1 if found.unread or not found.scenarios or (check and findings) else 0


def _places(
    paths: Iterable[Path], scenarios: Iterable[tuple[Path, Scenario]], folder: Path | None
) -> dict[Path, list[tuple[Path, Scenario]]]:
    """Return the folders of cassettes with their scenarios: also those without a scenario left."""
    places: dict[Path, list[tuple[Path, Scenario]]] = defaultdict(list)
    for file, scenario in scenarios:
        beside = file.parent / FOLDER
        below = Path(os.path.relpath(file.parent))
        places[folder / below if folder else beside].append((file, scenario))
    if folder is None:
        for path in paths:
            for one in path.rglob(FOLDER) if path.is_dir() else ():
                places.setdefault(one, [])
    return dict(places)


def _prune(there: Iterable[Shelved], places: Iterable[Path]) -> None:
    """Take stale cassettes and trials away, and what runs that were killed left behind."""
    for one in there:
        if one.stale:
            one.path.unlink()
            print(f"removed {one.path}")
        elif one.stale_trials:
            drop(one.path, {*one.stale_trials})
            print(f"removed {len(one.stale_trials)} of the trials of {one.path}")
    for place in places:
        for left in left_behind(place):
            left.unlink()
            print(f"removed {left}")
