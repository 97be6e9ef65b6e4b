"""The page of an item that did not pass: the verdict first, then its cause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.evaluation.judging import Judgement
from pytest_toolsandbox.evaluation.queries import QueryEvaluation
from pytest_toolsandbox.evaluation.results import Evaluation
from pytest_toolsandbox.evaluation.tooltalk.evaluate_calls import CallEvaluation
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.records.unscramble import in_own_names

from .milestones import milestones_page
from .query import query_page
from .replay import replay_page
from .transcript import transcript


def failure_page(scenario: Scenario, trajectory: Trajectory, judgement: Judgement) -> str:
    """Return the page of a conversation that failed, as its protocol has it."""
    patterns = in_own_names(judgement.patterns, scenario)
    match judgement.result:
        case Evaluation() as result:
            return milestones_page(scenario, trajectory, result, patterns)
        case CallEvaluation() as result:
            return replay_page(scenario, trajectory, result, patterns)
        case QueryEvaluation() as result:
            return query_page(scenario, trajectory, result, patterns)
        case other:
            raise TypeError(f"there is no page for {type(other).__name__}")


def error_page(reason: str, trajectory: Trajectory) -> str:
    """Return the page of a conversation that could not be finished, the reason in its first line.

    Where it had not begun there is nothing but the reason.
    """
    messages = list(transcript(trajectory))
    return "\n".join([reason, "", "conversation so far", *messages] if messages else [reason])


def trials_page(pages: Mapping[int, str], trials: int) -> str:
    """Join the pages of the trials that failed, by their number; the same page stands once."""
    if trials == 1:
        return next(iter(pages.values()))
    numbers: dict[str, list[int]] = {}
    for trial, text in pages.items():
        numbers.setdefault(text, []).append(trial)
    parts = [f"{_trials(same)}: {text}" for text, same in numbers.items()]
    return f"{len(pages)} of {trials} trials failed; " + "\n\n".join(parts)


def _trials(numbers: Sequence[int]) -> str:
    return f"trial{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"
