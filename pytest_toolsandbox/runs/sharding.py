"""Divide a suite into shards of about equal duration, and estimate time, tokens and cost of a run.

Both use the records of an earlier run. The shards are the same on every machine.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, Final, NamedTuple

from pytest_toolsandbox.records.parts import ShardRecord
from pytest_toolsandbox.records.reading import usable_records
from pytest_toolsandbox.records.record import SpentRecord, TimedRecord
from pytest_toolsandbox.records.trials import SCORED


class Shard(NamedTuple):
    """A part of a suite: its number, from 1, and the number of parts."""

    number: int
    total: int


class Sharded(NamedTuple):
    """The ids of the items in a shard, and the shard in its records."""

    items: frozenset[str]
    record: ShardRecord


def past_seconds(file: Path) -> dict[str, float]:
    """Return id → mean duration of a conversation in seconds, for items with records.

    Raises :class:`~pytest_toolsandbox.records.reading.StoredError`.
    """
    seconds: dict[str, list[float]] = {}
    for record in usable_records(file, TimedRecord)[0]:
        if duration := record.get("duration"):  # a replay has 0
            seconds.setdefault(record["id"], []).append(duration)
    return {name: sum(each) / len(each) for name, each in seconds.items()}


def cut_shard(
    shard: Shard, items: Mapping[str, Any], trials: Mapping[str, int], seconds: Mapping[str, float]
) -> Sharded:
    """Return one shard of the ``items``, which map ids to facts about the items.

    The weight of an item is the ``seconds`` of all its ``trials``; unknown items have the mean of
    the known ones. The facts are plain values and only enter the digest.
    """
    known = [seconds[name] for name in items if name in seconds]
    usual = sum(known) / len(known) if known else 1.0
    weights = {name: trials[name] * seconds.get(name, usual) for name in items}
    parts = balanced(weights, shard.total)
    # Merging compares this digest: shards of different suites or cuts do not fit together.
    facts = [
        shard.total,
        sorted((name, place) for place, part in enumerate(parts) for name in part),
    ]
    text = json.dumps([facts, sorted(items.items())], sort_keys=True, default=str)
    mine = parts[shard.number - 1]
    return Sharded(
        frozenset(mine),
        {
            "number": shard.number,
            "of": shard.total,
            "items": len(mine),
            "suite_items": len(items),
            "suite_digest": hashlib.sha256(text.encode()).hexdigest()[:16],
        },
    )


def balanced(weights: Mapping[str, float], count: int) -> list[list[str]]:
    """Return ``count`` lists of names of about equal weight, whatever the order of the names.

    The heaviest name goes first, each to the list with the least weight so far (Graham 1969: the
    heaviest list has at most 4/3 of the smallest possible weight).
    """
    parts: list[list[str]] = [[] for _ in range(count)]
    loads = [0.0] * count
    for name in sorted(weights, key=lambda name: (-weights[name], name)):
        lightest = min(range(count), key=lambda place: (loads[place], place))
        parts[lightest].append(name)
        loads[lightest] += weights[name]
    return parts


FIGURES: Final = ("tokens", "cost", "seconds")
"""The estimated figures: input and output tokens, US dollars, and seconds."""
Figures = Mapping[str, float | None]
"""Figure → its value, ``None`` if it is unknown."""


class Estimate(NamedTuple):
    """The estimated usage of all conversations; ``longest`` is the longest one in seconds.

    ``new`` is the number of items without records, for which the mean of the others is used.
    """

    totals: Figures
    longest: float
    new: int


def past_figures(file: Path) -> dict[str, Figures]:
    """Return id → mean usage of a conversation, for items with a score.

    A figure that is missing in one of an item's records is unknown. Raises
    :class:`~pytest_toolsandbox.records.reading.StoredError`.
    """
    figures: dict[str, list[Figures]] = {}
    for record in usable_records(file, SpentRecord)[0]:
        if record["outcome"] in SCORED:  # an outage ends a conversation early
            figures.setdefault(record["id"], []).append(_figures(record))
    return {
        name: {figure: _mean(each, figure) for figure in FIGURES} for name, each in figures.items()
    }


def estimate(played: Mapping[str, int], past: Mapping[str, Figures]) -> Estimate:
    """Return the estimate for items, given id → number of conversations.

    A total is unknown if no item has records, or if the records of an item lack the figure.
    """
    there = [past[name] for name in played if name in past]
    usual = {figure: _mean(there, figure) for figure in FIGURES}
    each = [(count, past.get(name, usual)) for name, count in played.items()]
    seconds = [figures["seconds"] or 0.0 for _, figures in each]
    totals = {
        figure: _sum([(count, figures[figure]) for count, figures in each]) for figure in FIGURES
    }
    return Estimate(totals, max(seconds, default=0.0), len(played) - len(there))


def _figures(record: SpentRecord) -> Figures:
    """Return the figures of a record; tokens and cost are unknown if the agent's are."""
    usage = record.get("usage", {})
    used = usage.values() if "agent" in usage else ()
    tokens = [part[name] for part in used for name in ("input_tokens", "output_tokens")]
    cost = [part["cost"] for part in used]
    sums = {"tokens": _sum([(1, n) for n in tokens]), "cost": _sum([(1, n) for n in cost])}
    return {**sums, "seconds": record.get("duration")}


def _mean(rows: Sequence[Figures], name: str) -> float | None:
    known = [value for row in rows if (value := row[name]) is not None]
    return fmean(known) if known and len(known) == len(rows) else None


def _sum(parts: Sequence[tuple[int, float | None]]) -> float | None:
    known = [count * value for count, value in parts if value is not None]
    return sum(known) if known and len(known) == len(parts) else None
