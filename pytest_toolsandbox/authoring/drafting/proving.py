"""Proposes a scenario from the conversations of a draft, and says whether it is proven.

If too many mutants survive, what ``strengthen`` finds is added, as long as the conversations pass.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pytest_toolsandbox.authoring.proof.proof import Proof, prove
from pytest_toolsandbox.authoring.proposing.conversations import Conversation
from pytest_toolsandbox.authoring.proposing.proposal import (
    Proposal,
    propose,
    read_document,
    text_of,
)
from pytest_toolsandbox.authoring.strengthening import remedies, strengthened
from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.yaml12 import read_yaml
from pytest_toolsandbox.scoring.judging import judge
from pytest_toolsandbox.text.formatting import pluralize


def proposed(
    document: Mapping[str, Any], name: str, good: Sequence[Conversation], mutation_score: float
) -> Proposal:
    """Return the scenario that conversations have in common, stronger if mutants survive.

    ``mutation_score`` is the share of mutants that must die.
    """
    proposal = propose(document, name, good)
    if proposal.failing or proposal.proof.findings or _dies(proposal.proof, mutation_score):
        return proposal
    content, _ = read_yaml(proposal.text.encode(), name)
    proof = proposal.proof

    def read(changed: Mapping[str, Any]) -> Scenario | None:
        try:
            return read_document(dict(changed), name)
        except ScenarioError:
            return None

    stronger = strengthened(content, remedies(content, proposal.scenario, proof, read))
    scenario = read(stronger)
    if scenario is None or not all(judge(scenario, c.trajectory).passed for c in good):
        return proposal
    again = prove(scenario)
    if again.findings or len(again.survivors) >= len(proof.survivors):
        return proposal
    return replace(proposal, text=text_of(stronger), scenario=scenario, proof=again, lines=[])


def _dies(proof: Proof, mutation_score: float) -> bool:
    return proof.died.total() >= mutation_score * proof.made.total()


def unproven(proposal: Proposal, mutation_score: float) -> str:
    """Return why a proposal is not proven, as ``check`` proves scenarios; empty if it is."""
    if proposal.failing:
        return f"{proposal.failing[0]} does not pass"
    if proposal.proof.findings:
        return proposal.proof.findings[0]
    proof = proposal.proof
    if not _dies(proof, mutation_score):
        first = proof.survivors[0]
        return f"{mutants_died(proof)}; for one, {first.kind}, {first.what}: {first.reason}"
    return ""


def mutants_died(proof: Proof) -> str:
    """Return how many mutants died, in words."""
    return f"{proof.died.total()} of {pluralize(proof.made.total(), 'mutant')} died"
