"""The page of a recorded conversation in which the agent did not make the true calls."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.evaluation.error_patterns.patterns import ErrorPatterns
from pytest_toolsandbox.evaluation.results import Difference
from pytest_toolsandbox.evaluation.tooltalk.call import Call
from pytest_toolsandbox.evaluation.tooltalk.evaluate_calls import CallEvaluation
from pytest_toolsandbox.evaluation.tooltalk.results import PredictedCall, TrueCall
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.reporting.tooltalk_table import BY_WORDS, error_line, percent

from .differences import number, value
from .findings import pattern_lines, with_patterns
from .transcript import shortened, transcript


def replay_page(
    scenario: Scenario, trajectory: Trajectory, result: CallEvaluation, patterns: ErrorPatterns
) -> str:
    """Return the page, its verdict in the first line."""
    return "\n".join(_Page(scenario, trajectory, result, patterns).lines())


@dataclass(frozen=True)
class _Page:
    scenario: Scenario
    trajectory: Trajectory
    result: CallEvaluation
    patterns: ErrorPatterns

    def lines(self) -> Iterator[str]:
        yield self.verdict()
        if self.scenario.summary:
            yield ""
            yield shortened(self.scenario.summary)
        yield ""
        yield self.figures()
        if errors := error_line(self.result.errors):
            yield errors
        missed = [truth for truth in self.result.truths if not truth.matched]
        if missed:
            yield from ("", "missed calls")
            for truth in missed:
                yield from self.missed(truth)
        predictions = zip(self.answers, self.result.predictions, strict=True)
        wrong = [(index, prediction) for index, prediction in predictions if prediction.bad_action]
        if wrong:
            yield from ("", "incorrect actions")
            for index, prediction in wrong:
                yield from self.wrong(index, prediction)
        yield from pattern_lines(self.patterns, missing=False)  # these are the missed calls
        yield from ("", "conversation")
        yield from transcript(self.trajectory, self.findings())
        if self.result.similarity == "token_f1":
            yield from ("", BY_WORDS)

    def verdict(self) -> str:
        counts = self.result.counts
        parts = []
        if counts.matches < counts.ground_truths:
            parts.append(f"{counts.matches} of {counts.ground_truths} true calls made")
        if counts.bad_actions:
            parts.append(f"{counts.bad_actions} of {counts.actions} actions incorrect")
        soft = self.result.soft_success
        score = 0.0 if soft is None else soft
        return f"score {number(score)} of 1: {'; '.join(parts)}"

    def figures(self) -> str:
        counts = self.result.counts
        figures = {
            "precision": counts.precision,
            "recall": counts.recall,
            "incorrect action rate": counts.bad_action_rate,
        }
        return ", ".join(f"{name} {percent(rate)}" for name, rate in figures.items())

    def missed(self, truth: TrueCall) -> Iterator[str]:
        nearest = truth.nearest
        if nearest is None:
            yield f"  {written(truth.call)}  no call of it"
            return
        yield f"  {written(truth.call)}  nearest at [{self.answers[nearest.prediction]}]"
        for difference in nearest.differences:
            yield f"      - {told(difference)}"

    def wrong(self, index: int, prediction: PredictedCall) -> Iterator[str]:
        what, nearest = f"  [{index}] {written(prediction.call)}", prediction.nearest
        if nearest is None:
            yield f"{what}  no true call of it"
            return
        truth = self.result.truths[nearest.truth]
        if not nearest.differences and truth.prediction is not None:
            yield f"{what}  made at [{self.answers[truth.prediction]}] as well"
            return
        yield f"{what}  nearest to {written(truth.call)}"
        for difference in nearest.differences:
            yield f"      - {told(difference)}"

    @property
    def answers(self) -> list[int]:
        """The indices of the messages that answered the predicted calls."""
        return [call.answer for call in self.trajectory.calls if call.answer is not None]

    def findings(self) -> dict[int, list[str]]:
        found: dict[int, list[str]] = defaultdict(list)
        for index, prediction in zip(self.answers, self.result.predictions, strict=True):
            if prediction.matched:
                found[index].append("a true call")
            elif prediction.bad_action:
                found[index].append("an incorrect action")
            else:
                found[index].append("no true call")
        return with_patterns(found, self.patterns)


def written(call: Call) -> str:
    """Write a call as Python would."""
    if call.arguments is None:
        return f"{call.tool}(…)"
    arguments = ", ".join(f"{name}={item!r}" for name, item in call.arguments.items())
    return shortened(f"{call.tool}({arguments})")


def told(difference: Difference) -> str:
    """Write a difference: the argument, what was expected, what was found."""
    note = f" ({difference.note})" if difference.note else ""
    expected, found = shortened(str(difference.expected)), shortened(value(difference.found))
    return f"{difference.where}: expected {expected}, found {found}{note}"
