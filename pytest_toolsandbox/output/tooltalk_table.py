"""ToolTalk's figures of a run: a row for each split and plugin, as in the paper's table 1.

There are also rows for which tools an agent is shown, the ``api_mode`` of the published code.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Literal

from pytest_toolsandbox.language.variants import augmentations_in_order, shows_true_names
from pytest_toolsandbox.records.parts import CallCountsRecord, ErrorKind
from pytest_toolsandbox.records.record import Summary
from pytest_toolsandbox.scoring.tooltalk.evaluate_calls import CallCounts

from .tables import ReportColumn, ReportTable, Total, aligned, figure_row, figures, properties
from .totals import by_agent, by_feedback, by_player, categories_in_order, grouped, mean

_PREFIX = "toolsandbox.calls"
BY_WORDS = "Free texts were compared by words (F1): not comparable with published tables."
_ERRORS: Mapping[ErrorKind, str] = {
    "over_trigger": "over-trigger",
    "bad_planning": "bad planning",
    "bad_call": "bad call",
}
"""The kinds of errors, in the words of the published analysis."""


def _rate(name: str, counts: Iterable[CallCountsRecord]) -> float | None:
    """Return a rate of counts, which are added up first, then divided once."""
    rate: float | None = getattr(sum((CallCounts(**each) for each in counts), CallCounts()), name)
    return rate


RATES: Sequence[ReportColumn[CallCountsRecord]] = tuple(
    ReportColumn(heading, partial(_rate, rate), ".1%", name)
    for heading, rate, name in (
        ("precision", "precision", "precision"),
        ("recall", "recall", "recall"),
        ("incorrect actions", "bad_action_rate", "incorrect_action_rate"),
    )
)
"""The columns that plugins and tools have as well: the figures of their calls."""


def _of_conversations(column: ReportColumn[CallCountsRecord]) -> ReportColumn[Summary]:
    def value(records: Iterable[Summary]) -> float | None:
        return column.value([record["calls"]["counts"] for record in records])

    return ReportColumn(column.heading, value, column.form, column.name)


def _mean(name: Literal["success", "soft_success"], records: Iterable[Summary]) -> float | None:
    return mean(record["calls"][name] for record in records)


def _error_kinds(records: Sequence[Summary]) -> dict[ErrorKind, int]:
    return {kind: _errors(kind, records) for kind in _ERRORS}


def _errors(kind: ErrorKind, records: Iterable[Summary]) -> int:
    return sum(record["calls"]["errors"][kind] for record in records)


CALL_COLUMNS: Sequence[ReportColumn[Summary]] = (
    ReportColumn("", len),
    ReportColumn("success", partial(_mean, "success"), ".1%", "success_rate"),
    ReportColumn(None, partial(_mean, "soft_success"), name="soft_success"),
    *map(_of_conversations, RATES),
    *(ReportColumn(None, partial(_errors, kind), name=kind) for kind in _ERRORS),
)
"""The columns of conversations, which succeed as wholes."""


def call_lines(records: Iterable[Summary]) -> list[str]:
    """Return the table of replayed conversations, if there are any."""
    table = call_table(records)
    if not table.items:
        return []
    players = by_agent(table.items, _itself) or [Total("", table.items)]
    rows = table.rows()
    for played in players:
        plugins = (figure_row(plugin, RATES) for plugin in _plugins(played))
        rows += [(), *((name, "", "", *rates) for name, *rates in plugins)]
    lines = aligned(rows)
    kinds = (error_kinds_line(_error_kinds(played.items), played.name) for played in players)
    if errors := [*filter(None, kinds)]:
        lines += ["", *errors]
    return [*lines, BY_WORDS] if _by_words(table.items) else lines


def error_kinds_line(errors: Mapping[ErrorKind, int], agent: str = "") -> str:
    """Return how many errors there are of each kind; an empty text without errors."""
    parts = ", ".join(f"{errors[kind]} {name}" for kind, name in _ERRORS.items() if errors[kind])
    whose = f" of {agent}" if agent else ""
    return f"errors{whose}: {parts}" if parts else ""


def call_properties(records: Iterable[Summary]) -> dict[str, object]:
    """Return the figures of replayed conversations as properties of a suite."""
    table = call_table(records)
    if not table.items:
        return {}
    return {
        **table.properties(_PREFIX),
        **properties(_PREFIX, _plugins(Total("", table.items)), RATES),
        **properties(_PREFIX, chain(*map(_plugins, by_agent(table.items, _itself))), RATES),
        f"{_PREFIX}.similarity": "token_f1" if _by_words(table.items) else "cosine",
    }


def item_call_properties(trials: Sequence[Summary]) -> dict[str, object]:
    """Return the figures of a replayed conversation as properties of its item."""
    if not all("calls" in trial for trial in trials):
        return {}
    calls = trials[0]["calls"]
    about = {"protocol": calls["protocol"], "similarity": calls["similarity"]}
    return {**figures(trials, CALL_COLUMNS), **about}


def call_table(records: Iterable[Summary]) -> ReportTable[Summary]:
    """Return the figures of recorded conversations, of each split, and of what agents are shown."""
    replayed = [record for record in records if "calls" in record]
    splits = grouped(replayed, lambda record: record["categories"], categories_in_order)
    shown = grouped(replayed, _tools_shown, augmentations_in_order)
    apart = [*by_player(replayed, _itself), shown, by_feedback(replayed, _itself)]
    return ReportTable("replayed conversations", CALL_COLUMNS, replayed, splits, apart)


def plugin_table(records: Iterable[Summary]) -> ReportTable[CallCountsRecord]:
    """Return the figures of the calls of each plugin in recorded conversations, and of all."""
    replayed = [record for record in records if "calls" in record]
    counts = [record["calls"]["counts"] for record in replayed]
    return ReportTable("plugins", RATES, counts, _plugins(Total("", replayed)))


def tool_table(records: Iterable[Summary]) -> ReportTable[CallCountsRecord]:
    """Return the same figures for each tool; records of earlier versions have none."""
    counted = [record["calls"] for record in records if "tools" in record.get("calls", {})]
    tools: dict[str, list[CallCountsRecord]] = {}
    for calls in counted:
        for tool, counts in calls["tools"].items():
            tools.setdefault(tool, []).append(counts)
    everything = [calls["counts"] for calls in counted]
    totals = [Total(tool, tools[tool]) for tool in sorted(tools)]
    return ReportTable("tools", RATES, everything, totals)


def _itself(record: Summary) -> Summary:
    return record


def _tools_shown(record: Summary) -> list[str]:
    """Return the augmentation that says which tools are offered, if it does not scramble names."""
    variant = record.get("variant")
    return [variant] if variant and shows_true_names(variant) else []


def _plugins(played: Total[Summary]) -> list[Total[CallCountsRecord]]:
    """Return the counts of each plugin, in the conversations of an agent or of all."""
    counts: dict[str, list[CallCountsRecord]] = {}
    for record in played.items:
        for plugin, of_record in record["calls"]["plugins"].items():
            counts.setdefault(plugin, []).append(of_record)
    return [
        Total(
            " ".join(filter(None, [played.name, plugin])),
            counts[plugin],
            ".".join(filter(None, [played.key, "plugin", plugin])),
        )
        for plugin in sorted(counts)
    ]


def _by_words(records: Iterable[Summary]) -> bool:
    return any(record["calls"]["similarity"] == "token_f1" for record in records)
