"""The page of a query that was not answered as expected."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.evaluation.error_patterns.patterns import PATTERN_NAMES, ErrorPatterns
from pytest_toolsandbox.evaluation.queries import QueryEvaluation
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario

from .differences import value
from .findings import pattern_lines, with_patterns
from .transcript import shortened, transcript


def query_page(
    scenario: Scenario, trajectory: Trajectory, result: QueryEvaluation, patterns: ErrorPatterns
) -> str:
    """Return the page, its verdict in the first line."""
    return "\n".join(_lines(scenario, trajectory, result, patterns))


def _lines(
    scenario: Scenario, trajectory: Trajectory, result: QueryEvaluation, patterns: ErrorPatterns
) -> Iterator[str]:
    yield f"score 0 of 1: {_verdict(scenario, trajectory, result)}"
    if scenario.summary:
        yield from ("", shortened(scenario.summary))
    if result.differences and result.conclusion:
        yield from ("", "answer")
        for difference in result.differences:
            yield f"  expected {shortened(difference.expected)}"
            note = f"  ({shortened(difference.note)})" if difference.note else ""
            yield f"  found    {shortened(value(result.conclusion.answer))}{note}"
    yield from pattern_lines(patterns)
    yield from ("", "conversation")
    yield from transcript(trajectory, with_patterns({}, patterns))
    if result.conclusion is None:
        yield f"  cut off: {_limit(scenario, trajectory)}"


def _verdict(scenario: Scenario, trajectory: Trajectory, result: QueryEvaluation) -> str:
    if result.conclusion is None:
        return f"not answered: {_limit(scenario, trajectory)}"
    if not result.answered:
        return f"wrong answer {shortened(value(result.conclusion.answer))}"
    forbidden = ", ".join(f"{name} ({PATTERN_NAMES[name]})" for name in result.forbidden)
    return f"the answer is right, but there is a forbidden error pattern: {forbidden}"


def _limit(scenario: Scenario, trajectory: Trajectory) -> str:
    made = sum(message.sender is Role.AGENT for message in trajectory.messages)
    if made >= scenario.max_calls:
        return f"max_calls is {scenario.max_calls}"
    return f"max_messages is {scenario.max_messages}"
