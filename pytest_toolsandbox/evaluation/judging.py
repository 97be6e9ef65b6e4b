"""Judges a conversation by the protocol of its scenario, and finds SpecTool's error patterns."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.language.protocol import protocol_of
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.steps import calls_of
from pytest_toolsandbox.matchers.embedding import EmbedderError
from pytest_toolsandbox.waiting.lasting import undisturbed
from pytest_toolsandbox.wording.regular_expression import SlowSearchError, few_seconds

from .error_patterns.accepted_calls import EVERYTHING, accepted_calls
from .error_patterns.find import error_patterns
from .error_patterns.patterns import ErrorPatterns
from .long_texts import read_in_part
from .opinion import Opinion
from .results import Result

WORK: Final = 200_000
"""The most pairs, of a call and one of a solution, that are compared for error patterns."""
_OF_NEW: Final = 10
"""So many pairs a pair counts as whose call has not been in another solution."""


@dataclass(frozen=True)
class Judgement:
    """What a protocol says of a conversation, and its error patterns compared with what.

    Where a judge was asked, its ``opinion`` decided, and ``by_rules`` says whether it would have
    passed without. Where nobody was named who could be asked, ``words_alone`` says whether it
    failed though all calls and changes are right.
    """

    result: Result
    patterns: ErrorPatterns
    compared_with: Literal["solutions", "ground_truth", "itself"] = "solutions"
    opinion: Opinion | None = None
    by_rules: bool | None = None
    words_alone: bool = False

    @property
    def passed(self) -> bool:
        """Whether the conversation is what the scenario asks for."""
        return self.result.passed


def judge(scenario: Scenario, trajectory: Trajectory) -> Judgement:
    """Judge a conversation; what it says at length, by the beginning and the end.

    Raises ``EmbedderError`` and ``SlowSearchError``.
    """
    judgement: Judgement = _within_limits(protocol_of(scenario).judge, scenario, trajectory)
    return judgement


def judge_by_rules(scenario: Scenario, trajectory: Trajectory) -> Judgement:
    """Judge a conversation as :func:`judge` does, and say whether words alone failed it.

    Where that cannot be found out, they did not.
    """
    judgement = judge(scenario, trajectory)
    if judgement.passed:
        return judgement
    with suppress(EmbedderError, SlowSearchError):
        in_any_words = _in_any_words(scenario, trajectory)
        return replace(judgement, words_alone=in_any_words is not None)
    return judgement


def judge_with(scenario: Scenario, trajectory: Trajectory, ask: Callable[[], Opinion]) -> Judgement:
    """Judge a conversation as :func:`judge` does, and its words by the opinion of somebody else.

    Nobody is asked where calls or changes decide, whatever is said, or the protocol looks at no
    words. Raises what ``ask`` raises, too.
    """
    by_rules = judge(scenario, trajectory)
    in_any_words = _in_any_words(scenario, trajectory)
    if in_any_words is None:
        return by_rules
    opinion, protocol = ask(), protocol_of(scenario)
    found = by_rules if by_rules.passed else in_any_words
    if not opinion.is_right:
        result = protocol.with_opinion(scenario, trajectory, in_any_words.result, opinion)
        found = replace(in_any_words, result=result)
    return replace(found, opinion=opinion, by_rules=by_rules.passed)


def _in_any_words(scenario: Scenario, trajectory: Trajectory) -> Judgement | None:
    """Return the judgement that passes if the words are right; ``None`` if they do not decide."""
    judge_by = protocol_of(scenario).judge_in_any_words
    found: Judgement | None = _within_limits(judge_by, scenario, trajectory)
    return found if found is not None and found.passed else None


def _within_limits(judge_by: Callable[..., Any], scenario: Scenario, trajectory: Trajectory) -> Any:
    with few_seconds(), undisturbed():  # of what it makes, most stays to its end
        return judge_by(scenario, read_in_part(trajectory))


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
    found = () if known.too_many else known.findings
    repeated = {one.message for one in found if one.pattern == "RAC"}
    kept = (one for one in patterns.findings if one.pattern != "RAC" or one.message in repeated)
    return replace(patterns, findings=tuple(kept), too_many=known.too_many)
