"""What kind of error a conversation that did not succeed has, as ToolTalk's published code says."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Sequence
from dataclasses import astuple, dataclass

from .results import JudgedCall


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
        errors += _turn_errors(_unmatched(predictions, turn), _unmatched(ground_truths, turn))
    return errors


def _unmatched(calls: Sequence[JudgedCall], turn: int) -> Counter[str]:
    """Return tool → how many of its calls in a turn have no match."""
    return Counter(one.call.tool for one in calls if one.call.turn == turn and not one.matched)


def _turn_errors(made: Counter[str], missed: Counter[str]) -> CallErrors:
    if not made and not missed:
        return CallErrors()
    if made.keys() == missed.keys() and made <= missed:
        return CallErrors(bad_call=1)
    return CallErrors(bad_planning=1)
