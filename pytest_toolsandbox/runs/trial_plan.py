"""How often a scenario is played, how many of its trials must pass, and when that is decided."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from pytest_toolsandbox.records.record import Outcome, TrialsRecord

MOST_REPEATS: Final = 2
"""How often a trial of several is played again that an outage took."""
PassRule = Literal["all", "any", "majority"] | int


class TrialPlan(NamedTuple):
    """So many trials, of which so many must pass.

    One that ``stops_early`` plays no more of them once the verdict cannot change. A later round of
    an item has the ``first`` of its trials in another number than 1; one that ``confirms`` asks
    only whether the item broke.
    """

    trials: int
    needed: int
    stops_early: bool = False
    first: int = 1
    confirms: bool = False

    @classmethod
    def by(cls, rule: PassRule, trials: int, *, stops_early: bool = False) -> TrialPlan:
        """Return the plan of so many trials and a rule."""
        words = {"all": trials, "any": 1, "majority": trials // 2 + 1}
        needed = rule if isinstance(rule, int) else words[rule]
        return cls(trials, needed, stops_early)

    @property
    def repeats(self) -> int:
        """How often a trial is played again that was lost; a single one is an error at once."""
        return MOST_REPEATS if self.trials > 1 else 0

    @property
    def record(self) -> TrialsRecord | None:
        """What records say of it; nothing of one trial, and of those that go on in rounds."""
        if self.trials == 1 or self.first > 1:
            return None
        return {"planned": self.trials, "needed": self.needed}

    @property
    def numbers(self) -> Sequence[int]:
        """The numbers of its trials."""
        return range(self.first, self.trials + 1)

    def next_trials(self, outcomes: Sequence[Outcome], left: Sequence[int]) -> Sequence[int]:
        """Return which of the trials that are ``left`` are to be played, at the same time.

        They are as many as must be played in any case, whatever becomes of them, so that none is
        played that one after the other would have spared. ``outcomes`` are those of the others.
        """
        if not self.stops_early:
            return left
        missing = self.needed - outcomes.count("passed")
        spare = self.trials - self.needed + 1 - outcomes.count("failed")
        steps = min(missing, spare)
        return left[:steps] if 0 < steps <= len(left) else ()


ONCE: Final = TrialPlan(1, 1)
