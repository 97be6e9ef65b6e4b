"""Means over the items of a run: the columns of the summary, its rows, and minimum scores.

Rows are the run as a whole, categories, augmentations, agents, prompts and arms of feedback.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from math import fsum
from operator import itemgetter
from typing import Final, NamedTuple

from pytest_toolsandbox.gate.rates import Interval, wilson_interval
from pytest_toolsandbox.language.categories import CATEGORIES
from pytest_toolsandbox.language.variants import AUGMENTATIONS, augmentations_in_order
from pytest_toolsandbox.matchers.registry import ROUNDING
from pytest_toolsandbox.records.reading import without_parameters
from pytest_toolsandbox.records.record import Summary
from pytest_toolsandbox.records.trials import SCORED, played_items, verdict
from pytest_toolsandbox.text.formatting import join_words
from pytest_toolsandbox.text.nearest_name import did_you_mean
from pytest_toolsandbox.text.redaction import redacted_line

from .tables import ALL_SCENARIOS, Member, ReportColumn, ReportTable, Total

Trials = Sequence[Summary]
"""The records of an item, one for each trial."""
Items = Sequence[Trials]
_Z: Final = 1.959964
"""95 % of a normal distribution lie within so many standard deviations."""
_UNKNOWN_AGENT: Final = "unknown"
"""The agent of a record of an item whose process ended."""


def passed(items: Items) -> int:
    """Return how many items passed, with as many trials as they need."""
    return sum(verdict(trials) == "passed" for trials in items)


def _errors(items: Items) -> int:
    """Return how many items have no score: an error, or a user fault."""
    return len(items) - len(_scored(items))


def _scored(items: Items) -> list[Trials]:
    return [trials for trials in items if verdict(trials) in SCORED]


def mean(numbers: Iterable[float | None]) -> float | None:
    """Return the mean of the known numbers, the same in any order; ``None`` without numbers."""
    values = [value for value in numbers if value is not None]
    return fsum(values) / len(values) if values else None


def mean_interval(mean: float, count: int) -> Interval:
    """Return the 95 % interval of a mean of ``count`` values; raise ``ValueError`` without any."""
    if count < 1:
        raise ValueError("there is no interval without values")
    return wilson_interval(mean, count, _Z)


def item_mean(items: Items, figure: Callable[[Summary], float | None]) -> float | None:
    """Return a mean over items, each of which counts once, with the mean of its trials."""
    return mean(mean(map(figure, trials)) for trials in items)


def _mean_column(
    heading: str, name: str, form: str, figure: Callable[[Summary], float]
) -> ReportColumn[Trials]:
    """Return the column of a mean over the items that have a score."""
    return ReportColumn(heading, lambda items: item_mean(_scored(items), figure), form, name)


MEAN_SCORE = _mean_column("score", "score", ".3f", lambda record: (record["scores"] or {})["score"])
SUMMARY_COLUMNS: Sequence[ReportColumn[Trials]] = (
    ReportColumn("items", len, name="scenarios"),
    ReportColumn("pass", passed, name="passed"),
    ReportColumn("fail", lambda items: len(items) - passed(items) - _errors(items)),
    ReportColumn("error", _errors, name="errors"),
    MEAN_SCORE,
    _mean_column("turns", "turn_count", ".1f", lambda record: record["counts"]["turns"]),
    _mean_column("calls", "tool_calls", ".1f", lambda record: record["counts"]["tool_calls"]),
)
"""The columns of the summary, which are properties of JUnit XML as well.

Headings are short, so that a row with the longest augmentation fits into 80 columns.
"""


def summary_table(records: Iterable[Summary]) -> ReportTable[Trials]:
    """Return the means by category, and of all; apart from them by agent, variant and feedback.

    ToolSandbox's categories come in the order of its tables (5 and 11), then others by name.
    """
    items = played_items(records)
    return ReportTable(
        "",
        SUMMARY_COLUMNS,
        items,
        grouped(items, lambda trials: trials[0]["categories"], categories_in_order),
        [*by_player(items, itemgetter(0)), by_variant(items), by_feedback(items, itemgetter(0))],
    )


def grouped(
    items: Iterable[Member],
    keys: Callable[[Member], Iterable[str]],
    order: Callable[[Iterable[str]], Iterable[str]] = sorted,
) -> list[Total[Member]]:
    """Return a total for every key that items have, in the given order."""
    groups: dict[str, list[Member]] = {}
    for item in items:
        for key in dict.fromkeys(keys(item)):
            groups.setdefault(key, []).append(item)
    return [Total(name, groups[name]) for name in order(groups)]


_HELD: Final = {"milestones": "scenarios", "replay": "recorded conversations", "query": "queries"}
"""Protocol → what its scenarios are called in titles."""


def what_is_held(protocols: Iterable[str]) -> list[str]:
    """Return what there is, in words: scenarios, recorded conversations, queries."""
    kinds = {_HELD.get(protocol, "scenarios") for protocol in protocols}
    return [kind for kind in _HELD.values() if kind in kinds]


def toolsandbox_title(what: str, number: int, held: Sequence[str], link: str = " of ") -> str:
    """Return the title of a table of ToolSandbox; if it holds other things, it names them."""
    if held == [_HELD["milestones"]]:
        return f"{what} (ToolSandbox, table {number})"
    return f"{what}{link}{join_words(held, 'and')} (as ToolSandbox, table {number})"


def categories_in_order(categories: Iterable[str]) -> list[str]:
    """Return each category once: those of ToolSandbox in its order, then the others by name."""
    names = set(categories)
    return [*(name for name in CATEGORIES if name in names), *sorted(names - set(CATEGORIES))]


def by_player(
    items: Sequence[Member], record_of: Callable[[Member], Summary]
) -> list[list[Total[Member]]]:
    """Return totals by agent if there are several, by prompt and parameters, and by both."""

    def parameter(item: Member) -> list[str]:
        record = record_of(item)
        name = record["agent_settings"]["parameter"] if "agent_settings" in record else None
        return [f"[{name}]"] if name else []

    def by_parameter(items: Sequence[Member], agent: str = "") -> list[Total[Member]]:
        return [
            replace(total, name=f"{agent}{total.name}", key=f"parameter.{total.name[1:-1]}")
            for total in grouped(items, parameter)
        ]

    agents, parameters = by_agent(items, record_of), by_parameter(items)
    if not agents:
        return [parameters]
    both = [
        replace(total, key=f"{of_agent.key}.{total.key}")
        for of_agent in agents
        for total in by_parameter(of_agent.items, f"{of_agent.name} ")
    ]
    return [agents, parameters, both if len(both) > max(len(agents), len(parameters)) else []]


def by_agent(
    items: Sequence[Member], record_of: Callable[[Member], Summary]
) -> list[Total[Member]]:
    """Return totals by agent if there are several."""

    def agent(item: Member) -> list[str]:
        name = record_of(item).get("agent", _UNKNOWN_AGENT)
        return [] if name == _UNKNOWN_AGENT else [redacted_line(name)]

    agents = grouped(items, agent, list)
    return [replace(a, key=f"agent.{a.name}") for a in agents] if len(agents) > 1 else []


def by_variant(items: Items) -> list[Total[Trials]]:
    """Return totals by augmentation."""
    variants = grouped(items, lambda t: filter(None, [t[0].get("variant")]), augmentations_in_order)
    return [replace(total, key=f"variant.{total.name}") for total in variants]


def by_feedback(
    items: Sequence[Member], record_of: Callable[[Member], Summary]
) -> list[Total[Member]]:
    """Return totals with and without feedback, of what was played both ways in its variant."""

    def arm(item: Member) -> list[str]:
        return ["feedback on" if record_of(item)["feedback"] else "feedback off"]

    def place(item: Member) -> list[str]:
        record = record_of(item)
        return [f"{without_parameters(record['id'])} {record.get('variant')}"]

    places = grouped(items, place)
    both = [place.items for place in places if len(grouped(place.items, arm)) > 1]
    return grouped(chain.from_iterable(both), arm, partial(sorted, reverse=True))


class MinimumScore(NamedTuple):
    """A mean score, from 0 to 1, that a category or an augmentation must reach, or all (``None``).

    A ``required`` one, from the command line, is missed if nothing was scored; one of the ini file
    need not concern every run.
    """

    category: str | None
    score: float
    required: bool


def missed_minimums(records: Sequence[Summary], minimums: Sequence[MinimumScore]) -> Iterator[str]:
    """Yield a line for each minimum that is not reached."""
    if not minimums:
        return
    table = summary_table(records)
    totals = (*by_variant(table.items), *table.parts, Total(ALL_SCENARIOS, table.items))
    means = {total.name: MEAN_SCORE.value(total.items) for total in totals}
    known = {*means, *CATEGORIES, *AUGMENTATIONS}
    for minimum in minimums:
        name, least = minimum.category or ALL_SCENARIOS, f"{minimum.score:g}"
        score = means.get(name)
        if score is None and minimum.required:
            hint = "" if name in known else did_you_mean(name, known)
            yield f"min-score: {name} must reach {least}, but nothing was scored{hint}"
        elif score is not None and score < minimum.score - ROUNDING:
            yield f"min-score: {name} reached {score:.4f}, less than {least}"


def without_minimum(records: Sequence[Summary], minimums: Iterable[MinimumScore]) -> list[str]:
    """Return the ids of the failed items whose score is in no mean that has a minimum."""
    names = {minimum.category for minimum in minimums}
    return [
        trials[0]["id"]
        for trials in played_items(records)
        if verdict(trials) == "failed"
        and not names & {None, trials[0].get("variant"), *trials[0]["categories"]}
    ]
