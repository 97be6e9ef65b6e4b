"""The arms of a comparison: the items that were played both with feedback and without."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_toolsandbox.records.reading import without_parameters
from pytest_toolsandbox.records.record import Summary

Trials = Sequence[Summary]
"""The records of an item."""

ARMS = (("feedback on", True), ("feedback off", False))


def arms(items: Iterable[Trials]) -> list[tuple[str, list[Trials]]]:
    """Return name and items of both arms; nothing where no scenario was played both ways.

    What was played in one way only is left out, in each augmentation by itself.
    """
    played = list(items)
    ways: dict[tuple[str, str | None], set[bool]] = {}
    for trials in played:
        ways.setdefault(_place(trials), set()).add(trials[0]["feedback"])
    both = [trials for trials in played if len(ways[_place(trials)]) > 1]
    split = [(name, [t for t in both if t[0]["feedback"] is on]) for name, on in ARMS]
    return split if both else []


def _place(trials: Trials) -> tuple[str, str | None]:
    return without_parameters(trials[0]["id"]), trials[0].get("variant")
