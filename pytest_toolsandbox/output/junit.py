"""Properties of JUnit XML: of each item, and of the whole suite."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_toolsandbox.records.record import Summary
from pytest_toolsandbox.records.trials import counted_trials, planned_trials, played_items
from pytest_toolsandbox.text.redaction import redacted_line

from .error_table import error_properties, item_error_properties
from .quarantine import counted_in_gates
from .robustness_table import item_robustness_properties, robustness_properties
from .tables import DIGITS
from .tooltalk_table import call_properties, item_call_properties
from .totals import mean, summary_table
from .usage_table import item_usage_properties, usage_properties, usage_words


def item_properties(records: Sequence[Summary]) -> dict[str, object]:
    """Return the properties of an item: means over its trials, its categories, its variant."""
    counted = counted_trials(records)
    scored = [scores for record in counted if (scores := record["scores"])]
    names = scored[0] if len(scored) == len(counted) else ()
    counts = [record["counts"] for record in counted]
    first = counted[0]
    properties: dict[str, object] = {
        **{name: _mean([scores[name] for scores in scored]) for name in names},
        "turn_count": _mean([count["turns"] for count in counts]),
        "tool_calls": _mean([count["tool_calls"] for count in counts]),
        "categories": ",".join(first["categories"]),
    }
    if variant := first.get("variant"):
        properties["variant"] = variant
    if planned_trials(counted)[0] > 1:
        passed = sum(record["outcome"] == "passed" for record in counted)
        properties |= {"trials": len(counted), "trials_passed": passed}
    if reason := first.get("quarantine"):
        properties["quarantine"] = reason
    properties |= _opinions(counted)
    if words := dict.fromkeys(record["words"] for record in counted if "words" in record):
        properties["words"] = ",".join(words)
    properties |= item_call_properties(counted) | item_error_properties(counted)
    properties |= item_robustness_properties(counted)
    return properties | item_usage_properties(records)


def passed_line(records: Sequence[Summary]) -> str:
    """Return a line for an item that passed, since some programs read no properties."""
    properties = item_properties(records)
    names = (("score", "score"), ("turn_count", "turns"), ("tool_calls", "calls"))
    figures = (f"{word} {properties[name]}" for name, word in names if name in properties)
    return "; ".join([", ".join(figures), *usage_words(records)])


def _opinions(records: Sequence[Summary]) -> dict[str, object]:
    """Return a judge's verdicts of an item's trials, and which criteria were met in each."""
    opinions = [record["opinion"] for record in records if "opinion" in record]
    if not opinions:
        return {}
    criteria: dict[str, list[str]] = {}
    for opinion in opinions:
        for criterion in opinion.get("criteria", ()):
            name = f"judge.criterion: {redacted_line(criterion['criterion'])}"
            criteria.setdefault(name, []).append("met" if criterion["met"] else "not met")
    return {
        "judge.verdict": ",".join(opinion["verdict"] for opinion in opinions),
        **{name: ",".join(results) for name, results in criteria.items()},
    }


def suite_properties(records: Sequence[Summary], unread_files: int = 0) -> dict[str, object]:
    """Return the properties of the suite: counts and means of categories, augmentations and all."""
    files = {"toolsandbox.unread_files": unread_files} if unread_files else {}
    apart = len(played_items(record for record in records if record.get("quarantine")))
    left_out: dict[str, object] = {**files, **({"toolsandbox.quarantined": apart} if apart else {})}
    records = counted_in_gates(records)
    if not records:
        return left_out
    return {
        **left_out,
        **summary_table(records).properties("toolsandbox"),
        **call_properties(records),
        **error_properties(records),
        **robustness_properties(records),
        **usage_properties(records),
    }


def _mean(values: Sequence[float]) -> float | None:
    """Return the mean; of equal numbers the number itself, so that a count stays an integer."""
    value = values[0] if len(set(values)) == 1 else mean(values)
    return None if value is None else round(value, DIGITS)
