"""Parts of a suite that take about the same time, the same ones on every machine.

What conversations will use, about, as those of earlier records did.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, Final, NamedTuple

from pytest_toolsandbox.records.parts import ShardRecord
from pytest_toolsandbox.records.reading import usable_records
from pytest_toolsandbox.records.record import SpentRecord, TimedRecord
from pytest_toolsandbox.records.trials import SCORED


class Shard(NamedTuple):
    """A part of a suite: its number, from 1, and how many parts there are."""

    number: int
    of: int


class Sharded(NamedTuple):
    """What a shard has: the ids of its items, and what its records say of it."""

    items: frozenset[str]
    record: ShardRecord


def past_seconds(file: Path) -> dict[str, float]:
    """Return id → mean seconds of a conversation, for the items whose records tell.

    Raises :class:`~pytest_toolsandbox.records.reading.StoredError`.
    """
    seconds: dict[str, list[float]] = {}
    for record in usable_records(file, TimedRecord)[0]:
        if duration := record.get("duration"):  # 0 is that of a replay
            seconds.setdefault(record["id"], []).append(duration)
    return {name: sum(each) / len(each) for name, each in seconds.items()}


def cut_shard(
    shard: Shard, items: Mapping[str, Any], trials: Mapping[str, int], seconds: Mapping[str, float]
) -> Sharded:
    """Return one of the parts into which the ``items`` fall, id → what they are, as plain values.

    An item weighs as many ``seconds`` as its ``trials`` take, an unknown one as the mean of others.
    """
    known = [seconds[name] for name in items if name in seconds]
    usual = sum(known) / len(known) if known else 1.0
    weights = {name: trials[name] * seconds.get(name, usual) for name in items}
    parts = balanced(weights, shard.of)
    facts = [shard.of, sorted((name, place) for place, part in enumerate(parts) for name in part)]
    text = json.dumps([facts, sorted(items.items())], sort_keys=True, default=str)
    mine = parts[shard.number - 1]
    return Sharded(
        frozenset(mine),
        {
            "number": shard.number,
            "of": shard.of,
            "items": len(mine),
            "suite_items": len(items),
            "suite_digest": hashlib.sha256(text.encode()).hexdigest()[:16],
        },
    )


def balanced(weights: Mapping[str, float], count: int) -> list[list[str]]:
    """Return ``count`` lists of names that weigh about the same, whatever order they come in.

    The heaviest goes first, each to the list that weighs least so far (Graham 1969: no list is
    heavier than 4/3 of what is possible).
    """
    parts: list[list[str]] = [[] for _ in range(count)]
    loads = [0.0] * count
    for name in _heaviest_first(weights):
        lightest = min(range(count), key=lambda place: (loads[place], place))
        parts[lightest].append(name)
        loads[lightest] += weights[name]
    return parts


def _heaviest_first(weights: Mapping[str, float]) -> Sequence[str]:
    names: Iterable[str] = weights
    return sorted(names, key=lambda name: (-weights[name], name))


FIGURES: Final = ("tokens", "cost", "seconds")
"""What is estimated: all tokens read and written, US dollars, and seconds of conversations."""
Figures = Mapping[str, float | None]
"""A figure → its value, ``None`` where it is unknown."""


class Estimate(NamedTuple):
    """What all conversations will use; ``longest`` is the time of the longest in seconds.

    ``new`` counts the items that have no record, and so are taken for the mean of the others.
    """

    totals: Figures
    longest: float
    new: int


def past_figures(file: Path) -> dict[str, Figures]:
    """Return id → what a conversation used on the mean, for the items that came to an end.

    A figure that one of an item's records lacks is unknown.
    Raises :class:`~pytest_toolsandbox.records.reading.StoredError`.
    """
    told: dict[str, list[Figures]] = {}
    for record in usable_records(file, SpentRecord)[0]:
        if record["outcome"] in SCORED:  # an outage ends a conversation early
            told.setdefault(record["id"], []).append(_figures(record))
    return {name: {one: _mean(each, one) for one in FIGURES} for name, each in told.items()}


def estimate(played: Mapping[str, int], past: Mapping[str, Figures]) -> Estimate:
    """Return what is to be expected of items, id → how many conversations.

    A total is unknown where nothing is known of any item, or where the records of one do not tell.
    """
    there = [past[name] for name in played if name in past]
    usual = {one: _mean(there, one) for one in FIGURES}
    each = [(count, past.get(name, usual)) for name, count in played.items()]
    seconds = [figures["seconds"] or 0.0 for _, figures in each]
    totals = {one: _sum([(count, figures[one]) for count, figures in each]) for one in FIGURES}
    return Estimate(totals, max(seconds, default=0.0), len(played) - len(there))


def _figures(record: SpentRecord) -> Figures:
    """Return the figures of a record; what its agent used is told, or the rest says nothing."""
    usage = record.get("usage", {})
    used = usage.values() if "agent" in usage else ()
    tokens = [n for one in used for n in (one["input_tokens"], one["output_tokens"])]
    cost = [one["cost"] for one in used]
    sums = {"tokens": _sum([(1, n) for n in tokens]), "cost": _sum([(1, n) for n in cost])}
    return {**sums, "seconds": record.get("duration")}


def _mean(rows: Sequence[Figures], name: str) -> float | None:
    known = [value for row in rows if (value := row[name]) is not None]
    return fmean(known) if known and len(known) == len(rows) else None


def _sum(parts: Sequence[tuple[int, float | None]]) -> float | None:
    known = [count * value for count, value in parts if value is not None]
    return sum(known) if known and len(known) == len(parts) else None
