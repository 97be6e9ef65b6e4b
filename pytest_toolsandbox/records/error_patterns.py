"""What a record says of error patterns, and of the answer to a query, as plain values."""

from __future__ import annotations

import dataclasses
from typing import Any

from pytest_toolsandbox.evaluation.error_patterns.patterns import ErrorPatterns, Finding
from pytest_toolsandbox.evaluation.queries import QueryEvaluation
from pytest_toolsandbox.language.scenario import Scenario

from .unscramble import in_own_names


def error_patterns_record(patterns: ErrorPatterns, scenario: Scenario) -> dict[str, Any]:
    """Return counts and scores of the patterns, and each finding in a few words.

    The words have the world's names of tools and arguments, whatever the agent knew them by.
    """
    max_calls = scenario.max_calls
    return {
        "max_calls": max_calls,
        "calls": dict(patterns.calls),
        "scores": dict(patterns.scores(max_calls)),
        "lowest_scores": dict(patterns.lowest_scores(max_calls)),
        "solutions": [dataclasses.asdict(one) for one in patterns.solutions],
        "closest": patterns.closest,
        "words": [finding.words for finding in in_own_names(patterns, scenario).findings],
    }


def finding_record(finding: Finding) -> dict[str, Any]:
    """Return all of a finding."""
    return dataclasses.asdict(finding)


def answer_record(result: QueryEvaluation) -> dict[str, Any]:
    """Return how a query was concluded."""
    conclusion = result.conclusion
    return {
        "answer": conclusion.answer if conclusion else None,
        "concluded_by": conclusion.by if conclusion else None,
        "answered": result.answered,
        "differences": [dataclasses.asdict(one) for one in result.differences],
        "forbidden": result.forbidden,
    }
