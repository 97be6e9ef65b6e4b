"""Judge the calls of a conversation against ground-truth calls: metrics and kinds of errors.

The metrics are those of ToolTalk, section 3; the kinds of errors are those of its published code.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from datetime import date
from functools import cached_property
from math import fsum

from pytest_toolsandbox.worlds.tool import Tool

from .comparison import CallComparer, SimilarityName, text_similarity_in_use
from .matching import paired
from .rules import PUBLISHED_CODE, Call, CallProtocol, JudgedCall, NearestCall


@dataclass(frozen=True)
class CallCounts:
    """The numbers of calls of each kind, in one conversation or summed over several.

    ``actions`` are predicted calls of action tools. ``valid_actions`` match a ground-truth call.
    ``bad_actions`` match none and were executed without an error (the paper's incorrect actions). A
    rate is ``None`` if its denominator is 0.
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
        """The incorrect action rate: the share of the predicted actions that are incorrect."""
        return share(self.bad_actions, self.actions)


def share(part: int, whole: int) -> float | None:
    """Return a part of a whole in [0, 1], or ``None`` if the whole is 0."""
    return part / whole if whole else None


@dataclass(frozen=True)
class CallErrors:
    """The number of errors of each kind. The first kind counts calls, the others count turns.

    ``over_trigger``: incorrect actions in turns without ground-truth calls. ``bad_call``: turns
    with the right tools but wrong calls. ``bad_planning``: turns with other tools than the ground
    truth, or with more calls of a tool than are missing.
    """

    over_trigger: int = 0
    bad_planning: int = 0
    bad_call: int = 0

    def __add__(self, other: CallErrors) -> CallErrors:
        return CallErrors(*map(operator.add, astuple(self), astuple(other)))


def _call_errors(
    predictions: Sequence[JudgedCall], ground_truths: Sequence[JudgedCall]
) -> CallErrors:
    """Return the errors of a conversation that failed."""
    turns = {truth.call.turn for truth in ground_truths}
    errors = CallErrors(
        sum(
            prediction.bad_action for prediction in predictions if prediction.call.turn not in turns
        )
    )
    for turn in turns:
        made, missed = _unmatched(predictions, turn), _unmatched(ground_truths, turn)
        # As in ToolTalk's published code: the right tools called wrongly, or the wrong plan.
        same_tools = made.keys() == missed.keys() and made <= missed
        if made or missed:
            errors += CallErrors(bad_call=1) if same_tools else CallErrors(bad_planning=1)
    return errors


def _unmatched(calls: Sequence[JudgedCall], turn: int) -> Counter[str]:
    """Return tool → the number of its calls without a match in a turn."""
    return Counter(
        call.call.tool for call in calls if call.call.turn == turn and call.match is None
    )


@dataclass(frozen=True)
class CallEvaluation:
    """The predicted calls of a conversation, the ground-truth calls, and the metrics.

    ``similarity`` names the measure for free texts. A conversation that a judge ``rejected`` for a
    criterion does not pass, regardless of its calls.
    """

    predictions: tuple[JudgedCall, ...]
    ground_truths: tuple[JudgedCall, ...]
    protocol: CallProtocol
    similarity: SimilarityName
    rejected: bool = False

    @cached_property
    def counts(self) -> CallCounts:
        """The counts of the calls of all tools."""
        return _counts(self._counted, self.ground_truths)

    @cached_property
    def plugins(self) -> Mapping[str, CallCounts]:
        """Plugin → the counts of its tools' calls, without calls of unknown tools."""
        return self._counts_by(lambda judged: judged.plugin)

    @cached_property
    def tools(self) -> Mapping[str, CallCounts]:
        """Tool → the counts of its calls, without unknown tools."""
        return self._counts_by(lambda judged: judged.call.tool if judged.plugin else "")

    def _counts_by(self, name_of: Callable[[JudgedCall], str]) -> dict[str, CallCounts]:
        """Return name → the counts of its calls, without those that have no name."""
        sides = self._counted, self.ground_truths
        names = {name_of(judged) for side in sides for judged in side}
        return {
            name: _counts(*([call for call in side if name_of(call) == name] for side in sides))
            for name in sorted(names - {""})
        }

    @property
    def passed(self) -> bool:
        """Whether every ground-truth call and no incorrect action was made (equation 2)."""
        is_whole = self.counts.matches == self.counts.ground_truths
        return is_whole and not self.counts.bad_actions and not self.rejected

    @property
    def score(self) -> float:
        """The soft success; without ground-truth calls, 1 if the conversation passed, else 0."""
        return float(self.passed) if self.soft_success is None else self.soft_success

    @property
    def soft_success(self) -> float | None:
        """Recall * (1 - incorrect action rate); ``None`` without ground-truth calls.

        It is 0 if a judge rejected the conversation.
        """
        if self.counts.recall is None:
            return None
        if self.rejected:
            return 0.0
        return self.counts.recall * (1 - (self.counts.bad_action_rate or 0))

    @cached_property
    def errors(self) -> CallErrors:
        """The number of errors of each kind; 0 for a conversation that passed."""
        return CallErrors() if self.passed else _call_errors(self._counted, self.ground_truths)

    @property
    def further_look_ups(self) -> tuple[Call, ...]:
        """The executed look-ups that match no ground-truth call, if these do not count.

        If a ground-truth call of the same tool is missing, they may be meant for it.
        """
        # An unmatched look-up of the same tool is then a wrong call, and no free one.
        missing = {truth.call.tool for truth in self.ground_truths if not truth.matched}
        free = (judged.call for judged in self.predictions if self._is_further(judged))
        return tuple(call for call in free if call.error is None and call.tool not in missing)

    def _is_further(self, prediction: JudgedCall) -> bool:
        joined = self.protocol.rules.joined
        return joined and prediction.is_look_up and not prediction.matched

    @property
    def _counted(self) -> tuple[JudgedCall, ...]:
        """The predictions without further look-ups, if these do not count."""
        return tuple(judged for judged in self.predictions if not self._is_further(judged))


def evaluate_calls(
    predictions: Sequence[Call],
    ground_truths: Sequence[Call],
    tools: Mapping[str, Tool],
    protocol: CallProtocol = PUBLISHED_CODE,
    today: date | None = None,
) -> CallEvaluation:
    """Judge the calls of a conversation, given in the order in which they were made.

    ``tools`` are the world's, by name. With ``today``, texts may name days in other ways. Free
    texts are compared by the embedder in use, if there is one
    (:func:`~pytest_toolsandbox.matchers.embedding.using`), otherwise by their words. Raises
    :class:`~pytest_toolsandbox.matchers.embedding.EmbedderError`.
    """
    comparer = CallComparer(tools, protocol, text_similarity_in_use(), today)
    pairing = paired(predictions, ground_truths, comparer)
    matches, made = pairing.of_predictions, pairing.of_truths
    # A matched prediction cannot be what a missing call should have been.
    unmatched = [(place, call) for place, call in enumerate(predictions) if place not in matches]
    return CallEvaluation(
        tuple(
            _judged(call, matches.get(place), comparer, enumerate(ground_truths), predicted=True)
            for place, call in enumerate(predictions)
        ),
        tuple(
            _judged(truth, made.get(place), comparer, unmatched, predicted=False)
            for place, truth in enumerate(ground_truths)
        ),
        protocol,
        comparer.similarity.name,
    )


def _judged(
    call: Call,
    match: int | None,
    comparer: CallComparer,
    other_side: Iterable[tuple[int, Call]],
    *,
    predicted: bool,
) -> JudgedCall:
    """Judge a call, given the calls of the other side with their places."""
    tool = comparer.tools.get(call.tool)
    plugin, action = (tool.module, tool.action) if tool else ("", False)
    if match is not None:
        return JudgedCall(call, plugin, action, match)
    bad_action = predicted and action and comparer.protocol.error_of(call) is None
    pairs = (
        (place, (call, candidate) if predicted else (candidate, call))
        for place, candidate in other_side
        if candidate.tool == call.tool
    )
    candidates = [NearestCall(at, tuple(comparer.differences(*pair))) for at, pair in pairs]
    nearest = min(candidates, key=_distance, default=None)
    return JudgedCall(call, plugin, action, None, bad_action, nearest)


def _distance(nearest: NearestCall) -> tuple[int, float]:
    """Return a sort key, the smallest for the nearest: number of differences, dissimilarity."""
    differences = nearest.differences
    return len(differences), -fsum(difference.similarity for difference in differences)


def _counts(predictions: Sequence[JudgedCall], ground_truths: Sequence[JudgedCall]) -> CallCounts:
    actions = [judged for judged in predictions if judged.action]
    matches = sum(judged.matched for judged in ground_truths)
    return CallCounts(
        # Several joined calls may match one ground-truth call; they count as one prediction.
        matches + sum(not judged.matched for judged in predictions),
        len(ground_truths),
        matches,
        len(actions),
        sum(judged.match is not None for judged in actions),
        sum(judged.bad_action for judged in actions),
    )
