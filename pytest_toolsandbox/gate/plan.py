"""The sequential plan: play little, look, and go on only where it is not decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from .comparing import Pairing
from .verdict import Levels, Verdict, judged

LOOKS: Final = (1, 2, 3, 5)
"""The numbers of trials of each scenario after which the plan looks."""
SPENT: Final = (
    Levels(0.005, 0.017),
    Levels(0.010, 0.018),
    Levels(0.015, 0.020),
    Levels(0.020, 0.022),
)
"""Look → what it may spend.

For "worse" the sum is 0.05. For "no worse" it is more, since at a drop of the margin most runs are
told worse before: what is said wrongly in the end was simulated, and is about 0.05.
"""


def spent_until(trials: int) -> Mapping[int, Levels]:
    """Return the looks until so many trials of each scenario, the first one always."""
    looks = dict(zip(LOOKS, SPENT, strict=True))
    return {look: levels for look, levels in looks.items() if look <= max(trials, LOOKS[0])}


def looked(pairing: Pairing, trials: int, margin: float | None = None) -> Verdict:
    """Return the verdict of a look, after so many trials of each scenario."""
    *before, (_, now) = spent_until(trials).items()
    return judged(pairing, margin, now, dict(before))


def concluded(pairing: Pairing, margin: float | None = None) -> Verdict:
    """Return the verdict of what was played, in rounds or at once."""
    rounds = pairing.candidate.rounds
    return looked(pairing, rounds, margin) if rounds else judged(pairing, margin)


def next_look(verdict: Verdict, trials: int) -> int | None:
    """Return how many trials each scenario should have next; ``None`` where the plan ends.

    All scenarios get the same number. Where more would go to those that were doubtful so far, luck
    would choose what is counted, and the test would no longer be exact.
    """
    is_open = verdict.kind == "inconclusive" and bool(verdict.strata)
    later: Sequence[int] = [look for look in LOOKS if look > trials]
    return later[0] if is_open and later else None
