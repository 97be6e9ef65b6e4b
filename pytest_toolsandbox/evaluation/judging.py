"""Judges a conversation by the protocol of its scenario, and finds SpecTool's error patterns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.language.protocol import protocol_of
from pytest_toolsandbox.language.scenario import Scenario

from .error_patterns.accepted_calls import accepted_calls
from .error_patterns.find import error_patterns
from .error_patterns.patterns import ErrorPatterns
from .results import Result


@dataclass(frozen=True)
class Judgement:
    """What a protocol says of a conversation, and its error patterns compared with what."""

    result: Result
    patterns: ErrorPatterns
    compared_with: Literal["solutions", "ground_truth", "itself"] = "solutions"

    @property
    def passed(self) -> bool:
        """Whether the conversation is what the scenario asks for."""
        return self.result.passed


def judge(scenario: Scenario, trajectory: Trajectory) -> Judgement:
    """Judge a conversation. Raises ``EmbedderError`` of ``matchers.embedding``."""
    judgement: Judgement = protocol_of(scenario).judge(scenario, trajectory)
    return judgement


def patterns_against_solutions(scenario: Scenario, trajectory: Trajectory) -> ErrorPatterns:
    """Return the error patterns against the written solutions."""
    accepted = accepted_calls(scenario, trajectory)
    return error_patterns(trajectory, scenario.tool_views, accepted)
