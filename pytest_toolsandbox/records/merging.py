"""Merge the records of several files that are parts of one run, such as its shards."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from pytest_toolsandbox.text.files import FileError
from pytest_toolsandbox.text.formatting import pluralize

from .configuration import changes
from .reading import MOST_SHOWN, usable_lines
from .record import Record
from .trials import NOT_RUN, SCORED, by_item, planned_trials, verdict

_NO_NAMES = ("fixture", "scripted", "unknown")
"""Placeholders in a record for a name that no option gave for the whole run."""


class MergeError(FileError):
    """The files are not parts of one run; the text has a line per reason."""


class Placed(NamedTuple):
    """A record with its file and line."""

    file: Path
    line: int
    record: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Merged(NamedTuple):
    """The records in the order of items and trials, what is missing, and the unusable lines."""

    records: Sequence[dict[str, Any]]
    missing: Sequence[str]
    unusable: Sequence[str]


def merge(files: Iterable[Path]) -> Merged:
    """Return the records of all files.

    Raises :class:`MergeError` for records of the same trial and for those of other configurations,
    :class:`~.reading.StoredError` for a file without records.
    """
    placed, unusable = [], []
    not_run: dict[str, Placed] = {}
    for file in files:
        lines, problem = usable_lines(file, Record)
        # Only the last line of a trial counts, since a resumed run appends to its file.
        latest = {(line.read["id"], line.read["trial"]): line for line in lines}
        for line in latest.values():
            entry = Placed(file, line.number, line.record)
            if entry.record["outcome"] == NOT_RUN:
                not_run[entry.record["id"]] = entry
            else:
                placed.append(entry)
        unusable += [problem] if problem else []
    if wrong := [*_duplicates(placed), *_mixtures(placed)]:
        omitted = len(wrong) - MOST_SHOWN
        raise MergeError(
            "\n".join([*wrong[:MOST_SHOWN], *([f"and {omitted} more"] * (omitted > 0))])
        )
    records = [entry.record for entry in placed]
    for name in {record["id"] for record in records}:
        not_run.pop(name, None)
    missing = [*_missing_shards(records), *_missing_trials(records)]
    missing += [f"{pluralize(len(not_run), 'scenario')} not run"] if not_run else []
    if not missing:  # as one run would have written them
        records = [{k: v for k, v in record.items() if k != "shard"} for record in records]
    records += [entry.record for entry in not_run.values()]
    records.sort(key=lambda record: (record["id"], record["trial"]))
    return Merged(records, missing, unusable)


def _duplicates(placed: Iterable[Placed]) -> Iterator[str]:
    first: dict[tuple[str, int], Placed] = {}
    for entry in placed:
        trial = entry.record["id"], entry.record["trial"]
        earlier = first.setdefault(trial, entry)
        if earlier is not entry:
            yield f"{trial[0]}, trial {trial[1]}, is in {earlier} and in {entry}"


def _mixtures(placed: Iterable[Placed]) -> Iterator[str]:
    """Yield a line for each fact that must be the same in a run, but differs in two records."""
    known: dict[Hashable, tuple[Mapping[str, Any], Placed]] = {}
    reported = set()
    for entry in placed:
        for fact, value in _facts_of_run(entry.record):
            first, earlier = known.setdefault(fact, (value, entry))
            for change in changes(first, value):
                if (fact, change) not in reported:
                    reported.add((fact, change))
                    yield f"{entry} is no part of the run of {earlier}: {change}"


def _facts_of_run(record: Mapping[str, Any]) -> Iterator[tuple[Hashable, Mapping[str, Any]]]:
    """Yield facts with their keys: all records of a run have the same value for a key.

    Two folders may have different agents from the fixtures of their conftests, and fixtures may
    have several parameters. If ``--agent`` names several agents, labels distinguish them.
    """
    folder = record["id"].partition("::")[0].rpartition("/")[0]
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


def _missing_shards(records: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a line for each shard with missing items."""
    shards: dict[int, Mapping[str, Any]] = {}
    items: dict[int, set[str]] = {}
    for record in records:
        if shard := record.get("shard"):
            shards[shard["number"]] = shard
            items.setdefault(shard["number"], set()).add(record["id"])
    suite_items = {shard["suite_items"] for shard in shards.values()}
    # Another run may have played what a shard lacks.
    if not shards or suite_items == {len({record["id"] for record in records})}:
        return
    count = next(iter(shards.values()))["of"]
    for number in range(1, count + 1):
        if number not in shards:
            yield f"there is no record of shard {number} of {count}"
        elif len(items[number]) < shards[number]["items"]:
            planned = pluralize(shards[number]["items"], "scenario")
            yield f"shard {number} has records of {len(items[number])} of {planned}"


def _missing_trials(records: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a line for each item that has too few trials for a verdict."""
    for trials in by_item(sorted(records, key=itemgetter("id"))):
        planned = max(planned_trials(trials)[0], *(trial["trial"] for trial in trials), 1)
        if len(trials) < planned and verdict(trials) not in SCORED:
            name, count = trials[0]["id"], pluralize(planned, "trial")
            yield f"{name} has records of {len(trials)} of {count}"
