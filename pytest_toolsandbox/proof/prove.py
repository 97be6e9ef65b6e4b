"""The proof of a scenario of any protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pytest_toolsandbox.agents.scripted import oracle
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import converse
from pytest_toolsandbox.evaluation.error_patterns.patterns import ErrorPatterns
from pytest_toolsandbox.language.protocol import protocol_of
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.users.user import scripted_user

from .proof import Proof


def prove(scenario: Scenario) -> Proof:
    """Prove a scenario. Meanings are compared by the embedder that is in use."""
    proof: Proof = protocol_of(scenario).prove(scenario)
    return proof


def faulty_solutions(
    scenario: Scenario, patterns: Callable[[Scenario, Trajectory], ErrorPatterns]
) -> Iterator[str]:
    """Say which solutions, or recorded turns, have error patterns."""
    user = scripted_user(scenario)
    for name in scenario.solutions or (None,):
        trajectory = converse(scenario, oracle(scenario, name), user)
        if findings := patterns(scenario, trajectory).findings:
            what = "the recorded conversation" if name is None else f"solution {name!r}"
            yield f"{what} has findings: {'; '.join(finding.words for finding in findings)}"
