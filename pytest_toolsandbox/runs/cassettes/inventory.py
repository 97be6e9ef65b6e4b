"""The paths of cassettes, the list of existing ones, and which are stale or missing.

A path is ``cassettes/AGENT/SCENARIO.VARIANT.cassette.yaml``.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NamedTuple

from pytest_toolsandbox.language.files import CASSETTE_SUFFIX, scenario_name
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.suites import bundled_id
from pytest_toolsandbox.text.nearest_name import did_you_mean

from .cassette import AGAIN, UnreadableError, load, whole_trials

FOLDER: Final = "cassettes"
"""The name of the folder beside the scenario files."""

_LONGEST: Final = 100
"""The maximum length of a name in a path: file systems allow 255 bytes."""


def cassettes_folder(file: Path, root: Path, named: Path | None) -> Path:
    """Return the folder of the cassettes of a scenario file; both paths are absolute.

    It is beside the file, unless a folder is ``named``, in which the folders below the ``root`` of
    the project are repeated. Suites that are installed elsewhere have their cassettes in the
    project.
    """
    identifier = bundled_id(file)
    is_here = file.is_relative_to(root)
    if named is None and (is_here or not identifier):
        return file.parent / FOLDER
    below = file.relative_to(root) if is_here else Path(identifier or file.parent.name + "/.")
    return (named or root / FOLDER) / below.parent


def cassette_path(folder: Path, agent: str, file: Path, item: str) -> Path:
    """Return the path of an item's cassette in a folder of cassettes.

    ``file`` is the scenario's file, and ``item`` its name with parameters, ``late[all_tools]``. If
    a file has several scenarios, their cassettes are in a folder with its name.
    """
    name, _, parameters = item.partition("[")
    stem = scenario_name(file)
    parts = [name, *([parameters.removesuffix("]")] if parameters else [])]
    place = folder / _safe(agent)
    place = place if stem == name else place / _safe(stem)
    return place / f"{'.'.join(map(_safe, parts))}{CASSETTE_SUFFIX}"


def of_other_agents(path: Path, agent: str) -> list[Path]:
    """Return the cassettes of the same item by other agents."""
    folder = next(
        (parent for parent in (*path.parents,)[:2][::-1] if parent.name == _safe(agent)), None
    )
    return sorted(folder.parent.glob(f"*/{path.relative_to(folder)}")) if folder else []


def _safe(name: str) -> str:
    """Return a name that is valid in every file system; different names stay different."""
    safe = re.sub(r"[^\w+@=-]+", "-", name).strip("-")[:_LONGEST]
    if safe == name:
        return name
    return f"{safe}-{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:6]}"


class Numbers(NamedTuple):
    """The minimum number of trials, and the maximum, if known."""

    least: int
    most: int | None


Scenarios = Mapping[Path, Sequence[tuple[Path, Scenario]]]
"""Folder of cassettes → its scenarios with their files."""


@dataclass(frozen=True)
class Shelved:
    """A cassette in a folder: its size in bytes, and its trials.

    ``broken`` says why it is unreadable, ``stale`` why it is never replayed. ``stale_trials`` are
    numbers beyond the played ones, ``missing_trials`` are played but not recorded.
    """

    path: Path
    agent: str
    size: int
    item: str = ""
    trials: int = 0
    broken: str = ""
    stale: str = ""
    stale_trials: tuple[int, ...] = ()
    missing_trials: tuple[int, ...] = ()

    @property
    def findings(self) -> Iterator[str]:
        """The problems of the cassette, a line each."""
        if self.broken or self.stale:
            yield f"{self.path}: {self.broken or self.stale}"
        for kind, numbers in (("is stale", self.stale_trials), ("is missing", self.missing_trials)):
            yield from (f"{self.path}: trial {number} {kind}" for number in numbers)


def shelved(scenarios: Scenarios, trials: Callable[[Scenario], Numbers]) -> list[Shelved]:
    """Return the cassettes in some folders, in the order of their paths.

    Folders may be nested: a cassette belongs to the innermost one.
    """
    folder_of: dict[Path, Path] = {}
    for folder in sorted(scenarios):
        folder_of.update(dict.fromkeys(folder.rglob(f"*{CASSETTE_SUFFIX}"), folder))
    return [
        _looked_at(path, folder_of[path], scenarios[folder_of[path]], trials)
        for path in sorted(folder_of)
    ]


def missing(
    scenarios: Scenarios, cassettes: Iterable[Shelved], wanted: Mapping[str, Iterable[str]]
) -> list[Path]:
    """Return the paths of missing cassettes.

    If one scenario is recorded by an agent in a variant, all scenarios should be. So should the
    ``wanted`` variants of an agent.
    """
    recorded = defaultdict(set, {agent: {*variants} for agent, variants in wanted.items()})
    for cassette in cassettes:
        if cassette.item and not cassette.stale:
            _, bracket, parameters = cassette.item.partition("[")
            recorded[cassette.agent].add(f"{bracket}{parameters}")
    places = (
        cassette_path(folder, agent, file, f"{scenario.name}{variant}")
        for folder, members in scenarios.items()
        for file, scenario in members
        for agent, variants in recorded.items()
        for variant in variants
    )
    return sorted(place for place in places if not place.exists())


def _looked_at(
    path: Path,
    folder: Path,
    members: Sequence[tuple[Path, Scenario]],
    trials: Callable[[Scenario], Numbers],
) -> Shelved:
    shelved = Shelved(path, path.relative_to(folder).parts[0], path.stat().st_size)
    try:
        cassette = load(path)
        agent, item = str(cassette.about["agent"]), str(cassette.about["id"])
    except (UnreadableError, KeyError) as error:
        why = f"it has no {error}; {AGAIN}" if isinstance(error, KeyError) else str(error)
        return replace(shelved, broken=why)
    name, numbers = item.partition("[")[0], set(cassette.written)
    shelved = replace(shelved, agent=agent, item=item, trials=len(numbers))
    for file, scenario in members:
        if scenario.name == name and cassette_path(folder, agent, file, item) == path:
            try:
                whole_trials(cassette)
            except UnreadableError as error:
                return replace(shelved, trials=0, broken=str(error))
            least, most = trials(scenario)
            stale = tuple(sorted(n for n in numbers if most and n > most))
            lacking = tuple(n for n in range(1, least + 1) if n not in numbers)
            return replace(shelved, stale_trials=stale, missing_trials=lacking)
    meant = did_you_mean(name, (scenario.name for _, scenario in members if scenario.name != name))
    return replace(shelved, stale=f"there is no scenario {name!r} for it{meant}")


def sizes(cassettes: Iterable[Shelved]) -> list[tuple[str, str, str, str]]:
    """Return the rows of a table: agent, cassettes, trials and size; the last row is the total."""
    rows: dict[str, list[Shelved]] = defaultdict(list)
    for cassette in cassettes:
        rows[cassette.agent].append(cassette)
    everything = [cassette for some in rows.values() for cassette in some]
    return [
        (
            name,
            str(len(some)),
            str(sum(cassette.trials for cassette in some)),
            f"{sum(cassette.size for cassette in some) / 1000:.1f} kB",
        )
        for name, some in (*sorted(rows.items()), ("all", everything))
    ]
