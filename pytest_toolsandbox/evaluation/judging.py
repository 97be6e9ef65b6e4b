"""Judges a conversation by the protocol of its scenario, and finds SpecTool's error patterns."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.language.scenario import Scenario

from .error_patterns.accepted_calls import EVERYTHING, accepted_calls, true_calls_accepted
from .error_patterns.attempts import CallingProtocol
from .error_patterns.find import error_patterns
from .error_patterns.patterns import PATTERNS, ErrorPatterns
from .milestones.evaluate import evaluate
from .queries import evaluate_query
from .results import Result
from .tooltalk.evaluate_replay import evaluate_replay


@dataclass(frozen=True)
class Judgement:
    """What the protocol of a scenario says of a conversation, and its error patterns."""

    result: Result
    patterns: ErrorPatterns

    @property
    def passed(self) -> bool:
        """Whether the conversation is what the scenario asks for."""
        return self.result.passed


def judge(scenario: Scenario, trajectory: Trajectory) -> Judgement:
    """Judge a conversation.

    Raises :class:`~pytest_toolsandbox.matchers.embedding.EmbedderError`.
    """
    if scenario.replay is not None:
        return _judged_replay(scenario, trajectory)
    if scenario.query is not None:
        patterns = patterns_against_solutions(scenario, trajectory)
        found = [pattern for pattern in PATTERNS if patterns.calls[pattern]]
        return Judgement(evaluate_query(scenario.query, trajectory, found), patterns)
    result = evaluate(scenario, trajectory)
    if not result.passed:
        return Judgement(result, patterns_against_solutions(scenario, trajectory))
    protocol = CallingProtocol(since=trajectory.first)
    patterns = error_patterns(trajectory, scenario.shown_tools, EVERYTHING, protocol)
    return Judgement(result, patterns)


def _judged_replay(scenario: Scenario, trajectory: Trajectory) -> Judgement:
    result = evaluate_replay(scenario, trajectory)
    protocol = CallingProtocol(turns_apart=True)
    accepted = true_calls_accepted(result)
    patterns = error_patterns(trajectory, scenario.shown_tools, accepted, protocol)
    return Judgement(result, patterns)


def patterns_against_solutions(scenario: Scenario, trajectory: Trajectory) -> ErrorPatterns:
    """Return the error patterns against the written solutions, or the true calls of a replay.

    A conversation with a simulated user that reached everything has its own way, and none of these
    patterns for that: :func:`judge` compares only those that failed.
    """
    if scenario.replay is not None:
        return _judged_replay(scenario, trajectory).patterns
    accepted = accepted_calls(scenario, trajectory)
    protocol = CallingProtocol(since=trajectory.first)
    return error_patterns(trajectory, scenario.shown_tools, accepted, protocol)
