"""The figures of ToolTalk (section 3), and what kinds of errors its published code counts."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Sequence
from dataclasses import astuple, dataclass

from .call import JudgedCall


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


@dataclass(frozen=True)
class CallErrors:
    """How often each kind of error occurs. The first one counts calls, the others turns.

    ``over_trigger``: incorrect actions in turns that ask for no call. ``bad_call``: turns in which
    the tools are right and their calls are not. ``bad_planning``: turns with other tools than in
    the ground truth, or with more calls of a tool that is missing some.
    """

    over_trigger: int = 0
    bad_planning: int = 0
    bad_call: int = 0

    def __add__(self, other: CallErrors) -> CallErrors:
        return CallErrors(*map(operator.add, astuple(self), astuple(other)))


def call_errors(
    predictions: Sequence[JudgedCall], ground_truths: Sequence[JudgedCall]
) -> CallErrors:
    """Return the errors of a conversation that did not succeed."""
    turns = {truth.call.turn for truth in ground_truths}
    errors = CallErrors(sum(one.bad_action for one in predictions if one.call.turn not in turns))
    for turn in turns:
        made, missed = _unmatched(predictions, turn), _unmatched(ground_truths, turn)
        same_tools = made.keys() == missed.keys() and made <= missed
        if made or missed:
            errors += CallErrors(bad_call=1) if same_tools else CallErrors(bad_planning=1)
    return errors


def _unmatched(calls: Sequence[JudgedCall], turn: int) -> Counter[str]:
    """Return tool → how many of its calls in a turn have no match."""
    return Counter(one.call.tool for one in calls if one.call.turn == turn and one.match is None)
