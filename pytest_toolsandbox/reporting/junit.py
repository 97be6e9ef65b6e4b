"""Properties for JUnit XML: of each scenario, and of the whole suite."""

from __future__ import annotations

from collections.abc import Sequence

from .records import Record
from .totals import ALL, totals

DIGITS = 6


def item_properties(records: Sequence[Record]) -> dict[str, object]:
    """Return the properties of an item: means over its trials, and its categories."""
    first = records[0]
    scores = {name: _mean([r["scores"][name] for r in records]) for name in first["scores"]}
    return {
        **scores,
        "turn_count": _mean([record["counts"]["turns"] for record in records]),
        "tool_calls": _mean([record["counts"]["tool_calls"] for record in records]),
        "categories": ",".join(first["categories"]),
    }


def suite_properties(records: Sequence[Record]) -> dict[str, object]:
    """Return the properties of the suite: the mean score of every category and of all."""
    properties: dict[str, object] = {}
    for total in totals(records):
        prefix = "toolsandbox" if total.name == ALL else f"toolsandbox.{total.name}"
        properties[f"{prefix}.scenarios"] = total.scored
        properties[f"{prefix}.errors"] = total.errors
        if total.score is not None:
            properties[f"{prefix}.score"] = round(total.score, DIGITS)
    return properties


def _mean(values: Sequence[float]) -> float:
    mean = sum(values) / len(values)
    return (
        int(mean)
        if mean == int(mean) and all(isinstance(v, int) for v in values)
        else round(mean, DIGITS)
    )
