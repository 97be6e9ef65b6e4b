"""Judge a conversation by its protocol, with error patterns and an optional judge of the words.

Only the beginning and the end of very long messages are read.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from pytest_toolsandbox.conversation.messages import Message, Trajectory
from pytest_toolsandbox.language.error_patterns import PATTERNS
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
    """Return whether a message or answer of the agent is too long to be read completely."""
    if message.trace is not None and message.trace.tool_name == FINISH.name:
        return _is_long(message.trace.arguments.get("answer"))
    return message.sender is Role.AGENT and _is_long(message.content)


def _is_long(text: Any) -> bool:
    return isinstance(text, str) and len(text) > READ_LIMIT


def read_in_part(trajectory: Trajectory) -> Trajectory:
    """Return a conversation without the middle of texts that are too long."""
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
"""The limit of pairs, of a call and a call of a solution, compared for error patterns."""
_OF_NEW: Final = 10
"""The cost of a pair if its call is not in an earlier solution, since the others are cached."""


@dataclass(frozen=True)
class Judgement:
    """The result of a protocol, and the error patterns with their basis of comparison.

    ``words`` says how the words were judged if state, calls and facts are right and there are words
    to judge. ``opinion`` is that of a judge, if one was asked.
    """

    result: Result
    patterns: ErrorPatterns
    compared_with: Literal["solutions", "ground_truth", "itself"] = "solutions"
    opinion: Opinion | None = None
    words: WordsReading | None = None

    @property
    def passed(self) -> bool:
        """Whether the conversation meets all requirements of its scenario."""
        return self.result.passed

    @property
    def is_lost_by_calls(self) -> bool:
        """Whether calls of the solution are missing or wrong, which explains wrong words."""
        patterns = self.patterns
        if any(patterns.calls[name] for name in PATTERNS if PATTERNS[name].solutions_only):
            return True
        wrong = {finding.message for finding in patterns.findings if finding.pattern != "RAC"}
        return any(call.message in wrong for call in patterns.closest_calls)


def judge(
    scenario: Scenario, trajectory: Trajectory, ask: Callable[[], Opinion] | None = None
) -> Judgement:
    """Judge a conversation: first its state, calls and exact facts, then its words.

    A judge is asked, with ``ask``, only if the former are right, and if the words differ from those
    of all solutions or there are criteria to check. Only the beginning and the end of long texts
    are read.

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
    """Return the error patterns against the written solutions, if the calls are not too many."""
    if _work(scenario, trajectory) > WORK:
        return replace(error_patterns(trajectory, scenario.tool_views), too_many=True)
    accepted = accepted_calls(scenario, trajectory)
    return error_patterns(trajectory, scenario.tool_views, accepted)


def _work(scenario: Scenario, trajectory: Trajectory) -> int:
    """Return the work, in pairs, of comparing each call with all calls of the solutions."""
    steps = itertools.chain.from_iterable(scenario.solutions.values())
    written = [repr(call) for step in steps for call in calls_of(step)]
    pairs = len(written) + (_OF_NEW - 1) * len(set(written))
    return pairs * sum(message.sender is Role.AGENT for message in trajectory.messages)


def patterns_of_passed(scenario: Scenario, trajectory: Trajectory) -> ErrorPatterns:
    """Return the error patterns of a right conversation: without wrong values and missing calls.

    A call is a repetition if no solution has it as often.
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
