"""Divide a suite into shards of about equal duration, by the records of an earlier run.

The shards are the same on every machine.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pytest_toolsandbox.records.parts import ShardRecord
from pytest_toolsandbox.records.reading import usable_records
from pytest_toolsandbox.records.record import TimedRecord


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
