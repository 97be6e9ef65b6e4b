"""Proposes a scenario from conversations that went well, and proves it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_toolsandbox.authoring.proof.played_solution import played
from pytest_toolsandbox.authoring.proof.proof import Proof, prove
from pytest_toolsandbox.conversation.play import PlayError
from pytest_toolsandbox.language.compact_yaml import write_compact_yaml
from pytest_toolsandbox.language.loading import read_file
from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.scoring.judging import judge

from .conversations import Conversation
from .demands import demands, relaxed
from .document import Document, proposed_document
from .steps import needed_calls, solution_steps

_IN_BLOCKS: Final = {"milestones": 1, "solutions": 3}


@dataclass
class Proposal:
    """A proposed scenario: its text, what ``check`` says of it, and conversations that it fails."""

    text: str
    scenario: Scenario
    proof: Proof
    failing: list[str] = field(default_factory=list)


def propose(
    document: Mapping[str, Any], name: str, conversations: Sequence[Conversation]
) -> Proposal:
    """Return the scenario that conversations of the same task have in common.

    ``document`` has the keys of the scenario that they began with.
    """
    scripts = {c.name: solution_steps(c, needed_calls(c)) for c in conversations}
    least: tuple[list[str], Document] | None = None
    for common in relaxed(demands(conversations)):
        proposed = proposed_document(document, conversations, common, scripts)
        failing = _failing(read_document(proposed, name), conversations)
        if least is None or len(failing) < len(least[0]):
            least = failing, proposed
        if not failing:
            break
    assert least is not None
    failing, proposed = least
    proposed["counterexamples"] = counterexample_for(proposed, name)
    scenario = read_document(proposed, name)
    return Proposal(text_of(proposed), scenario, prove(scenario), failing)


def text_of(document: Document) -> str:
    """Return a scenario as YAML."""
    return write_compact_yaml(document, _IN_BLOCKS)


def read_document(document: Document, name: str) -> Scenario:
    """Return the scenario of a document. Raises ``ScenarioError``."""
    (scenario,) = read_file(text_of(document).encode(), name, f"{name}.scenario.yaml")
    return scenario


def _failing(scenario: Scenario, conversations: Sequence[Conversation]) -> list[str]:
    return [c.name for c in conversations if not judge(scenario, c.trajectory).passed]


def counterexample_for(document: Document, name: str) -> Document:
    """Return a counterexample that fails: the solution without a call, or other words alone."""
    (steps,) = document["solutions"].values()
    tools = [tool for step in steps for tool in _tools(step)]
    candidates: dict[str, Any] = {f"without_{tool}": {tool: []} for tool in reversed(tools)}
    candidates["only_claims_it"] = "I have done it."
    for key, steps in candidates.items():
        try:
            scenario = read_document({**document, "counterexamples": {key: steps}}, name)
            trajectory = played(scenario, scenario.counterexamples[key])
        except (PlayError, ScenarioError):  # later steps need the result
            continue
        if not judge(scenario, trajectory).passed:
            return {key: steps}
    return {"only_claims_it": "I have done it."}


def _tools(step: Document) -> Iterator[str]:
    if "parallel" in step:
        for call in step["parallel"]:
            yield from call
    elif "say" not in step:
        yield from step
