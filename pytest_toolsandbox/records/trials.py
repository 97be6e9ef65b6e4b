"""The trials of an item together: whether the item passed, and which trials count.

A trial is one conversation of an item. What each figure of a report is a mean over, is decided
here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

if TYPE_CHECKING:
    from .record import Cause, Outcome

Record = TypeVar("Record", bound=Mapping[str, Any])
SCORED: Final = ("passed", "failed")
NOT_RUN: Final = "not_run"
_LOST_CAUSES: Final[tuple[Cause, ...]] = ("provider", "user")


def verdict(trials: Sequence[Mapping[str, Any]]) -> Outcome:
    """Return what an item is by the records of its trials.

    It passed with as many passed trials as are needed, and failed where that cannot be reached.
    Trials that were lost to an outage or to the user's faults do not count: it is what became of
    them only where the others decide nothing. Another error of any trial is one of the item. It was
    not run where the run ended before its trials decided.
    """
    if len(trials) == 1 and "of_trials" not in trials[0]:  # most, and tables ask again and again
        outcome: Outcome = trials[0]["outcome"]
        return outcome
    trials = of_the_plan(trials)
    outcomes = [trial["outcome"] for trial in trials]
    if not all(map(_may_be_left_out, trials)):
        return "error"
    planned, needed = planned_trials(trials)
    if outcomes.count("passed") >= needed:
        return "passed"
    if outcomes.count("failed") > planned - needed:
        return "failed"
    lost = next((outcome for outcome in ("error", "inconclusive") if outcome in outcomes), None)
    return cast("Outcome", lost or NOT_RUN)


def of_the_plan(trials: Sequence[Record]) -> Sequence[Record]:
    """Return the trials that every item has, without those that ask whether this one broke.

    These were played because of what came of the others, so that their mean leans to one side. Of
    such trials alone all are returned.
    """
    return [trial for trial in trials if not trial.get("confirms")] or trials


def planned_trials(trials: Sequence[Mapping[str, Any]]) -> tuple[int, int]:
    """Return how many trials an item was to have, and how many of them must pass."""
    trials = of_the_plan(trials)
    plan = trials[0].get("of_trials")
    return (plan["planned"], plan["needed"]) if plan else (len(trials), len(trials))


def lacks_trials(trials: Sequence[Mapping[str, Any]]) -> bool:
    """Whether an item has fewer trials than planned, such as one that stopped early."""
    return len(of_the_plan(trials)) < planned_trials(trials)[0]


def counted_trials(trials: Sequence[Record]) -> Sequence[Record]:
    """Return the trials that have a score, where they decide; else all of them."""
    trials = of_the_plan(trials)
    if verdict(trials) not in SCORED:
        return trials
    return [trial for trial in trials if trial["outcome"] in SCORED]


def fair_sample(records: Iterable[Record]) -> list[Record]:
    """Return the trials that tell how often scenarios pass, and those that ask whether one broke.

    Where an item stopped early, how many there are depends on what came of them, and their mean
    leans to one side: then those count that were played in any case, the first ones.
    """
    return [trial for trials in by_item(records) for trial in _played_in_any_case(trials)]


def by_item(records: Iterable[Record]) -> list[list[Record]]:
    """Return the trials of each item, in the order of the records."""
    items: dict[str, list[Record]] = {}
    for record in records:
        items.setdefault(record["id"], []).append(record)
    return [*items.values()]


def played_items(records: Iterable[Record]) -> list[Sequence[Record]]:
    """Return the trials that count of each item that was run, in the order of the records."""
    return [counted_trials(trials) for trials in by_item(records) if verdict(trials) != NOT_RUN]


def _played_in_any_case(trials: Sequence[Record]) -> Sequence[Record]:
    if not lacks_trials(trials):
        return trials
    planned, needed = planned_trials(trials)
    first = min(needed, planned - needed + 1)
    return [trial for trial in trials if trial["trial"] <= first]


def is_lost(trial: Mapping[str, Any]) -> bool:
    """Whether an outage or the user's faults took a trial, so that it says nothing of the agent."""
    return trial["outcome"] not in SCORED and trial.get("cause") in _LOST_CAUSES


def _may_be_left_out(trial: Mapping[str, Any]) -> bool:
    return trial["outcome"] != "error" or is_lost(trial)
