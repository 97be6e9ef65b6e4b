"""The figures of ToolTalk (section 3): recall, precision, incorrect action rate, success."""

from __future__ import annotations

import operator
from dataclasses import astuple, dataclass


@dataclass(frozen=True)
class CallCounts:
    """How many calls there were of each kind, in a conversation or, added up, in several.

    ``actions`` are predicted calls of action tools: ``valid_actions`` match a ground-truth call,
    ``bad_actions`` do not and were executed without error (the paper's incorrect actions). A rate
    is ``None`` where there is nothing to divide by.
    """

    predictions: int = 0
    ground_truths: int = 0
    matches: int = 0
    actions: int = 0
    valid_actions: int = 0
    bad_actions: int = 0

    def __add__(self, other: CallCounts) -> CallCounts:
        return CallCounts(*map(operator.add, astuple(self), astuple(other)))

    @property
    def precision(self) -> float | None:
        """The share of the predicted calls that match."""
        return share(self.matches, self.predictions)

    @property
    def recall(self) -> float | None:
        """The share of the ground-truth calls that were made."""
        return share(self.matches, self.ground_truths)

    @property
    def action_precision(self) -> float | None:
        """The share of the predicted actions that match."""
        return share(self.valid_actions, self.actions)

    @property
    def bad_action_rate(self) -> float | None:
        """The incorrect action rate: the share of the predicted actions that did wrong."""
        return share(self.bad_actions, self.actions)


def share(part: int, whole: int) -> float | None:
    """Return a part of a whole as a number in [0, 1], ``None`` of nothing."""
    return part / whole if whole else None
