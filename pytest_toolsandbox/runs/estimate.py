"""What conversations will use, about, as those of earlier records did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Final, NamedTuple

from pytest_toolsandbox.records.reading import usable_records
from pytest_toolsandbox.records.record import SpentRecord
from pytest_toolsandbox.records.verdict import SCORED

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
