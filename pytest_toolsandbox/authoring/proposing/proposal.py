"""Proposes a scenario from conversations that went well, and proves it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
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
from .document import Document, Plan, proposed_document
from .minefields import wrong_attempts, wrong_writes
from .steps import needed_calls, solution_steps
from .survivors import killing_lines

_MOST_STEPS: Final = 6
"""Longer bad conversations are no counterexamples: people write what differs."""
_IN_BLOCKS: Final = {"milestones": 1, "solutions": 3}


@dataclass
class Proposal:
    """A proposed scenario: its text, and what ``check`` says of it.

    ``failing`` names good conversations that do not pass, ``passing`` bad ones that do. ``lines``
    has for each survivor of the proof a line that would kill it, if there is any.
    """

    text: str
    scenario: Scenario
    proof: Proof
    failing: Sequence[str]
    passing: Sequence[str]
    lines: Sequence[str | None]


def propose(
    document: Mapping[str, Any],
    name: str,
    good: Sequence[Conversation],
    bad: Sequence[Conversation] = (),
) -> Proposal:
    """Return the scenario that good conversations of a task have in common.

    ``document`` has the keys of the scenario that they began with. What only ``bad`` conversations
    do becomes minefields.
    """
    scripts = {c.name: solution_steps(c, needed_calls(c)) for c in good}
    solution, steps = min(scripts.items(), key=lambda script: len(script[1]))
    spoken = sorted(good, key=lambda conversation: conversation.name != solution)
    mines = wrong_writes(good, bad)
    best: tuple[int, int, Document] | None = None
    for common in relaxed(demands(good)):
        for has_since, order in itertools.product((True, False), (spoken, good)):
            plan = Plan(common, solution, steps, order, has_since, mines)
            proposed = proposed_document(document, plan)
            scenario = read_document({**proposed, "solutions": scripts}, name)
            failing = _passing(scenario, good, passes=False)
            failing += [key for key in scripts if not _is_played(scenario, key)]
            rank = len(failing), len(text_of(proposed).splitlines())
            if best is None or rank < best[:2]:
                best = *rank, proposed
        if best and best[0] == 0:
            break
    assert best is not None
    return _with_proof(best[-1], name, good, bad)


def _with_proof(
    proposed: Document, name: str, good: Sequence[Conversation], bad: Sequence[Conversation]
) -> Proposal:
    """Return a proposal with minefields for bad conversations that pass, and counterexamples."""
    scenario = read_document(proposed, name)
    if passing := _passing(scenario, bad, passes=True):
        attempts = wrong_attempts(good, [c for c in bad if c.name in passing])
        if attempts:
            proposed["minefields"] = {**proposed.get("minefields", {}), **attempts}
    proposed["counterexamples"] = counterexample_for(proposed, name, bad)
    scenario = read_document(proposed, name)
    failing = _passing(scenario, good, passes=False)
    passing = _passing(scenario, bad, passes=True)
    proof = prove(scenario)
    lines = killing_lines(
        proposed,
        partial(read_document, name=name),
        proof.survivors,
        [conversation.trajectory for conversation in good],
    )
    return Proposal(text_of(proposed), scenario, proof, failing, passing, lines)


def text_of(document: Document) -> str:
    """Return a scenario as YAML."""
    return write_compact_yaml(document, _IN_BLOCKS)


def read_document(document: Document, name: str) -> Scenario:
    """Return the scenario of a document. Raises ``ScenarioError``."""
    (scenario,) = read_file(text_of(document).encode(), name, f"{name}.scenario.yaml")
    return scenario


def _passing(
    scenario: Scenario, conversations: Sequence[Conversation], *, passes: bool
) -> list[str]:
    """Return the conversations that pass, or those that do not."""
    return [c.name for c in conversations if judge(scenario, c.trajectory).passed is passes]


def _is_played(scenario: Scenario, name: str) -> bool:
    """Return whether a solution can be played with the scripted user, and passes."""
    try:
        return judge(scenario, played(scenario, scenario.solutions[name])).passed
    except PlayError:
        return False


def counterexample_for(document: Document, name: str, bad: Sequence[Conversation] = ()) -> Document:
    """Return a counterexample that fails.

    It is a short bad conversation, the solution without a call, or other words alone.
    """
    (steps,) = document["solutions"].values()
    tools = [tool for step in steps for tool in _tools(step)]
    seen = {c.name: solution_steps(c, range(len(c.calls))) for c in bad}
    candidates: dict[str, Any] = {key: s for key, s in seen.items() if len(s) <= _MOST_STEPS}
    candidates |= {f"without_{tool}": {tool: []} for tool in reversed(tools)}
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
