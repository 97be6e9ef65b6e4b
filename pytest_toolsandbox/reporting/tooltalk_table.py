"""ToolTalk's figures of a run: a row for each split and plugin, as in the paper's table 1."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from pytest_toolsandbox.evaluation.tooltalk.error_kinds import CallErrors
from pytest_toolsandbox.evaluation.tooltalk.metrics import CallCounts, share
from pytest_toolsandbox.records.record import CallCountsRecord, Summary

from .feedback_arms import arms
from .tables import aligned, with_total
from .totals import ALL, by_item, in_order, mean

HEADER = ("replayed conversations", "", "success", "precision", "recall", "incorrect actions")
BY_WORDS = (
    "Free texts were compared by the F1 of their words: figures are not comparable with published "
    "tables."
)
ERRORS = {"over_trigger": "over-trigger", "bad_planning": "bad planning", "bad_call": "bad call"}
"""The kinds of errors, in the words of the published analysis."""


@dataclass(frozen=True)
class CallTotal:
    """The figures of several replayed conversations: counts added up, then divided once.

    A plugin's figures are those of calls of its tools; conversations succeed as wholes, and have
    kinds of errors. ``soft_success`` is the mean over those that have any true calls.
    """

    name: str
    conversations: int | None
    successes: int | None
    counts: CallCounts
    soft_success: float | None = None
    errors: CallErrors | None = None

    @property
    def success_rate(self) -> float | None:
        """The share of the conversations that succeeded, ``None`` of a plugin."""
        if self.conversations is None or self.successes is None:
            return None
        return share(self.successes, self.conversations)


@dataclass(frozen=True)
class Replays:
    """The records of conversations that were replayed to their end."""

    records: Sequence[Summary]

    @classmethod
    def among(cls, records: Iterable[Summary]) -> Replays:
        """Return those among the records of a run."""
        return cls([record for record in records if "calls" in record])

    @cached_property
    def splits(self) -> list[CallTotal]:
        """The figures of every category that occurs and, last, of all."""
        names = in_order(name for record in self.records for name in record["categories"])
        parts = [(name, [r for r in self.records if name in r["categories"]]) for name in names]
        return [_total(name, part) for name, part in (*parts, (ALL, self.records))]

    @cached_property
    def arms(self) -> list[CallTotal]:
        """The figures with feedback and without, of what was played both ways."""
        items = by_item(self.records).values()
        return [_total(name, chain.from_iterable(part)) for name, part in arms(items)]

    @cached_property
    def plugins(self) -> list[CallTotal]:
        """The figures of every plugin that occurs, by name."""
        names = sorted({name for record in self.records for name in record["calls"]["plugins"]})
        counts = {
            name: [
                r["calls"]["plugins"][name] for r in self.records if name in r["calls"]["plugins"]
            ]
            for name in names
        }
        return [CallTotal(name, None, None, _sum(counts[name])) for name in names]

    @property
    def by_words(self) -> bool:
        """Whether free texts were compared by their words."""
        return any(record["calls"]["similarity"] == "token_f1" for record in self.records)


def call_lines(records: Sequence[Summary]) -> list[str]:
    """Return the table of replayed conversations, if there are any."""
    replays = Replays.among(records)
    if not replays.records:
        return []
    *_, everything = replays.splits
    *splits, whole = map(_cells, replays.splits)
    rows = with_total(splits, [list(map(_cells, replays.arms))], whole)
    plugins = [_cells(total) for total in replays.plugins]
    lines = aligned([HEADER, *rows, (), *plugins])
    if everything.errors and (errors := error_line(everything.errors)):
        lines += ["", errors]
    return [*lines, BY_WORDS] if replays.by_words else lines


def error_line(errors: CallErrors) -> str:
    """Write how many errors there are of each kind; an empty text without errors."""
    found = {ERRORS[name]: count for name, count in vars(errors).items() if count}
    parts = ", ".join(f"{count} {name}" for name, count in found.items())
    return f"errors: {parts}" if parts else ""


def call_properties(records: Sequence[Summary]) -> dict[str, object]:
    """Return the figures of replayed conversations as properties of a suite."""
    replays = Replays.among(records)
    properties: dict[str, object] = {}
    for total in (*replays.splits, *replays.arms) if replays.records else ():
        name = total.name.replace(" ", "_")
        prefix = "toolsandbox.calls" if total.name == ALL else f"toolsandbox.calls.{name}"
        properties |= {f"{prefix}.{name}": value for name, value in _figures(total).items()}
    for total in replays.plugins:
        prefix = f"toolsandbox.calls.plugin.{total.name}"
        properties |= {f"{prefix}.{name}": value for name, value in _figures(total).items()}
    if replays.records:
        properties["toolsandbox.calls.similarity"] = "token_f1" if replays.by_words else "cosine"
    return properties


def item_call_properties(trials: Sequence[Summary]) -> dict[str, object]:
    """Return the figures of a replayed conversation, over its trials, as properties of its item.

    The result is empty for an error, and for any other protocol.
    """
    if not all("calls" in record for record in trials):
        return {}
    calls = trials[0]["calls"]
    figures = _figures(_total("", trials))
    return {**figures, "protocol": calls["protocol"], "similarity": calls["similarity"]}


def _figures(total: CallTotal) -> dict[str, object]:
    counts = total.counts
    figures = {
        "success_rate": total.success_rate,
        "soft_success": total.soft_success,
        "precision": counts.precision,
        "recall": counts.recall,
        "incorrect_action_rate": counts.bad_action_rate,
    }
    rounded = {name: round(value, 6) for name, value in figures.items() if value is not None}
    return {**rounded, **(vars(total.errors) if total.errors else {})}


def _total(name: str, played: Iterable[Summary]) -> CallTotal:
    records = list(played)
    successes = sum(record["calls"]["success"] for record in records)
    counts = _sum(record["calls"]["counts"] for record in records)
    soft = mean(record["calls"]["soft_success"] for record in records)
    errors = (CallErrors(**record["calls"]["errors"]) for record in records)
    return CallTotal(name, len(records), successes, counts, soft, sum(errors, CallErrors()))


def _sum(counts: Iterable[CallCountsRecord]) -> CallCounts:
    return sum((CallCounts(**one) for one in counts), CallCounts())


def _cells(total: CallTotal) -> tuple[str, ...]:
    counts = total.counts
    rates = (counts.precision, counts.recall, counts.bad_action_rate)
    if total.conversations is None:
        return (total.name, "", "", *map(percent, rates))
    success = percent(total.success_rate)
    return (total.name, str(total.conversations), success, *map(percent, rates))


def percent(value: float | None) -> str:
    """Write a share; ``n/a`` where there is nothing to share."""
    return "n/a" if value is None else f"{value:.1%}"
