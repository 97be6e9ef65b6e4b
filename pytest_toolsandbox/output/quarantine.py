"""Scenarios in quarantine: played, but in no table, mean or gate until they pass for long."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Final, NamedTuple, NotRequired

from pytest_toolsandbox.records.record import Outcome, Summary, TrialRecord
from pytest_toolsandbox.records.trials import SCORED, outcome_words, played_items, verdict
from pytest_toolsandbox.text.formatting import one_line, pluralize

from .tables import aligned

_ORDER: Final[tuple[Outcome, ...]] = ("passed", "failed", "inconclusive", "error")


class QuarantineRecord(TrialRecord):
    """The fields that decide whether a scenario may leave its quarantine."""

    quarantine: NotRequired[str]
    scenario_digest: NotRequired[str]


class Quarantined(NamedTuple):
    """An item in quarantine: its scored trials, and how many passed, in all and at the end."""

    identifier: str
    agent: str
    reason: str
    trials: int
    passed: int
    in_a_row: int


def counted_in_gates(records: Iterable[Summary]) -> list[Summary]:
    """Return the records that tables and gates count: those not in quarantine."""
    return [record for record in records if not record.get("quarantine")]


def quarantine_line(records: Iterable[Summary]) -> Iterator[str]:
    """Yield how many items are in quarantine and how they did, if there are any."""
    items = played_items(record for record in records if record.get("quarantine"))
    if not items:
        return
    counts = Counter(map(verdict, items))
    outcomes = ", ".join(f"{counts[name]} {outcome_words(name)}" for name in _ORDER if counts[name])
    yield f"quarantine: {pluralize(len(items), 'item')} in no table and no gate: {outcomes}"


def quarantined(records: Iterable[QuarantineRecord]) -> list[Quarantined]:
    """Return the items that are in quarantine by their last record; records are in order of time.

    Of their trials, those count that have a score and are of the present text of the scenario.
    """
    items: dict[tuple[str, str], list[QuarantineRecord]] = {}
    for record in records:
        items.setdefault((record["id"], record["agent"]), []).append(record)
    return [
        _quarantined(trials, reason)
        for _, trials in sorted(items.items())
        if (reason := trials[-1].get("quarantine"))
    ]


def _quarantined(trials: Sequence[QuarantineRecord], reason: str) -> Quarantined:
    last = trials[-1]
    outcomes = [
        trial["outcome"]
        for trial in trials
        if trial.get("scenario_digest") == last.get("scenario_digest")
        and trial["outcome"] in SCORED
    ]
    in_a_row = sum(1 for _ in takewhile("passed".__eq__, reversed(outcomes)))
    passed = outcomes.count("passed")
    return Quarantined(last["id"], last["agent"], reason, len(outcomes), passed, in_a_row)


def quarantine_table(items: Sequence[Quarantined], needed: int) -> list[str]:
    """Return a line for each item, with whether ``needed`` passes in a row let it leave."""
    headings = ("scenario", "agent", "because", "trials", "passed", "in a row", "")
    rows = [
        (
            *(item.identifier, item.agent, one_line(item.reason, 40)),
            *map(str, (item.trials, item.passed, item.in_a_row)),
            "may leave" if item.in_a_row >= needed else f"{needed - item.in_a_row} to go",
        )
        for item in items
    ]
    return aligned([headings, *rows], words=3)
