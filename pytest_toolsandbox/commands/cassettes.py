"""``toolsandbox cassettes``: lists recorded conversations, and which are stale or missing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.output.tables import aligned
from pytest_toolsandbox.runs.cassettes.cassette import drop
from pytest_toolsandbox.runs.cassettes.inventory import (
    FOLDER,
    Numbers,
    Shelved,
    cassettes_folder,
    missing,
    shelved,
    sizes,
)
from pytest_toolsandbox.text.files import left_behind
from pytest_toolsandbox.text.formatting import pluralize

from .scenarios import Project, find_scenarios


def list_cassettes(  # noqa: PLR0913  # one for each option of the command
    paths: Sequence[Path],
    project: Project,
    folder: Path | None,
    trials: int | None,
    *,
    prune: bool,
    check: bool,
) -> int:
    """Print the cassettes of the scenarios below ``paths``, and what is stale, missing or broken.

    Returns 1 if ``check`` is set and anything is, or if a scenario cannot be read. For a file, its
    whole folder is listed. Stale cassettes are pruned; stale trials only with ``trials``, since a
    run may have been given another number of them.
    """
    folder = folder.absolute() if folder else project.cassettes
    paths = [path.parent if path.is_file() else path for path in paths]
    collected = find_scenarios(paths, project.scenario_files)
    places = _places(paths, collected.scenarios, project.root, folder)
    cassettes = shelved(places, lambda s: Numbers(trials, trials) if trials else project.trials(s))
    # A fixture of the project may stand for the agents of the ini file.
    has_fixture = any(collected.conftests.fixture("agent", file) for file, _ in collected.scenarios)
    wanted = {} if has_fixture else dict.fromkeys(project.agents, project.variants)
    lacking = missing(places, cassettes, wanted)
    print(*aligned([("agent", "cassettes", "trials", "size"), *sizes(cassettes)]), sep="\n")
    for cassette in cassettes:
        for finding in cassette.findings:
            print(finding)
    for path in lacking:
        print(f"{path}: it is missing")
    if prune and collected.unread:
        print("nothing is removed: a scenario that cannot be read may have cassettes")
    elif prune:
        cassettes = [c for c in cassettes if not _pruned(c, prunes_trials=bool(trials))]
        for path in (path for place in places for path in left_behind(place)):
            path.unlink()
            print(f"removed {path}")
    is_faulty = lacking or any(any(cassette.findings) for cassette in cassettes)
    return 1 if collected.unread or not collected.scenarios or (check and is_faulty) else 0


def _places(
    paths: Iterable[Path],
    scenarios: Iterable[tuple[Path, Scenario]],
    root: Path,
    folder: Path | None,
) -> dict[Path, list[tuple[Path, Scenario]]]:
    """Return the folders of cassettes with their scenarios: also those without a scenario left."""
    places: dict[Path, list[tuple[Path, Scenario]]] = {}
    for file, scenario in scenarios:
        place = _from_here(cassettes_folder(file.absolute(), root, folder))
        places.setdefault(place, []).append((file, scenario))
    for path in filter(Path.is_dir, paths):
        shared_place = cassettes_folder(path.absolute() / "_", root, folder)
        for place in [shared_place] if folder else path.rglob(FOLDER):
            places.setdefault(_from_here(place), [])
    return places


def _from_here(path: Path) -> Path:
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def _pruned(cassette: Shelved, *, prunes_trials: bool) -> bool:
    """Remove what is stale, and return whether the cassette has no other fault."""
    trials = pluralize(len(cassette.stale_trials), "trial")
    if cassette.stale:
        cassette.path.unlink()
        print(f"removed {cassette.path}")
    elif cassette.stale_trials and prunes_trials:
        drop(cassette.path, {*cassette.stale_trials})
        print(f"removed {trials} of {cassette.path}")
    elif cassette.stale_trials:
        print(f"left {trials} of {cassette.path}; give --trials=N to keep no more than N")
        return False
    return not (cassette.broken or cassette.missing_trials)
