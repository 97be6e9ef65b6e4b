"""Judge a conversation by its protocol, with error patterns and, if there is one, a judge.

Of very long messages only the beginning and the end are read.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from pytest_toolsandbox.conversation.messages import Message, Trajectory
from pytest_toolsandbox.language.protocol import protocol_of
from pytest_toolsandbox.language.roles import Role, calls_of
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import FINISH
from pytest_toolsandbox.scoring.error_patterns.accepted_calls import EVERYTHING, accepted_calls
from pytest_toolsandbox.scoring.error_patterns.find import error_patterns
from pytest_toolsandbox.scoring.error_patterns.patterns import ErrorPatterns
from pytest_toolsandbox.text.formatting import READ_LIMIT, beginning_and_end
from pytest_toolsandbox.text.regular_expression import few_seconds

from .results import Opinion, Result
from .words import WordsReading, plain_fault


def is_too_long(message: Message) -> bool:
    """Return whether only the beginning and the end are read of what the agent says, or answers."""
    if message.trace is not None and message.trace.tool_name == FINISH.name:
        return _is_long(message.trace.arguments.get("answer"))
    return message.sender is Role.AGENT and _is_long(message.content)


def _is_long(text: Any) -> bool:
    return isinstance(text, str) and len(text) > READ_LIMIT


def read_in_part(trajectory: Trajectory) -> Trajectory:
    """Return a conversation as it is judged: without the middle of what is too long."""
    if not any(map(is_too_long, trajectory.messages)):
        return trajectory
    return replace(trajectory, messages=tuple(map(_read, trajectory.messages)))


def _read(message: Message) -> Message:
    if not is_too_long(message):
        return message
    if message.trace is None:
        return replace(message, content=beginning_and_end(message.content))
    arguments = message.trace.arguments
    read = {**arguments, "answer": beginning_and_end(arguments["answer"])}
    return replace(message, trace=replace(message.trace, arguments=read))


WORK: Final = 200_000
"""The most pairs, of a call and one of a solution, that are compared for error patterns."""
_OF_NEW: Final = 10
"""So many pairs a pair counts as whose call has not been in another solution."""


@dataclass(frozen=True)
class Judgement:
    """What a protocol says of a conversation, and its error patterns compared with what.

    ``words`` says how the words were judged of a conversation whose state, calls and facts are
    right, unless it has no words to judge. ``opinion`` is that of a judge who was asked.
    """

    result: Result
    patterns: ErrorPatterns
    compared_with: Literal["solutions", "ground_truth", "itself"] = "solutions"
    opinion: Opinion | None = None
    words: WordsReading | None = None

    @property
    def passed(self) -> bool:
        """Whether the conversation is what its scenario asks for."""
        return self.result.passed


def judge(
    scenario: Scenario, trajectory: Trajectory, ask: Callable[[], Opinion] | None = None
) -> Judgement:
    """Judge a conversation: by state, calls and exact facts, and then by its words.

    A judge is asked, with ``ask``, only where the former are right, and the words are not those of
    a solution or there are criteria to check; then all of it must be right. What is said at length
    is read in part, the beginning and the end.

    Raises ``EmbedderError``, ``SlowSearchError`` and what ``ask`` raises.
    """
    protocol = protocol_of(scenario)
    with few_seconds():
        read = read_in_part(trajectory)
        judgement: Judgement = protocol.judge(scenario, read, judged=ask is not None)
        if not judgement.passed:
            return judgement
        words: WordsReading | None = protocol.words(scenario, read)
    opinion: Opinion | None = None
    has_words = words is not None and words != "exact"
    if ask is not None and (has_words or scenario.criteria):
        opinion, words = ask(), "judged"
        judgement = replace(judgement, opinion=opinion)
    elif words == "by_rules":
        opinion = plain_fault(scenario, read)
    if opinion is not None and not opinion.passed:
        result = protocol.with_opinion(scenario, read, judgement.result, opinion)
        judgement = replace(judgement, result=result)
    return replace(judgement, words=words)


def patterns_against_solutions(scenario: Scenario, trajectory: Trajectory) -> ErrorPatterns:
    """Return the error patterns against the written solutions, unless there are too many calls."""
    if _work(scenario, trajectory) > WORK:
        return replace(error_patterns(trajectory, scenario.tool_views), too_many=True)
    accepted = accepted_calls(scenario, trajectory)
    return error_patterns(trajectory, scenario.tool_views, accepted)


def _work(scenario: Scenario, trajectory: Trajectory) -> int:
    """Return how long it takes to compare each call with all calls of the solutions, in pairs."""
    steps = itertools.chain.from_iterable(scenario.solutions.values())
    written = [repr(call) for step in steps for call in calls_of(step)]
    pairs = len(written) + (_OF_NEW - 1) * len(set(written))
    return pairs * sum(message.sender is Role.AGENT for message in trajectory.messages)


def patterns_of_passed(scenario: Scenario, trajectory: Trajectory) -> ErrorPatterns:
    """Return those of a conversation that is right: no value is wrong, and no call is missing.

    A repetition is one as long as no solution makes the call as often.
    """
    patterns = error_patterns(trajectory, scenario.tool_views, EVERYTHING)
    if not patterns.calls["RAC"]:
        return patterns
    known = patterns_against_solutions(scenario, trajectory)
    if known.closest is None and not known.too_many:
        return patterns
    findings = () if known.too_many else known.findings
    repeated = {finding.message for finding in findings if finding.pattern == "RAC"}
    kept = (
        finding
        for finding in patterns.findings
        if finding.pattern != "RAC" or finding.message in repeated
    )
    return replace(patterns, findings=tuple(kept), too_many=known.too_many)
