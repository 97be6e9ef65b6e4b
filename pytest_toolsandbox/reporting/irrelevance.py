"""What something irrelevant in a query does to the names of functions (SpecTool's figure 5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from .tables import ALL_SCENARIOS, ReportColumn, Total, aligned, properties, table
from .totals import Items, Trials, arms, grouped, item_mean

IRRELEVANCE_PREFIX = "toolsandbox.error_patterns.irrelevance"

Pair = tuple[Trials, Trials]
"""The trials of a query, and of the same with something irrelevant added."""


def _names_score(pairs: Sequence[Pair], which: int) -> float | None:
    trials = [pair[which] for pair in pairs]
    return item_mean(trials, lambda record: record["error_patterns"]["scores"]["IFN"])


IRRELEVANCE_COLUMNS: Sequence[ReportColumn[Pair]] = (
    ReportColumn("pairs", "pairs", len),
    ReportColumn("IFN without", "IFN_base", partial(_names_score, which=0), ".2f"),
    ReportColumn("IFN with", "IFN", partial(_names_score, which=1), ".2f"),
)
"""The mean scores of incorrect function names (section 7.2.1 and figure 5)."""


def irrelevance_lines(items: Items) -> list[str]:
    """Return the table of the queries that were asked both ways, if there are any.

    Worlds have a row each if they are several.
    """
    pairs = list(_pairs(items))
    if not pairs:
        return []
    apart, everything = [_arms(pairs)], Total(ALL_SCENARIOS, pairs)
    return aligned(
        table("irrelevance added", IRRELEVANCE_COLUMNS, _worlds(pairs), apart, everything)
    )


def irrelevance_properties(items: Items) -> dict[str, object]:
    """Return the same as properties of a suite."""
    pairs = list(_pairs(items))
    everything = [Total(ALL_SCENARIOS, pairs)] if pairs else []
    return properties(
        IRRELEVANCE_PREFIX, [*_worlds(pairs), *_arms(pairs), *everything], IRRELEVANCE_COLUMNS
    )


def _worlds(pairs: Sequence[Pair]) -> list[Total[Pair]]:
    worlds = grouped(pairs, lambda pair: [pair[1][0]["world"]])
    return worlds if len(worlds) > 1 else []


def _arms(pairs: Sequence[Pair]) -> list[Total[Pair]]:
    return arms(pairs, lambda pair: pair[1][0])


def _pairs(items: Items) -> Iterator[Pair]:
    played = {trials[0]["id"]: trials for trials in items}
    for name, trials in played.items():
        query = trials[0].get("query")
        if query and query["manner"] == "irrelevance":
            base = played.get(_beside(name, query["base"] or ""))
            if base is not None:
                yield base, trials


def _beside(identifier: str, scenario: str) -> str:
    """Return the identifier of another scenario of the same file, played in the same way."""
    file, separator, rest = identifier.partition("::")
    _, bracket, parameters = rest.partition("[")
    return f"{file}{separator}{scenario}{bracket}{parameters}"
