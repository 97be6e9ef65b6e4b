"""ToolTalk's figures of a run: a row for each split and plugin, as in the paper's table 1."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Literal

from pytest_toolsandbox.evaluation.tooltalk.metrics import CallCounts
from pytest_toolsandbox.records.record import CallCountsRecord, ErrorKind, Summary

from .tables import ALL_SCENARIOS, ReportColumn, Total, aligned, figures, properties, row, table
from .totals import arms, grouped, in_order, mean

CALL_PREFIX = "toolsandbox.calls"
BY_WORDS = (
    "Free texts were compared by the F1 of their words: figures are not comparable with published "
    "tables."
)
ERRORS: Mapping[ErrorKind, str] = {
    "over_trigger": "over-trigger",
    "bad_planning": "bad planning",
    "bad_call": "bad call",
}
"""The kinds of errors, in the words of the published analysis."""


def _rate(name: str, counts: Iterable[CallCountsRecord]) -> float | None:
    """Return a rate of counts, which are added up first, then divided once."""
    rate: float | None = getattr(sum((CallCounts(**one) for one in counts), CallCounts()), name)
    return rate


RATES: Sequence[ReportColumn[CallCountsRecord]] = (
    ReportColumn("precision", "precision", partial(_rate, "precision"), ".1%"),
    ReportColumn("recall", "recall", partial(_rate, "recall"), ".1%"),
    ReportColumn(
        "incorrect actions", "incorrect_action_rate", partial(_rate, "bad_action_rate"), ".1%"
    ),
)
"""The columns that plugins have as well: the figures of calls of their tools."""


def _of_conversations(column: ReportColumn[CallCountsRecord]) -> ReportColumn[Summary]:
    def value(records: Iterable[Summary]) -> float | None:
        return column.value([record["calls"]["counts"] for record in records])

    return ReportColumn(column.heading, column.name, value, column.form)


def _mean(name: Literal["success", "soft_success"], records: Iterable[Summary]) -> float | None:
    return mean(record["calls"][name] for record in records)


def _errors(kind: ErrorKind, records: Iterable[Summary]) -> int:
    return sum(record["calls"]["errors"][kind] for record in records)


CALL_COLUMNS: Sequence[ReportColumn[Summary]] = (
    ReportColumn("", None, len),
    ReportColumn("success", "success_rate", partial(_mean, "success"), ".1%"),
    ReportColumn(None, "soft_success", partial(_mean, "soft_success")),
    *map(_of_conversations, RATES),
    *(ReportColumn(None, kind, partial(_errors, kind)) for kind in ERRORS),
)
"""The columns of conversations, which succeed as wholes."""


def call_lines(records: Iterable[Summary]) -> list[str]:
    """Return the table of replayed conversations, if there are any."""
    replayed = _replayed(records)
    if not replayed:
        return []
    apart, everything = [_arms(replayed)], Total(ALL_SCENARIOS, replayed)
    rows = table("replayed conversations", CALL_COLUMNS, _splits(replayed), apart, everything)
    plugins = [row(plugin, RATES) for plugin in _plugins(replayed)]
    lines = aligned([*rows, (), *((name, "", "", *rates) for name, *rates in plugins)])
    if errors := error_kinds_line({kind: _errors(kind, replayed) for kind in ERRORS}):
        lines += ["", errors]
    return [*lines, BY_WORDS] if _by_words(replayed) else lines


def error_kinds_line(errors: Mapping[ErrorKind, int]) -> str:
    """Write how many errors there are of each kind; an empty text without errors."""
    parts = ", ".join(f"{errors[kind]} {name}" for kind, name in ERRORS.items() if errors[kind])
    return f"errors: {parts}" if parts else ""


def call_properties(records: Iterable[Summary]) -> dict[str, object]:
    """Return the figures of replayed conversations as properties of a suite."""
    replayed = _replayed(records)
    if not replayed:
        return {}
    totals = [*_splits(replayed), Total(ALL_SCENARIOS, replayed), *_arms(replayed)]
    return {
        **properties(CALL_PREFIX, totals, CALL_COLUMNS),
        **properties(f"{CALL_PREFIX}.plugin", _plugins(replayed), RATES),
        f"{CALL_PREFIX}.similarity": "token_f1" if _by_words(replayed) else "cosine",
    }


def item_call_properties(trials: Sequence[Summary]) -> dict[str, object]:
    """Return the figures of a replayed conversation, over its trials, as properties of its item.

    The result is empty for an error, and for any other protocol.
    """
    if len(_replayed(trials)) < len(trials):
        return {}
    calls = trials[0]["calls"]
    about = {"protocol": calls["protocol"], "similarity": calls["similarity"]}
    return {**figures(trials, CALL_COLUMNS), **about}


def _replayed(records: Iterable[Summary]) -> list[Summary]:
    """Return the records of conversations that were replayed to their end."""
    return [record for record in records if "calls" in record]


def _splits(records: Iterable[Summary]) -> list[Total[Summary]]:
    return grouped(records, lambda record: record["categories"], in_order)


def _arms(records: Sequence[Summary]) -> list[Total[Summary]]:
    return arms(records, lambda record: record)


def _plugins(records: Iterable[Summary]) -> list[Total[CallCountsRecord]]:
    counts: dict[str, list[CallCountsRecord]] = {}
    for record in records:
        for plugin, found in record["calls"]["plugins"].items():
            counts.setdefault(plugin, []).append(found)
    return [Total(plugin, counts[plugin]) for plugin in sorted(counts)]


def _by_words(records: Iterable[Summary]) -> bool:
    return any(record["calls"]["similarity"] == "token_f1" for record in records)
