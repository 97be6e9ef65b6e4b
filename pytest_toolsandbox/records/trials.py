"""The outcome of an item by its trials, and which trials count in means.

A trial is one conversation of an item.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar, cast

if TYPE_CHECKING:
    from .record import Cause, Outcome

Record = TypeVar("Record", bound=Mapping[str, Any])
SCORED: Final = ("passed", "failed")
NOT_RUN: Final = "not_run"
_SHOWN: Final[Mapping[str, str]] = {"inconclusive": "user fault", "not_run": "not run"}
"""Outcome in records → how it is shown, if otherwise."""
_LOST_CAUSES: Final[tuple[Cause, ...]] = ("provider", "user")


def verdict(trials: Sequence[Mapping[str, Any]]) -> Outcome:
    """Return the outcome of an item by the records of its trials.

    It passed if enough trials passed, and failed if that is no longer possible. Trials that were
    lost to an outage or to faults of the user count only if the others do not decide. Any other
    error of a trial is the outcome of the item. The item was not run if the run ended before a
    decision.
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


def outcome_words(outcome: str) -> str:
    """Return an outcome as it is shown: *inconclusive* is only said of comparisons."""
    return _SHOWN.get(outcome, outcome)


def reason_words(record: Mapping[str, Any]) -> str:
    """Return why a record has no verdict, or else its outcome, as they are shown."""
    outcome, reason = record["outcome"], record["reason"]
    words = outcome_words(outcome)
    if not reason:
        return words
    # Records that were written before faults of the user had their name begin with the outcome.
    start = f"{outcome}: "
    return f"{words}: {reason.removeprefix(start)}" if reason.startswith(start) else str(reason)


def of_the_plan(trials: Sequence[Record]) -> Sequence[Record]:
    """Return the planned trials, without those that confirm that the item broke.

    These were played because of the outcomes of the others, which biases their mean. If there are
    no other trials, all are returned.
    """
    return [trial for trial in trials if not trial.get("confirms")] or trials


def planned_trials(trials: Sequence[Mapping[str, Any]]) -> tuple[int, int]:
    """Return the planned number of trials of an item, and how many of them must pass."""
    trials = of_the_plan(trials)
    plan = trials[0].get("of_trials")
    return (plan["planned"], plan["needed"]) if plan else (len(trials), len(trials))


def lacks_trials(trials: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether an item has fewer trials than planned, such as after an early stop."""
    return len(of_the_plan(trials)) < planned_trials(trials)[0]


def counted_trials(trials: Sequence[Record]) -> Sequence[Record]:
    """Return the trials with a score if they decide, else all trials."""
    trials = of_the_plan(trials)
    if verdict(trials) not in SCORED:
        return trials
    return [trial for trial in trials if trial["outcome"] in SCORED]


def fair_sample(records: Iterable[Record]) -> list[Record]:
    """Return the trials that estimate pass rates without bias, and those that confirm.

    If an item stopped early, the number of its trials depends on their outcomes, which biases their
    mean. Then only the first trials count, which are played in any case.
    """
    return [trial for trials in by_item(records) for trial in _played_in_any_case(trials)]


def by_item(records: Iterable[Record]) -> list[list[Record]]:
    """Return the trials of each item, in the order of the records."""
    items: dict[str, list[Record]] = {}
    for record in records:
        items.setdefault(record["id"], []).append(record)
    return [*items.values()]


def played_items(records: Iterable[Record]) -> list[Sequence[Record]]:
    """Return the counted trials of each item that was run, in the order of the records."""
    return [counted_trials(trials) for trials in by_item(records) if verdict(trials) != NOT_RUN]


def _played_in_any_case(trials: Sequence[Record]) -> Sequence[Record]:
    if not lacks_trials(trials):
        return trials
    planned, needed = planned_trials(trials)
    first = min(needed, planned - needed + 1)
    return [trial for trial in trials if trial["trial"] <= first]


class Counts(NamedTuple):
    """How many items failed, by all their trials and by the first one alone.

    They differ if later rounds play on: pytest has reported an item after its first trial.
    """

    all_trials: int
    first: int

    @property
    def words(self) -> str:
        """What a reader must know to compare the number with that of pytest."""
        return f"({self.first} in the first trial, which pytest counts)"


def failed_counts(records: Iterable[Mapping[str, Any]]) -> Counts:
    """Return how many items failed."""
    items = by_item(records)
    first = (trials[0]["outcome"] == "failed" if _goes_on(trials) else None for trials in items)
    failed = [verdict(trials) == "failed" for trials in items]
    of_first = (known if known is not None else f for known, f in zip(first, failed, strict=True))
    return Counts(sum(failed), sum(of_first))


def _goes_on(trials: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether later rounds played an item again."""
    return len(trials) > 1 and "of_trials" not in trials[0]


def is_lost(trial: Mapping[str, Any]) -> bool:
    """Return whether an outage or faults of the user decided a trial, not the agent."""
    return trial["outcome"] not in SCORED and trial.get("cause") in _LOST_CAUSES


def _may_be_left_out(trial: Mapping[str, Any]) -> bool:
    return trial["outcome"] != "error" or is_lost(trial)
