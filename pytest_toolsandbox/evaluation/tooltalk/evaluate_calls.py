"""Judges the calls of a conversation against the true ones (ToolTalk, section 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import fsum

from pytest_toolsandbox.worlds.tool import Tool

from .call import Call
from .comparison import CallComparer
from .error_kinds import CallErrors, call_errors
from .matching import match_calls
from .metrics import CallCounts
from .protocol import PUBLISHED_CODE, CallProtocol
from .results import NearestCall, NearestTruth, PredictedCall, TrueCall
from .text_similarity import SimilarityName, text_similarity_in_use


@dataclass(frozen=True)
class CallEvaluation:
    """The calls of a conversation, the true ones, and the figures.

    ``similarity`` says by what free texts were compared: the cosine of an embedder's vectors, or
    the F1 of their words.
    """

    predictions: tuple[PredictedCall, ...]
    truths: tuple[TrueCall, ...]
    protocol: CallProtocol
    similarity: SimilarityName

    @cached_property
    def counts(self) -> CallCounts:
        """The counts of all calls, whatever their tool."""
        return _counts(self.predictions, self.truths)

    @cached_property
    def plugins(self) -> Mapping[str, CallCounts]:
        """Plugin → the counts of the calls of its tools; those of no known tool are in none."""
        plugins = {p.plugin for p in self.predictions} | {t.plugin for t in self.truths}
        return {
            plugin: _counts(
                [prediction for prediction in self.predictions if prediction.plugin == plugin],
                [truth for truth in self.truths if truth.plugin == plugin],
            )
            for plugin in sorted(plugins - {""})
        }

    @property
    def passed(self) -> bool:
        """Whether every true call was made, and no incorrect action (equation 2)."""
        return self.counts.matches == self.counts.ground_truths and not self.counts.bad_actions

    @property
    def score(self) -> float:
        """The soft success; where there is no true call, whether it succeeded."""
        return float(self.passed) if self.soft_success is None else self.soft_success

    @property
    def soft_success(self) -> float | None:
        """Recall, less the share of it that the incorrect action rate is."""
        if self.counts.recall is None:
            return None
        return self.counts.recall * (1 - (self.counts.bad_action_rate or 0))

    @cached_property
    def errors(self) -> CallErrors:
        """What kinds of errors there are; a conversation that succeeded has none."""
        return CallErrors() if self.passed else call_errors(self.predictions, self.truths)


def evaluate_calls(
    predictions: Sequence[Call],
    truths: Sequence[Call],
    tools: Mapping[str, Tool],
    protocol: CallProtocol = PUBLISHED_CODE,
) -> CallEvaluation:
    """Judge the calls of a conversation, in the order in which they were made.

    ``tools`` are the world's, by name. Free texts are compared by the embedder in use, if there is
    one (:func:`~pytest_toolsandbox.matchers.embedding.using`), and by their words otherwise. Raises
    :class:`~pytest_toolsandbox.matchers.embedding.EmbedderError`.
    """
    similarity = text_similarity_in_use()
    comparer = CallComparer(tools, protocol, similarity)
    matching = match_calls(
        [
            [place for place, truth in enumerate(truths) if comparer.agrees(prediction, truth)]
            for prediction in predictions
        ]
    )
    judged = tuple(
        _predicted(call, truth, tools.get(call.tool), protocol)
        for call, truth in zip(predictions, matching, strict=True)
    )
    made = {truth: place for place, truth in enumerate(matching) if truth is not None}
    true = tuple(
        _true(truth, made.get(place), judged, comparer) for place, truth in enumerate(truths)
    )
    explained = tuple(_explained(prediction, truths, comparer) for prediction in judged)
    return CallEvaluation(explained, true, protocol, similarity.name)


def _counts(predictions: Sequence[PredictedCall], truths: Sequence[TrueCall]) -> CallCounts:
    actions = [prediction for prediction in predictions if prediction.action]
    return CallCounts(
        len(predictions),
        len(truths),
        sum(truth.matched for truth in truths),
        len(actions),
        sum(action.matched for action in actions),
        sum(action.bad_action for action in actions),
    )


def _predicted(
    call: Call, truth: int | None, tool: Tool | None, protocol: CallProtocol
) -> PredictedCall:
    action = tool is not None and tool.action
    executed = protocol.error_of(call) is None
    plugin = tool.module if tool else ""
    return PredictedCall(call, plugin, action, truth, action and truth is None and executed)


def _true(
    call: Call, prediction: int | None, judged: Sequence[PredictedCall], comparer: CallComparer
) -> TrueCall:
    tool = comparer.tools.get(call.tool)
    nearest = _nearest(call, judged, comparer) if prediction is None else None
    return TrueCall(call, tool.module if tool else "", prediction, nearest)


def _explained(
    prediction: PredictedCall, truths: Sequence[Call], comparer: CallComparer
) -> PredictedCall:
    """Return a call that is no true one with the true one that it comes nearest to."""
    if prediction.matched:
        return prediction
    candidates = [
        NearestTruth(place, tuple(comparer.differences(prediction.call, truth)))
        for place, truth in enumerate(truths)
        if truth.tool == prediction.call.tool
    ]
    return replace(prediction, nearest=min(candidates, key=_distance, default=None))


def _nearest(
    truth: Call, judged: Sequence[PredictedCall], comparer: CallComparer
) -> NearestCall | None:
    """Return what differs in the fewest things, then is most alike in them, then came first."""
    candidates = [
        NearestCall(place, tuple(comparer.differences(prediction.call, truth)))
        for place, prediction in enumerate(judged)
        if prediction.call.tool == truth.tool and not prediction.matched
    ]
    return min(candidates, key=_distance, default=None)


def _distance(nearest: NearestCall | NearestTruth) -> tuple[int, float]:
    differences = nearest.differences
    return len(differences), -fsum(difference.similarity for difference in differences)
