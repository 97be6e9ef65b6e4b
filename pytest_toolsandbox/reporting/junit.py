"""Properties for JUnit XML: of each scenario, and of the whole suite."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_toolsandbox.records.record import Summary

from .error_table import error_properties, item_error_properties
from .tooltalk_table import call_properties, item_call_properties
from .totals import (
    ALL,
    Total,
    augmented_totals,
    feedback_totals,
    mean,
    parameter_totals,
    scores_of,
    totals,
)

DIGITS = 6


def item_properties(records: Sequence[Summary]) -> dict[str, object]:
    """Return the properties of an item: means over its trials, its categories, its variant.

    An item that is an error has no scores; most have no variant.
    """
    scored = scores_of(records)
    names = scored[0] if len(scored) == len(records) else ()
    counts = [record["counts"] for record in records]
    variant = records[0].get("variant")
    return {
        **{name: _mean([scores[name] for scores in scored]) for name in names},
        "turn_count": _mean([count["turns"] for count in counts]),
        "tool_calls": _mean([count["tool_calls"] for count in counts]),
        "categories": ",".join(records[0]["categories"]),
        **({"variant": variant} if variant else {}),
        **item_call_properties(records),
        **item_error_properties(records),
    }


def suite_properties(records: Sequence[Summary], unread_files: int = 0) -> dict[str, object]:
    """Return the properties of the suite: counts and means of categories, augmentations and all.

    Without any record and any unread file the result is empty.
    """
    properties: dict[str, object] = {}
    if unread_files:
        properties["toolsandbox.unread_files"] = unread_files
    for total in totals(records) if records else ():
        prefix = "toolsandbox" if total.name == ALL else f"toolsandbox.{total.name}"
        properties |= _properties(prefix, total)
    properties |= call_properties(records)
    properties |= error_properties(records)
    for total in parameter_totals(records):
        properties |= _properties(f"toolsandbox.parameter.{total.name[1:-1]}", total)
    for total in augmented_totals(records):
        properties |= _properties(f"toolsandbox.variant.{total.name}", total)
    for total in feedback_totals(records):
        properties |= _properties(f"toolsandbox.{total.name.replace(' ', '_')}", total)
    return properties


def _properties(prefix: str, total: Total) -> dict[str, object]:
    counts = {"scenarios": total.items, "passed": total.passed, "errors": total.errors}
    means = {"score": total.score, "turn_count": total.turns, "tool_calls": total.tool_calls}
    rounded = {name: round(value, DIGITS) for name, value in means.items() if value is not None}
    return {f"{prefix}.{name}": value for name, value in {**counts, **rounded}.items()}


def _mean(values: Sequence[float]) -> float | None:
    """Return the mean: of equal numbers the number itself, so that one count stays an integer."""
    if len(set(values)) == 1:
        return values[0] if isinstance(values[0], int) else round(values[0], DIGITS)
    rounded = mean(values)
    return None if rounded is None else round(rounded, DIGITS)
