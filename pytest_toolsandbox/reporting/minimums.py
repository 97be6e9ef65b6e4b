"""The mean scores that a run must reach."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pytest_toolsandbox.language.categories import CATEGORIES
from pytest_toolsandbox.language.variants import AUGMENTATIONS
from pytest_toolsandbox.matchers.matcher import ROUNDING
from pytest_toolsandbox.records.record import Summary
from pytest_toolsandbox.records.verdict import verdict
from pytest_toolsandbox.wording.nearest_name import did_you_mean

from .summary_columns import MEAN_SCORE
from .tables import ALL_SCENARIOS, Total
from .totals import by_item, by_variant, summary_table


class MinimumScore(NamedTuple):
    """A mean score, from 0 to 1, that a category or an augmentation must reach, or all (``None``).

    ``required`` says that it is missed where nothing was scored: what the command line asks for
    must be shown, while what the ini file says need not concern every run.
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
        for trials in by_item(records)
        if verdict(trials) == "failed"
        and not names & {None, trials[0].get("variant"), *trials[0]["categories"]}
    ]
