"""The records of several files as those of one run, where they are parts of one."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from pytest_toolsandbox.text.formatting import pluralize

from .configuration import changes
from .reading import MOST_SHOWN, Line, usable_lines
from .record import Record
from .trials import NOT_RUN, SCORED, by_item, planned_trials, verdict

_NO_NAMES = ("fixture", "scripted", "unknown")
"""What a record says in the place of a name that the whole run was given."""


class MergeError(Exception):
    """Why files are no parts of one run: lines for the user."""


class Placed(NamedTuple):
    """A record and where it stands."""

    file: Path
    line: int
    record: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Merged(NamedTuple):
    """Records in the order of items and trials; what ``lacks``, and which lines are unusable."""

    records: Sequence[dict[str, Any]]
    lacks: Sequence[str]
    unusable: Sequence[str]


def merge(files: Iterable[Path]) -> Merged:
    """Return the records of all files.

    Raises :class:`MergeError` for records of the same trial and for those of other configurations,
    :class:`~.reading.StoredError` for a file without records.
    """
    placed, unusable = [], []
    left: dict[str, Placed] = {}
    for file in files:
        lines, told = usable_lines(file, Record)
        of_file = [Placed(file, line.number, line.record) for line in _latest(lines)]
        placed += [one for one in of_file if one.record["outcome"] != NOT_RUN]
        left |= {one.record["id"]: one for one in of_file if one.record["outcome"] == NOT_RUN}
        unusable += [told] if told else []
    left = {name: one for name, one in left.items() if name not in {p.record["id"] for p in placed}}
    if wrong := [*_duplicates(placed), *_mixtures(placed)]:
        more = len(wrong) - MOST_SHOWN
        raise MergeError("\n".join([*wrong[:MOST_SHOWN], *([f"and {more} more"] * (more > 0))]))
    records = [one.record for one in placed]
    lacks = [*_missing_shards(records), *_missing_trials(records)]
    lacks += [f"{pluralize(len(left), 'scenario')} not run"] if left else []
    if not lacks:  # as one run would have written them
        records = [{k: v for k, v in record.items() if k != "shard"} for record in records]
    records += [one.record for one in left.values()]
    records.sort(key=lambda record: (record["id"], record["trial"]))
    return Merged(records, lacks, unusable)


def _latest(lines: Iterable[Line[Record]]) -> Iterable[Line[Record]]:
    """Return one line for each trial, the last, since a run that goes on appends to its file."""
    return {(line.read["id"], line.read["trial"]): line for line in lines}.values()


def _duplicates(placed: Iterable[Placed]) -> Iterator[str]:
    first: dict[tuple[str, int], Placed] = {}
    for one in placed:
        trial = one.record["id"], one.record["trial"]
        other = first.setdefault(trial, one)
        if other is not one:
            yield f"{trial[0]}, trial {trial[1]}, is in {other} and in {one}"


def _mixtures(placed: Iterable[Placed]) -> Iterator[str]:
    """Yield a line for each fact that a run has once, and that differs between two records."""
    known: dict[Hashable, tuple[Mapping[str, Any], Placed]] = {}
    told = set()
    for one in placed:
        for fact, value in _facts_of_run(one.record):
            first, other = known.setdefault(fact, (value, one))
            for change in changes(first, value):
                if (fact, change) not in told:
                    told.add((fact, change))
                    yield f"{one} is no part of the run of {other}: {change}"


def _facts_of_run(record: Mapping[str, Any]) -> Iterator[tuple[Hashable, Mapping[str, Any]]]:
    """Yield what all records of a run share that have the same key.

    Fixtures of the conftests of two folders may give two agents in one run, and two parameters of
    a fixture do; several that ``--agent`` names are told apart by their labels.
    """
    folder = record["id"].partition("::")[0].rpartition("/")[0]
    told = record.get("agent_settings") or {}
    parameter, label = told.get("parameter"), told.get("label")
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


def _missing_shards(records: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a line for each shard that is not whole."""
    shards: dict[int, Mapping[str, Any]] = {}
    found: dict[int, set[str]] = {}
    ids = {record["id"] for record in records}
    for record in records:
        if shard := record.get("shard"):
            shards[shard["number"]] = shard
            found.setdefault(shard["number"], set()).add(record["id"])
    whole = {shard["suite_items"] for shard in shards.values()}
    if not shards or whole == {len(ids)}:  # what a shard lacks, another run may have played
        return
    for number in range(1, next(iter(shards.values()))["of"] + 1):
        if number not in shards:
            yield f"there is no record of shard {number} of {next(iter(shards.values()))['of']}"
        elif len(found[number]) < shards[number]["items"]:
            items = pluralize(shards[number]["items"], "scenario")
            yield f"shard {number} has records of {len(found[number])} of {items}"


def _missing_trials(records: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a line for each item that lacks trials, and is not decided without them."""
    for trials in by_item(sorted(records, key=itemgetter("id"))):
        name = trials[0]["id"]
        planned = max(planned_trials(trials)[0], *(trial["trial"] for trial in trials), 1)
        if len(trials) < planned and verdict(trials) not in SCORED:
            yield f"{name} has records of {len(trials)} of {pluralize(planned, 'trial')}"
