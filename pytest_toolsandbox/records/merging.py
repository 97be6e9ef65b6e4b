"""Merge the records of several files that are parts of one run, such as its shards."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple, NotRequired

from typing_extensions import TypedDict

from pytest_toolsandbox.text.files import FileError
from pytest_toolsandbox.text.formatting import pluralize

from .configuration import changes
from .reading import MOST_SHOWN, Line, UsableLines
from .record import Record
from .trials import NOT_RUN, SCORED, planned_trials, verdict
from .writing import as_line

_NO_NAMES = ("fixture", "scripted", "unknown")
"""Placeholders in a record for a name that no option gave for the whole run."""


class MergeError(FileError):
    """The files are not parts of one run; the text has a line per reason."""


class _Merging(TypedDict):
    """The fields of a record that decide whether and where it is written, as JSON values."""

    record: Any
    id: str
    trial: int
    outcome: Any
    cause: NotRequired[Any]
    of_trials: NotRequired[Any]
    confirms: NotRequired[Any]
    agent: Any
    agent_settings: NotRequired[Any]
    user: Any
    user_settings: NotRequired[Any]
    shard: NotRequired[Any]


class Placed(NamedTuple):
    """A record in a file: its item and trial, and facts that many records share."""

    line: Line[Any]
    id: str
    trial: int
    facts: Mapping[str, Any]

    def __str__(self) -> str:
        return f"{self.line.path}:{self.line.number}"

    @property
    def summary(self) -> dict[str, Any]:
        """Its fields, without those that merging does not need."""
        return {"id": self.id, "trial": self.trial, **self.facts}


class Merged(NamedTuple):
    """The records in the order of items and trials, what is missing, and the unusable lines.

    The records are still in their files, since together they may be larger than the memory.
    """

    placed: Sequence[Placed]
    missing: Sequence[str]
    unusable: Sequence[str]

    def texts(self) -> Iterator[str]:
        """Yield the lines of the merged file; if it is whole, as one run would have written it."""
        with ExitStack() as stack:
            paths = dict.fromkeys(entry.line.path for entry in self.placed)
            files = {path: stack.enter_context(path.open("rb")) for path in paths}
            for line, *_ in self.placed:
                files[line.path].seek(line.start)
                record = json.loads(files[line.path].read(line.size))
                if not self.missing:
                    record.pop("shard", None)
                yield f"{as_line(record)}\n"


def merge(files: Iterable[Path]) -> Merged:
    """Return the records of all files.

    Raises :class:`MergeError` for records of the same trial and for those of other configurations,
    :class:`~.reading.StoredError` for a file without records.
    """
    placed, unusable = [], []
    not_run: dict[str, Placed] = {}
    shared: dict[str, Mapping[str, Any]] = {}
    for file in files:
        lines = UsableLines(file, _Merging, whole=Record)
        # Only the last line of a trial counts, since a resumed run appends to its file.
        latest: dict[tuple[str, int], Placed] = {}
        for line in lines:
            entry = _placed(line, shared)
            latest[entry.id, entry.trial] = entry
        for entry in latest.values():
            if entry.facts["outcome"] == NOT_RUN:
                not_run[entry.id] = entry
            else:
                placed.append(entry)
        unusable += [lines.unusable] if lines.unusable else []
    if wrong := [*_duplicates(placed), *_mixtures(placed)]:
        omitted = len(wrong) - MOST_SHOWN
        raise MergeError(
            "\n".join([*wrong[:MOST_SHOWN], *([f"and {omitted} more"] * (omitted > 0))])
        )
    for entry in placed:
        not_run.pop(entry.id, None)
    missing = [*_missing_shards(placed)]
    placed.sort(key=attrgetter("id"))
    missing += _missing_trials(placed)
    missing += [f"{pluralize(len(not_run), 'scenario')} not run"] if not_run else []
    placed += not_run.values()
    placed.sort(key=attrgetter("trial"))
    placed.sort(key=attrgetter("id"))
    return Merged(placed, missing, unusable)


def _placed(line: Line[Any], shared: dict[str, Mapping[str, Any]]) -> Placed:
    facts = {**line.read}
    identifier, trial = facts.pop("id"), facts.pop("trial")
    of_many = shared.setdefault(json.dumps(facts), facts)
    return Placed(line._replace(read=None), identifier, trial, of_many)


def _duplicates(placed: Iterable[Placed]) -> Iterator[str]:
    first: dict[tuple[str, int], Placed] = {}
    for entry in placed:
        earlier = first.setdefault((entry.id, entry.trial), entry)
        if earlier is not entry:
            yield f"{entry.id}, trial {entry.trial}, is in {earlier} and in {entry}"


def _mixtures(placed: Iterable[Placed]) -> Iterator[str]:
    """Yield a line for each fact that must be the same in a run, but differs in two records."""
    known: dict[Hashable, tuple[Mapping[str, Any], Placed]] = {}
    seen, reported = set(), set()
    for entry in placed:
        folder = entry.id.partition("::")[0].rpartition("/")[0]
        if (kind := (folder, id(entry.facts))) in seen:
            continue
        seen.add(kind)
        for fact, value in _facts_of_run(entry.facts, folder):
            first, earlier = known.setdefault(fact, (value, entry))
            for change in changes(first, value):
                if (fact, change) not in reported:
                    reported.add((fact, change))
                    yield f"{entry} is no part of the run of {earlier}: {change}"


def _facts_of_run(
    record: Mapping[str, Any], folder: str
) -> Iterator[tuple[Hashable, Mapping[str, Any]]]:
    """Yield facts with their keys: all records of a run have the same value for a key.

    Two folders may have different agents from the fixtures of their conftests, and fixtures may
    have several parameters. If ``--agent`` names several agents, labels distinguish them.
    """
    agent = record.get("agent_settings") or {}
    parameter, label = agent.get("parameter"), agent.get("label")
    for who in ("agent", "user"):
        name, settings = record[who], record.get(f"{who}_settings")
        if name not in _NO_NAMES:
            yield (who, label), {who: name}
        if settings and name != "unknown":
            where = folder if name == "fixture" else ""
            yield (who, name, parameter, where), {f"{who}_settings": settings}
    yield "version", {"record": record["record"]}
    if shard := record.get("shard"):
        yield "shards", {"shard": {name: shard[name] for name in ("of", "suite_digest")}}


def _missing_shards(placed: Sequence[Placed]) -> Iterator[str]:
    """Yield a line for each shard with missing items."""
    shards: dict[int, Mapping[str, Any]] = {}
    items: dict[int, set[str]] = {}
    for entry in placed:
        if shard := entry.facts.get("shard"):
            shards[shard["number"]] = shard
            items.setdefault(shard["number"], set()).add(entry.id)
    suite_items = {shard["suite_items"] for shard in shards.values()}
    # Another run may have played what a shard lacks.
    if not shards or suite_items == {len({entry.id for entry in placed})}:
        return
    count = next(iter(shards.values()))["of"]
    for number in range(1, count + 1):
        if number not in shards:
            yield f"there is no record of shard {number} of {count}"
        elif len(items[number]) < shards[number]["items"]:
            planned = pluralize(shards[number]["items"], "scenario")
            yield f"shard {number} has records of {len(items[number])} of {planned}"


def _missing_trials(placed: Iterable[Placed]) -> Iterator[str]:
    """Yield a line for each item, in order, that has too few trials for a verdict."""
    for name, entries in groupby(placed, key=attrgetter("id")):
        trials = [entry.summary for entry in entries]
        planned = max(planned_trials(trials)[0], *(trial["trial"] for trial in trials), 1)
        if len(trials) < planned and verdict(trials) not in SCORED:
            yield f"{name} has records of {len(trials)} of {pluralize(planned, 'trial')}"
