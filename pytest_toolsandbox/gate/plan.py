"""The sequential plan: play little, look, and go on only where it is not decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from .comparing import Pairing
from .single import FALSE_SHARE, smallest
from .strata import Stratum
from .verdict import Levels, Verdict, judged

LOOKS: Final = (1, 2, 3, 5)
"""The numbers of trials of each scenario after which the plan looks."""
SPENT: Final = (
    Levels(0.005, 0.015),
    Levels(0.010, 0.016),
    Levels(0.015, 0.018),
    Levels(0.020, 0.020),
)
"""Look → what it may spend.

For "worse" the sum is 0.05. For "no worse" it is more, since at a drop of the margin most runs are
told worse before: what is said wrongly in the end was simulated, and is about 0.05.
"""

CONFIRMING: Final = 5
"""Further trials of a scenario that seems to have broken."""


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


def to_confirm(verdict: Verdict) -> list[str]:
    """Return the scenarios of which further trials tell most, those first that likely broke.

    Where the suite got worse, these are the ones that pass less often and may yet be luck.
    :data:`CONFIRMING` trials of each cost at most as much as one of every scenario, but one of them
    is asked at least. The verdict does not count these trials, since luck, too, chose them.
    """
    if verdict.kind != "worse":
        return []
    doubtful = [one for one in verdict.broken if not one.is_sure and _may_be_told(one.stratum)]
    return [one.id for one in doubtful[: max(1, len(verdict.strata) // CONFIRMING)]]


def _may_be_told(one: Stratum) -> bool:
    """Whether further trials could show that a scenario broke, beside so many of the baseline."""
    failed = one._replace(passed=0, trials=CONFIRMING)
    return smallest(failed).worse <= FALSE_SHARE
