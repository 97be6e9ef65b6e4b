"""Means over the scenarios of a run, and the minimums that they must reach."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .records import Record

ALL = "all"


@dataclass(frozen=True)
class Total:
    """The scenarios of a category (or all) that were scored; errors are counted apart.

    ``score``, in [0, 1], ``turns`` and ``tool_calls`` are means over the scored ones, ``None``
    where there are none.
    """

    name: str
    scored: int
    passed: int
    errors: int
    score: float | None
    turns: float | None
    tool_calls: float | None


def totals(records: Sequence[Record]) -> list[Total]:
    """Return the total of every category that occurs, in alphabetical order, and of all."""
    categories = sorted({name for record in records for name in record["categories"]})
    by_category = [
        _total(name, [record for record in records if name in record["categories"]])
        for name in categories
    ]
    return [*by_category, _total(ALL, records)]


def _total(name: str, records: Sequence[Record]) -> Total:
    scored = [record for record in records if record["scores"] is not None]
    return Total(
        name,
        len(scored),
        sum(record["outcome"] == "passed" for record in scored),
        len(records) - len(scored),
        _mean(record["scores"]["score"] for record in scored),
        _mean(record["counts"]["turns"] for record in scored),
        _mean(record["counts"]["tool_calls"] for record in scored),
    )


def _mean(numbers: Iterable[float]) -> float | None:
    values = list(numbers)
    return sum(values) / len(values) if values else None


def shortfalls(
    records: Sequence[Record], minimums: Iterable[tuple[str | None, float]]
) -> list[str]:
    """Return a line for each minimum, of a category or of all (``None``), that is not reached."""
    by_name = {total.name: total for total in totals(records)}
    lines = []
    for category, minimum in minimums:
        name = category or ALL
        total = by_name.get(name)
        if total is None or total.score is None:
            lines.append(f"min-score: {name} was to reach {minimum:g}, but nothing was scored")
        elif total.score < minimum:
            lines.append(f"min-score: {name} reached {total.score:.4f}, less than {minimum:g}")
    return lines
