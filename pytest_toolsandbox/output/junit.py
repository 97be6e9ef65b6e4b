"""Properties for JUnit XML: of each scenario, and of the whole suite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from operator import itemgetter

from pytest_toolsandbox.records.parts import OpinionRecord
from pytest_toolsandbox.records.record import Summary
from pytest_toolsandbox.records.trials import counted_trials, planned_trials, played_items
from pytest_toolsandbox.text.formatting import one_line

from .error_table import error_properties, item_error_properties
from .quarantine import counted_in_gates
from .tables import DIGITS, Total, properties
from .tooltalk_table import call_properties, item_call_properties
from .totals import SUMMARY_COLUMNS, arms, by_variant, mean, players, summary_table
from .usage_table import item_usage_properties, usage_properties, usage_words


def item_properties(records: Sequence[Summary]) -> dict[str, object]:
    """Return the properties of an item: means over its trials, its categories, its variant."""
    played, records = records, counted_trials(records)
    scored = [scores for record in records if (scores := record["scores"])]
    names = scored[0] if len(scored) == len(records) else ()
    counts = [record["counts"] for record in records]
    variant = records[0].get("variant")
    return {
        **{name: _mean([scores[name] for scores in scored]) for name in names},
        "turn_count": _mean([count["turns"] for count in counts]),
        "tool_calls": _mean([count["tool_calls"] for count in counts]),
        "categories": ",".join(records[0]["categories"]),
        **({"variant": variant} if variant else {}),
        **_trials(records),
        **({"quarantine": reason} if (reason := records[0].get("quarantine")) else {}),
        **_opinions(records),
        **_words(records),
        **item_call_properties(records),
        **item_error_properties(records),
        **item_usage_properties(played),
    }


def passed_line(records: Sequence[Summary]) -> str:
    """Return a line for an item that passed, since some programs read no properties."""
    properties = item_properties(records)
    names = (("score", "score"), ("turn_count", "turns"), ("tool_calls", "calls"))
    figures = (f"{word} {properties[name]}" for name, word in names if name in properties)
    return "; ".join([", ".join(figures), *usage_words(records)])


def _trials(records: Sequence[Summary]) -> dict[str, object]:
    """Return how many of an item's trials passed, of those that count, where there are several."""
    if planned_trials(records)[0] == 1:
        return {}
    passed = sum(record["outcome"] == "passed" for record in records)
    return {"trials": len(records), "trials_passed": passed}


def _opinions(records: Sequence[Summary]) -> dict[str, object]:
    """Return what a judge found in an item's trials, if it was asked."""
    asked = [record["opinion"] for record in records if "opinion" in record]
    if not asked:
        return {}
    return {
        "judge.verdict": ",".join(one["verdict"] for one in asked),
        **_criteria(asked),
    }


def _criteria(asked: Sequence[OpinionRecord]) -> dict[str, object]:
    """Return criterion → whether it was met in each of an item's trials."""
    found: dict[str, list[str]] = {}
    for opinion in asked:
        for one in opinion.get("criteria", ()):
            name = f"judge.criterion: {one_line(one['criterion'])}"
            found.setdefault(name, []).append("met" if one["met"] else "not met")
    return {name: ",".join(results) for name, results in found.items()}


def _words(records: Sequence[Summary]) -> dict[str, object]:
    """Return how the words of an item's trials were judged, where there were words to judge."""
    readings = dict.fromkeys(record["words"] for record in records if "words" in record)
    return {"words": ",".join(readings)} if readings else {}


def suite_properties(records: Sequence[Summary], unread_files: int = 0) -> dict[str, object]:
    """Return the properties of the suite: counts and means of categories, augmentations and all."""
    unread = {"toolsandbox.unread_files": unread_files} if unread_files else {}
    apart = len(played_items(one for one in records if one.get("quarantine")))
    records = counted_in_gates(records)
    unread |= {"toolsandbox.quarantined": apart} if apart else {}
    if not records:
        return {**unread}
    table = summary_table(records)
    *named, parameters = players(table.items, itemgetter(0))[:2]
    parameters = [Total(total.name[1:-1], total.items) for total in parameters]
    feedback = arms(table.items, itemgetter(0))
    return {
        **unread,
        **replace(table, apart=()).properties("toolsandbox"),
        **call_properties(records),
        **error_properties(records),
        **properties("toolsandbox.agent", chain(*named), SUMMARY_COLUMNS),
        **properties("toolsandbox.parameter", parameters, SUMMARY_COLUMNS),
        **properties("toolsandbox.variant", by_variant(table.items), SUMMARY_COLUMNS),
        **properties("toolsandbox", feedback, SUMMARY_COLUMNS),
        **usage_properties(records),
    }


def _mean(values: Sequence[float]) -> float | None:
    """Return the mean: of equal numbers the number itself, so that one count stays an integer."""
    value = values[0] if len(set(values)) == 1 else mean(values)
    return None if value is None else round(value, DIGITS)
