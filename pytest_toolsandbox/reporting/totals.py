"""Means over the scenarios of a run: in all, by category, augmentation, agent and prompt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain
from operator import itemgetter

from pytest_toolsandbox.language.categories import CATEGORIES
from pytest_toolsandbox.language.variants import augmentations_in_order
from pytest_toolsandbox.records.reading import without_parameters
from pytest_toolsandbox.records.record import Summary
from pytest_toolsandbox.records.verdict import NOT_RUN, that_count, verdict
from pytest_toolsandbox.wording.redaction import redacted_line

from .summary_columns import SUMMARY_COLUMNS, Items, Trials
from .tables import Member, ReportTable, Total

NOBODY = "unknown"
"""The agent of a record of which no more is known than that it came to no end."""


def grouped(
    items: Iterable[Member],
    keys: Callable[[Member], Iterable[str]],
    order: Callable[[Iterable[str]], Iterable[str]] = sorted,
) -> list[Total[Member]]:
    """Return a total for every key that items have, in the order that is given."""
    groups: dict[str, list[Member]] = {}
    for item in items:
        for key in dict.fromkeys(keys(item)):
            groups.setdefault(key, []).append(item)
    return [Total(name, groups[name]) for name in order(groups)]


def summary_table(records: Iterable[Summary]) -> ReportTable[Trials]:
    """Return the means per category, and of all.

    ToolSandbox's categories come in the order of its tables (5 and 11), then others by name. Apart
    stand those of agents, of prompts and parameters of fixtures, of augmentations and of both arms
    of feedback.
    """
    items = by_item(records)
    return ReportTable(
        "",
        SUMMARY_COLUMNS,
        items,
        grouped(items, lambda trials: trials[0]["categories"], categories_in_order),
        [*players(items, itemgetter(0)), by_variant(items), arms(items, itemgetter(0))],
    )


def players(
    items: Sequence[Member], record_of: Callable[[Member], Summary]
) -> list[list[Total[Member]]]:
    """Return totals by agent where several play, by prompt and parameters, and by both."""
    named = grouped(items, lambda item: _agent(record_of(item)), list)
    parameters = grouped(items, lambda item: _parameter(record_of(item)))
    if len(named) <= 1:
        return [parameters]
    both = [
        Total(f"{one.name} {total.name}", total.items)
        for one in named
        for total in grouped(one.items, lambda item: _parameter(record_of(item)))
    ]
    return [named, parameters, both if len(both) > max(len(named), len(parameters)) else []]


def by_variant(items: Items) -> list[Total[Trials]]:
    """Return totals by augmentation."""
    return grouped(items, lambda t: filter(None, [t[0].get("variant")]), augmentations_in_order)


def arms(items: Sequence[Member], record_of: Callable[[Member], Summary]) -> list[Total[Member]]:
    """Return a total for each arm of feedback, of what was played both ways in its augmentation."""

    def arm(item: Member) -> list[str]:
        return ["feedback on" if record_of(item)["feedback"] else "feedback off"]

    def place(item: Member) -> list[str]:
        record = record_of(item)
        return [f"{without_parameters(record['id'])} {record.get('variant')}"]

    places = grouped(items, place)
    both = [place.items for place in places if len(grouped(place.items, arm)) > 1]
    return grouped(chain.from_iterable(both), arm, partial(sorted, reverse=True))


def categories_in_order(categories: Iterable[str]) -> list[str]:
    """Return each category once: those of ToolSandbox in its order, then the others by name."""
    found = set(categories)
    return [*(name for name in CATEGORIES if name in found), *sorted(found - set(CATEGORIES))]


def by_item(records: Iterable[Summary]) -> list[Trials]:
    """Return the records of each item that was run, those that count, in the order of the items."""
    items = (total.items for total in grouped(records, lambda record: [record["id"]], list))
    return [that_count(trials) for trials in items if verdict(trials) != NOT_RUN]


def _agent(record: Summary) -> list[str]:
    agent = record.get("agent", NOBODY)
    return [] if agent == NOBODY else [redacted_line(agent)]


def _parameter(record: Summary) -> list[str]:
    parameter = record["agent_settings"]["parameter"] if "agent_settings" in record else None
    return [f"[{parameter}]"] if parameter else []
