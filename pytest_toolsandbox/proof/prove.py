"""The proof of a scenario of any protocol."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_toolsandbox.agents.scripted import oracle
from pytest_toolsandbox.conversation.converse import converse
from pytest_toolsandbox.evaluation.judging import patterns_against_solutions
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.users.user import scripted_user

from .milestones import prove_milestones
from .proof import Proof
from .queries import prove_query
from .replays import prove_replay


def prove(scenario: Scenario) -> Proof:
    """Prove a scenario. Meanings are compared by the embedder that is in use."""
    if scenario.query is not None:
        return prove_query(scenario)
    proof = prove_milestones(scenario) if scenario.replay is None else prove_replay(scenario)
    if not proof.findings:
        proof.findings += _faulty_solutions(scenario)
    return proof


def _faulty_solutions(scenario: Scenario) -> Iterator[str]:
    """Say which solutions, or true turns of a recorded conversation, have error patterns."""
    user = scripted_user(scenario)
    for name in scenario.solutions if scenario.replay is None else (None,):
        trajectory = converse(scenario, oracle(scenario, name), user)
        if findings := patterns_against_solutions(scenario, trajectory).findings:
            what = "the recorded conversation" if name is None else f"solution {name!r}"
            yield f"{what} has findings: {'; '.join(finding.words for finding in findings)}"
