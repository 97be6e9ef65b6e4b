"""What kind of error a conversation that did not succeed has, as ToolTalk's published code says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from .results import PredictedCall, TrueCall


@dataclass(frozen=True)
class CallErrors:
    """How often each kind of error occurs. The first one counts calls, the others turns.

    ``over_trigger``: incorrect actions in turns that ask for no call. ``bad_call``: turns in which
    the tools are right and their calls are not. ``bad_planning``: turns with other tools than the
    true ones, or with more calls of a tool that is missing some.
    """

    over_trigger: int = 0
    bad_planning: int = 0
    bad_call: int = 0

    def __add__(self, other: CallErrors) -> CallErrors:
        return CallErrors(
            self.over_trigger + other.over_trigger,
            self.bad_planning + other.bad_planning,
            self.bad_call + other.bad_call,
        )


def call_errors(predictions: Sequence[PredictedCall], truths: Sequence[TrueCall]) -> CallErrors:
    """Return the errors of a conversation that did not succeed."""
    turns = {judged.call.turn for judged in truths}
    over_trigger = sum(p.bad_action for p in predictions if p.call.turn not in turns)
    errors = CallErrors(over_trigger)
    for turn in turns:
        made = Counter(p.call.tool for p in predictions if p.call.turn == turn and not p.matched)
        missed = Counter(t.call.tool for t in truths if t.call.turn == turn and not t.matched)
        errors += _turn_errors(made, missed)
    return errors


def _turn_errors(made: Counter[str], missed: Counter[str]) -> CallErrors:
    """Return the error of a turn: ``made`` without being true calls, ``missed`` of those."""
    if not made and not missed:
        return CallErrors()
    if made.keys() == missed.keys() and made <= missed:
        return CallErrors(bad_call=1)
    return CallErrors(bad_planning=1)
