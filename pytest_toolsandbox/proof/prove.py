"""The proof of a scenario of any protocol, and of what is said of the faults in it."""

from __future__ import annotations

from pytest_toolsandbox.language.scenario import Scenario

from .milestones import prove_milestones
from .patterns import prove_patterns
from .proof import Proof
from .queries import prove_query
from .replays import prove_replay


def prove(scenario: Scenario) -> Proof:
    """Prove a scenario. Meanings are compared by the embedder that is in use."""
    proof = _prove(scenario)
    if not proof.findings:
        prove_patterns(scenario, proof)
    return proof


def _prove(scenario: Scenario) -> Proof:
    if scenario.replay is not None:
        return prove_replay(scenario)
    if scenario.query is not None:
        return prove_query(scenario)
    return prove_milestones(scenario)
