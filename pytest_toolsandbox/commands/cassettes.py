"""``toolsandbox cassettes``: which there are, and which are stale or missing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.output.tables import aligned
from pytest_toolsandbox.runs.cassettes.inventory import (
    FOLDER,
    Numbers,
    Shelved,
    cassettes_folder,
    missing,
    shelved,
    sizes,
)
from pytest_toolsandbox.runs.cassettes.store import drop
from pytest_toolsandbox.text.files import left_behind
from pytest_toolsandbox.text.formatting import pluralize

from .scenarios import Conftests, find_scenarios

Places = dict[Path, list[tuple[Path, Scenario]]]


class Project(NamedTuple):
    """What pytest is told in a project: its ``root``, and the ``folder`` of cassettes, if any is.

    The ``agents``, those that are recorded, play these ``variants``. ``patterns`` are those
    of scenario files.
    """

    root: Path
    folder: Path | None
    trials: Callable[[Scenario], Numbers]
    agents: Sequence[str]
    variants: Sequence[str]
    patterns: Sequence[str]


def list_cassettes(
    paths: Sequence[Path], project: Project, *, prunes_trials: bool, prune: bool, check: bool
) -> int:
    """Print the cassettes of the scenarios below ``paths``, and what is stale, missing or broken.

    Returns 1 where ``check`` is asked for and anything is, or where a scenario cannot be read. Of a
    file, what lies in its folder is told. What is stale is pruned; trials only where
    ``prunes_trials``, since a run may have been told another number of them.
    """
    paths = [path.parent if path.is_file() else path for path in paths]
    found = find_scenarios(paths, project.patterns)
    places = _places(paths, found.scenarios, project)
    there = shelved(places, project.trials)
    lacking = missing(places, there, _wanted(project, found.conftests, found.scenarios))
    print(*aligned([("agent", "cassettes", "trials", "size"), *sizes(there)]), sep="\n")
    print(*(line for one in there for line in one.findings), sep="\n", end="\n" * _any(there))
    print(*(f"{path}: it is missing" for path in lacking), sep="\n", end="\n" * bool(lacking))
    if prune and found.unread:
        print("nothing is removed: a scenario that cannot be read may have cassettes")
    elif prune:
        there = [one for one in there if not _pruned(one, prunes_trials)]
        _remove(left_behind(place) for place in places)
    return 1 if found.unread or not found.scenarios or (check and (lacking or _any(there))) else 0


def _any(there: Iterable[Shelved]) -> bool:
    return any(True for one in there for _ in one.findings)


def _wanted(
    project: Project, conftests: Conftests, scenarios: Iterable[tuple[Path, Scenario]]
) -> Mapping[str, Iterable[str]]:
    """Return the variants that agents of the ini file play, unless a fixture stands for them."""
    has_own = any(conftests.fixture("agent", file) for file, _ in scenarios)
    return {} if has_own else dict.fromkeys(project.agents, project.variants)


def _places(
    paths: Iterable[Path], scenarios: Iterable[tuple[Path, Scenario]], project: Project
) -> Places:
    """Return the folders of cassettes with their scenarios: also those without a scenario left."""
    places: Places = defaultdict(list)
    for file, scenario in scenarios:
        folder = cassettes_folder(file.absolute(), project.root, project.folder)
        places[_from_here(folder)].append((file, scenario))
    for path in paths:
        if path.is_dir():
            some = cassettes_folder(path.absolute() / "_", project.root, project.folder)
            for one in [some] if project.folder else path.rglob(FOLDER):
                places.setdefault(_from_here(one), [])
    return dict(places)


def _from_here(path: Path) -> Path:
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def _pruned(one: Shelved, prunes_trials: bool) -> bool:
    """Take away what is stale, and return whether nothing is wrong any more."""
    numbers = pluralize(len(one.stale_trials), "trial")
    if one.stale:
        one.path.unlink()
        print(f"removed {one.path}")
    elif one.stale_trials and prunes_trials:
        drop(one.path, {*one.stale_trials})
        print(f"removed {numbers} of {one.path}")
    elif one.stale_trials:
        print(f"left {numbers} of {one.path}; give --trials=N to keep no more than N")
        return False
    return not (one.broken or one.missing_trials)


def _remove(files: Iterable[Iterable[Path]]) -> None:
    """Take away what runs that were killed left behind."""
    for left in (one for some in files for one in some):
        left.unlink()
        print(f"removed {left}")
