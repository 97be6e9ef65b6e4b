"""The columns of the summary of a run, which are properties of JUnit XML as well."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import fsum

from pytest_toolsandbox.records.record import Summary
from pytest_toolsandbox.records.verdict import SCORED, verdict

from .tables import ReportColumn

Trials = Sequence[Summary]
"""The records of an item, one for each trial."""
Items = Sequence[Trials]


def passed(items: Items) -> int:
    """Return how many items passed, with as many trials as they need."""
    return sum(verdict(trials) == "passed" for trials in items)


def errors(items: Items) -> int:
    """Return how many items are errors, or inconclusive."""
    return len(items) - len(_scored(items))


def item_mean(items: Items, figure: Callable[[Summary], float | None]) -> float | None:
    """Return a mean over items; one of several trials counts once, as their mean."""
    return mean(mean(map(figure, trials)) for trials in items)


def _mean_column(
    heading: str, name: str, form: str, figure: Callable[[Summary], float]
) -> ReportColumn[Trials]:
    """Return the column of a mean over the items without errors."""
    return ReportColumn(heading, lambda items: item_mean(_scored(items), figure), form, name)


MEAN_SCORE = _mean_column("score", "score", ".3f", lambda record: (record["scores"] or {})["score"])
SUMMARY_COLUMNS: Sequence[ReportColumn[Trials]] = (
    ReportColumn("items", len, name="scenarios"),
    ReportColumn("pass", passed, name="passed"),
    ReportColumn("fail", lambda items: len(items) - passed(items) - errors(items)),
    ReportColumn("error", errors, name="errors"),
    MEAN_SCORE,
    _mean_column("turns", "turn_count", ".1f", lambda record: record["counts"]["turns"]),
    _mean_column("calls", "tool_calls", ".1f", lambda record: record["counts"]["tool_calls"]),
)
"""The columns of the summary, which are properties of JUnit XML as well.

Headings are short, so that even the longest name of an augmentation leaves a row within 80 columns.
"""


def mean(numbers: Iterable[float | None]) -> float | None:
    """Return the mean of the numbers, in any order; ``None`` without numbers."""
    values = [value for value in numbers if value is not None]
    return fsum(values) / len(values) if values else None


def _scored(items: Items) -> list[Trials]:
    return [trials for trials in items if verdict(trials) in SCORED]
