"""Properties for JUnit XML: of each scenario, and of the whole suite."""

from __future__ import annotations

from collections.abc import Sequence

from .records import Record
from .totals import ALL, mean, totals

DIGITS = 6


def item_properties(records: Sequence[Record]) -> dict[str, object]:
    """Return the properties of an item: means over its trials, and its categories.

    An item that is an error has no scores.
    """
    scored = [record["scores"] for record in records]
    names = scored[0] if all(scored) else ()
    counts = [record["counts"] for record in records]
    return {
        **{name: _mean([scores[name] for scores in scored]) for name in names},
        "turn_count": _mean([count["turns"] for count in counts]),
        "tool_calls": _mean([count["tool_calls"] for count in counts]),
        "categories": ",".join(records[0]["categories"]),
    }


def suite_properties(records: Sequence[Record], unread_files: int = 0) -> dict[str, object]:
    """Return the properties of the suite, with the means of every category and of all.

    There are none where no scenario was played and every file could be read.
    """
    properties: dict[str, object] = {}
    if unread_files:
        properties["toolsandbox.unread_files"] = unread_files
    for total in totals(records) if records else ():
        prefix = "toolsandbox" if total.name == ALL else f"toolsandbox.{total.name}"
        properties[f"{prefix}.scenarios"] = total.items
        properties[f"{prefix}.passed"] = total.passed
        properties[f"{prefix}.errors"] = total.errors
        if total.score is not None:
            properties[f"{prefix}.score"] = round(total.score, DIGITS)
    return properties


def _mean(values: Sequence[float]) -> float | None:
    """Return the mean: of equal numbers the number itself, so that one count stays an integer."""
    if len(set(values)) == 1:
        return values[0] if isinstance(values[0], int) else round(values[0], DIGITS)
    rounded = mean(values)
    return None if rounded is None else round(rounded, DIGITS)
