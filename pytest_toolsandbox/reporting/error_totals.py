"""The scores of error patterns in a run: of every world, with feedback and without."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from pytest_toolsandbox.language.tasks import Pattern
from pytest_toolsandbox.records.record import Summary

from .feedback_arms import arms
from .totals import ALL, by_item, mean

QUERIES = "all queries"


@dataclass(frozen=True)
class ErrorTotal:
    """Some of the items that were judged; an item of several trials counts once, as their mean.

    Scores lie in [0, 1], 1 is without errors; ``None`` where there is nothing to compare with.
    """

    name: str
    items: Sequence[Sequence[Summary]]

    @cached_property
    def success(self) -> float | None:
        """The share of items that passed."""
        passed = (all(record["outcome"] == "passed" for record in trials) for trials in self.items)
        return mean(map(float, passed))

    def score(
        self, pattern: Pattern, which: Literal["scores", "lowest_scores"] = "scores"
    ) -> float | None:
        """Return the mean score of a pattern; of ``lowest_scores`` as the paper has it."""
        return mean(
            mean(record["error_patterns"][which][pattern] for record in trials)
            for trials in self.items
        )


@dataclass(frozen=True)
class ErrorTotals:
    """The conversations in which error patterns were looked for, and the totals of their parts."""

    items: Mapping[str, Sequence[Summary]]

    @classmethod
    def of(cls, records: Iterable[Summary]) -> ErrorTotals:
        """Group the records of a run by their items; those with an error are left out."""
        judged = {
            name: trials
            for name, trials in by_item(records).items()
            if all("error_patterns" in record for record in trials)
        }
        return cls(judged)

    @cached_property
    def worlds(self) -> list[ErrorTotal]:
        """The total of every world, by name, of all queries if they are of several, and of all."""
        everything = list(self.items.values())
        names = sorted(worlds_of(everything))
        parts = [(name, [t for t in everything if t[0]["world"] == name]) for name in names]
        queries = [trials for trials in everything if "query" in trials[0]]
        if len(queries) < len(everything) and len(worlds_of(queries)) > 1:
            parts.append((QUERIES, queries))
        return [ErrorTotal(name, part) for name, part in (*parts, (ALL, everything))]

    @cached_property
    def arms(self) -> list[ErrorTotal]:
        """The totals with feedback and without, of the items that were played both ways."""
        return [ErrorTotal(name, items) for name, items in arms(self.items.values())]

    @cached_property
    def words(self) -> Counter[str]:
        """Each mistake in a few words → how often it was made."""
        words: Counter[str] = Counter()
        for trials in self.items.values():
            for record in trials:
                words.update(record["error_patterns"]["words"])
        return words


def worlds_of(items: Iterable[Sequence[Summary]]) -> set[str]:
    """Return the names of the worlds in which items were played."""
    return {trials[0]["world"] for trials in items}
