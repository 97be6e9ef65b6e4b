"""Judges the calls of a conversation against the ground-truth calls (ToolTalk, section 3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import fsum

from pytest_toolsandbox.evaluation.results import Difference
from pytest_toolsandbox.worlds.tool import Tool

from .call import Call
from .comparison import CallComparer
from .error_kinds import CallErrors, call_errors
from .matching import match_calls
from .metrics import CallCounts
from .protocol import PUBLISHED_CODE, CallProtocol
from .results import JudgedCall, NearestCall
from .text_similarity import SimilarityName, text_similarity_in_use


@dataclass(frozen=True)
class CallEvaluation:
    """The predicted calls of a conversation, the ground-truth calls, and the figures.

    ``similarity`` says by what free texts were compared: the cosine of an embedder's vectors, or
    the F1 of their words.
    """

    predictions: tuple[JudgedCall, ...]
    ground_truths: tuple[JudgedCall, ...]
    protocol: CallProtocol
    similarity: SimilarityName

    @cached_property
    def counts(self) -> CallCounts:
        """The counts of all calls, whatever their tool."""
        return _counts(self.predictions, self.ground_truths)

    @cached_property
    def plugins(self) -> Mapping[str, CallCounts]:
        """Plugin → the counts of the calls of its tools; calls of unknown tools are left out."""
        plugins = {judged.plugin for judged in (*self.predictions, *self.ground_truths)}
        return {
            plugin: _counts(
                [judged for judged in self.predictions if judged.plugin == plugin],
                [judged for judged in self.ground_truths if judged.plugin == plugin],
            )
            for plugin in sorted(plugins - {""})
        }

    @property
    def passed(self) -> bool:
        """Whether every ground-truth call was made, and no incorrect action (equation 2)."""
        return self.counts.matches == self.counts.ground_truths and not self.counts.bad_actions

    @property
    def score(self) -> float:
        """The soft success; where there is no ground-truth call, whether it succeeded."""
        return float(self.passed) if self.soft_success is None else self.soft_success

    @property
    def soft_success(self) -> float | None:
        """Recall, less the share of it that the incorrect action rate is."""
        if self.counts.recall is None:
            return None
        return self.counts.recall * (1 - (self.counts.bad_action_rate or 0))

    @cached_property
    def errors(self) -> CallErrors:
        """How often each kind of error occurs; never in a conversation that succeeded."""
        return CallErrors() if self.passed else call_errors(self.predictions, self.ground_truths)


def evaluate_calls(
    predictions: Sequence[Call],
    ground_truths: Sequence[Call],
    tools: Mapping[str, Tool],
    protocol: CallProtocol = PUBLISHED_CODE,
) -> CallEvaluation:
    """Judge the calls of a conversation, in the order in which they were made.

    ``tools`` are the world's, by name. Free texts are compared by the embedder in use, if there is
    one (:func:`~pytest_toolsandbox.matchers.embedding.using`), and by their words otherwise. Raises
    :class:`~pytest_toolsandbox.matchers.embedding.EmbedderError`.
    """
    comparer = CallComparer(tools, protocol, text_similarity_in_use())
    agreeing = [
        [place for place, truth in enumerate(ground_truths) if comparer.agrees(call, truth)]
        for call in predictions
    ]
    matches = match_calls(agreeing)
    made = {match: place for place, match in enumerate(matches) if match is not None}
    left = [(place, call) for place, call in enumerate(predictions) if matches[place] is None]
    return CallEvaluation(
        tuple(
            _prediction(call, match, ground_truths, comparer)
            for call, match in zip(predictions, matches, strict=True)
        ),
        tuple(
            _ground_truth(call, made.get(place), left, comparer)
            for place, call in enumerate(ground_truths)
        ),
        protocol,
        comparer.similarity.name,
    )


def _prediction(
    call: Call, match: int | None, ground_truths: Sequence[Call], comparer: CallComparer
) -> JudgedCall:
    judged = _judged(call, match, comparer)
    if match is not None:
        return judged
    compared = (
        (place, comparer.differences(call, truth))
        for place, truth in enumerate(ground_truths)
        if truth.tool == call.tool
    )
    executed = comparer.protocol.error_of(call) is None
    return replace(judged, bad_action=judged.action and executed, nearest=_nearest(compared))


def _ground_truth(
    call: Call, match: int | None, left: Sequence[tuple[int, Call]], comparer: CallComparer
) -> JudgedCall:
    judged = _judged(call, match, comparer)
    if match is not None:
        return judged
    compared = (
        (place, comparer.differences(prediction, call))
        for place, prediction in left
        if prediction.tool == call.tool
    )
    return replace(judged, nearest=_nearest(compared))


def _counts(predictions: Sequence[JudgedCall], ground_truths: Sequence[JudgedCall]) -> CallCounts:
    actions = [judged for judged in predictions if judged.action]
    return CallCounts(
        len(predictions),
        len(ground_truths),
        sum(judged.matched for judged in ground_truths),
        len(actions),
        sum(judged.matched for judged in actions),
        sum(judged.bad_action for judged in actions),
    )


def _judged(call: Call, match: int | None, comparer: CallComparer) -> JudgedCall:
    tool = comparer.tools.get(call.tool)
    return JudgedCall(call, tool.module if tool else "", tool is not None and tool.action, match)


def _nearest(compared: Iterable[tuple[int, Iterable[Difference]]]) -> NearestCall | None:
    """Return what differs in the fewest things, then is most alike in them, then came first."""
    candidates = [NearestCall(place, tuple(differences)) for place, differences in compared]
    return min(candidates, key=_distance, default=None)


def _distance(nearest: NearestCall) -> tuple[int, float]:
    differences = nearest.differences
    return len(differences), -fsum(difference.similarity for difference in differences)
