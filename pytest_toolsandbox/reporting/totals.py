"""Means over the scenarios of a run, and the minimums that they must reach."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Protocol

from pytest_toolsandbox.language.categories import CATEGORIES
from pytest_toolsandbox.language.variants import augmentations_in_order
from pytest_toolsandbox.records.record import Summary

from .feedback_arms import arms

ALL = "all scenarios"
"""The name of the total over everything; it has a space, so no category can have it."""
ROUNDING = 1e-9
"""By how much a mean may miss its minimum: floats are not exact."""


@dataclass(frozen=True)
class Total:
    """The items of a category or of an augmentation, or all of them.

    An item of several trials counts once: it passed if all of them did, it is an error if one of
    them is, and its numbers are their means. ``score``, in [0, 1], ``turns`` and ``tool_calls``
    are means over the items without errors, ``None`` if all have one.
    """

    name: str
    items: int
    passed: int
    errors: int
    score: float | None
    turns: float | None
    tool_calls: float | None

    @property
    def failed(self) -> int:
        """How many were scored and did not pass."""
        return self.items - self.passed - self.errors


class Minimum(Protocol):
    """A mean score that a category (or an augmentation) must reach, or all items (``None``).

    It is ``required`` where it is missed if nothing was scored.
    """

    @property
    def category(self) -> str | None:
        """The category, or ``None`` for all."""

    @property
    def score(self) -> float:
        """The least mean, from 0 to 1."""

    @property
    def required(self) -> bool:
        """Whether it is missed where nothing was scored."""


def totals(records: Sequence[Summary]) -> list[Total]:
    """Return the total of every category that occurs and, last, of all.

    ToolSandbox's categories come in the order of its tables (5 and 11), then others by name.
    """
    items = _items(records)
    by_category = [
        _total(name, [trials for trials in items if name in trials[0]["categories"]])
        for name in in_order(name for record in records for name in record["categories"])
    ]
    return [*by_category, _total(ALL, items)]


def augmented_totals(records: Sequence[Summary]) -> list[Total]:
    """Return the total of every augmentation that occurs, in the order of ToolSandbox's tables."""
    groups = _grouped(records, lambda record: record.get("variant"))
    return [_total(name, groups[name]) for name in augmentations_in_order(groups)]


def parameter_totals(records: Sequence[Summary]) -> list[Total]:
    """Return the total of every id of parameters, of agents where their fixture is parametrized."""
    groups = _grouped(records, parameter_of)
    return [_total(f"[{name}]", groups[name]) for name in sorted(groups)]


def parameter_of(record: Summary) -> str | None:
    """Return the id of the parameters of a record's fixtures, less those that are ours."""
    settings = record.get("agent_settings")
    return settings["parameter"] if settings else None


def feedback_totals(records: Sequence[Summary]) -> list[Total]:
    """Return the totals with feedback and without, of what was played both ways."""
    return [_total(name, items) for name, items in arms(_items(records))]


def in_order(categories: Iterable[str]) -> list[str]:
    """Return each category once: those of ToolSandbox in its order, then the others by name."""
    found = set(categories)
    return [*(name for name in CATEGORIES if name in found), *sorted(found - set(CATEGORIES))]


def by_item(records: Iterable[Summary]) -> dict[str, list[Summary]]:
    """Return the id of each item → its records, one for each trial."""
    items: dict[str, list[Summary]] = {}
    for record in records:
        items.setdefault(record["id"], []).append(record)
    return items


def _items(records: Iterable[Summary]) -> list[list[Summary]]:
    return list(by_item(records).values())


def _grouped(
    records: Iterable[Summary], key: Callable[[Summary], str | None]
) -> dict[str, list[list[Summary]]]:
    """Return key → the items that have it."""
    groups: dict[str, list[list[Summary]]] = {}
    for trials in _items(records):
        if name := key(trials[0]):
            groups.setdefault(name, []).append(trials)
    return groups


def _total(name: str, items: Sequence[Sequence[Summary]]) -> Total:
    scored = [trials for trials in items if len(scores_of(trials)) == len(trials)]
    passed = [all(record["outcome"] == "passed" for record in trials) for trials in scored]
    return Total(
        name,
        len(items),
        sum(passed),
        len(items) - len(scored),
        mean(mean(scores["score"] for scores in scores_of(trials)) for trials in scored),
        mean(mean(record["counts"]["turns"] for record in trials) for trials in scored),
        mean(mean(record["counts"]["tool_calls"] for record in trials) for trials in scored),
    )


def scores_of(trials: Iterable[Summary]) -> list[dict[str, float]]:
    """Return the scores of trials, of those that have any."""
    return [scores for record in trials if (scores := record["scores"])]


def mean(numbers: Iterable[float | None]) -> float | None:
    """Return the mean of the numbers, in any order; ``None`` without numbers."""
    values = [value for value in numbers if value is not None]
    return fsum(values) / len(values) if values else None


def shortfalls(records: Sequence[Summary], minimums: Iterable[Minimum]) -> list[str]:
    """Return a line for each minimum that is not reached."""
    by_name = {total.name: total for total in (*augmented_totals(records), *totals(records))}
    lines = (_shortfall(by_name.get(item.category or ALL), item) for item in minimums)
    return [line for line in lines if line]


def without_minimum(records: Sequence[Summary], minimums: Iterable[Minimum]) -> list[str]:
    """Return the ids of the failed items whose score is in no mean that has a minimum."""
    names = {minimum.category for minimum in minimums}
    return [
        identifier
        for identifier, trials in by_item(records).items()
        if any(record["outcome"] == "failed" for record in trials)
        and not names & {None, trials[0].get("variant"), *trials[0]["categories"]}
    ]


def _shortfall(total: Total | None, minimum: Minimum) -> str | None:
    name = minimum.category or ALL
    if total is None or total.score is None:
        text = f"min-score: {name} must reach {minimum.score:g}, but nothing was scored"
        return text if minimum.required else None
    if total.score >= minimum.score - ROUNDING:
        return None
    return f"min-score: {name} reached {total.score:.4f}, less than {minimum.score:g}"
