"""Which cassettes there are, which nothing replays any more, and which are missing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pytest_toolsandbox.language.files import CASSETTE_SUFFIX
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.wording.nearest_name import did_you_mean

from .cassette import AGAIN, Cassette, UnreadableError
from .places import cassette_path
from .store import load, whole_trials


class Numbers(NamedTuple):
    """How many trials are played: at least, and at most, if that is known."""

    least: int
    most: int | None


Scenarios = Mapping[Path, Sequence[tuple[Path, Scenario]]]
"""Folder of cassettes → the scenarios whose cassettes lie there, with their files."""


@dataclass(frozen=True)
class Shelved:
    """A cassette in a folder: its size in bytes, and whose trials it has.

    ``broken`` says why it cannot be read, ``stale`` why nothing replays it; ``stale_trials`` are
    numbers beyond those that are played, and ``missing_trials`` those that are not recorded.
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
        """What is wrong with it, in lines."""
        if self.broken or self.stale:
            yield f"{self.path}: {self.broken or self.stale}"
        for kind, numbers in (("is stale", self.stale_trials), ("is missing", self.missing_trials)):
            yield from (f"{self.path}: trial {number} {kind}" for number in numbers)


def shelved(scenarios: Scenarios, trials: Callable[[Scenario], Numbers]) -> list[Shelved]:
    """Return the cassettes in some folders, in the order of their paths.

    Folders may lie in others: a cassette is of the scenarios of the innermost.
    """
    of: dict[Path, Path] = {}
    for folder in sorted(scenarios):
        of.update(dict.fromkeys(folder.rglob(f"*{CASSETTE_SUFFIX}"), folder))
    return [_looked_at(path, of[path], scenarios[of[path]], trials) for path in sorted(of)]


def missing(
    scenarios: Scenarios, found: Iterable[Shelved], wanted: Mapping[str, Iterable[str]]
) -> list[Path]:
    """Return where a cassette should lie and does not.

    What is recorded of one scenario, by an agent in a variant, should be of every one, and so
    should what is ``wanted``: the variants of an agent.
    """
    recorded = defaultdict(set, {agent: {*variants} for agent, variants in wanted.items()})
    for one in found:
        if one.item and not one.stale:
            _, bracket, parameters = one.item.partition("[")
            recorded[one.agent].add(f"{bracket}{parameters}")
    places = (
        cassette_path(folder, agent, file, f"{scenario.name}{variant}")
        for folder, there in scenarios.items()
        for file, scenario in there
        for agent, variants in recorded.items()
        for variant in variants
    )
    return sorted(place for place in places if not place.exists())


def _looked_at(
    path: Path,
    folder: Path,
    there: Sequence[tuple[Path, Scenario]],
    trials: Callable[[Scenario], Numbers],
) -> Shelved:
    one = Shelved(path, path.relative_to(folder).parts[0], path.stat().st_size)
    try:
        cassette = load(path)
        agent, item = str(cassette.about["agent"]), str(cassette.about["id"])
    except (UnreadableError, KeyError) as error:
        why = f"it has no {error}; {AGAIN}" if isinstance(error, KeyError) else str(error)
        return Shelved(path, one.agent, one.size, broken=why)
    name, numbers = item.partition("[")[0], set(cassette.written)
    for file, scenario in there:
        if scenario.name == name and cassette_path(folder, agent, file, item) == path:
            if broken := _damage(cassette):
                return Shelved(path, agent, one.size, item, broken=broken)
            least, most = trials(scenario)
            stale = tuple(sorted(n for n in numbers if most and n > most))
            lacking = tuple(n for n in range(1, least + 1) if n not in numbers)
            return Shelved(path, agent, one.size, item, len(numbers), "", "", stale, lacking)
    meant = did_you_mean(name, (scenario.name for _, scenario in there if scenario.name != name))
    why = f"there is no scenario {name!r} for it{meant}"
    return Shelved(path, agent, one.size, item, len(numbers), stale=why)


def _damage(cassette: Cassette) -> str:
    """Return why a trial of a cassette cannot be replayed, whatever is asked."""
    try:
        whole_trials(cassette)
    except UnreadableError as error:
        return str(error)
    return ""


def sizes(found: Iterable[Shelved]) -> list[tuple[str, str, str, str]]:
    """Return rows of a table: agent, cassettes, trials and size, the last one of all agents."""
    rows: dict[str, list[Shelved]] = defaultdict(list)
    for one in found:
        rows[one.agent].append(one)
    named = [*sorted(rows.items()), ("all", [one for some in rows.values() for one in some])]
    return [
        (
            name,
            str(len(some)),
            str(sum(one.trials for one in some)),
            f"{sum(one.size for one in some) / 1000:.1f} kB",
        )
        for name, some in named
    ]
