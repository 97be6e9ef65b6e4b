"""Parts of a suite that take about the same time, the same ones on every machine."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pytest_toolsandbox.records.reading import usable_records
from pytest_toolsandbox.records.record import ShardRecord, TimedRecord


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
