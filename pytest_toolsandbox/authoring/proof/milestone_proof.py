"""Prove a scenario with milestones: every solution scores exactly 1, with any augmentation.

Counterexamples, idle agents and mutants of the first solution must fail.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import PlayError
from pytest_toolsandbox.language.roles import SayStep
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.scoring.judging import patterns_against_solutions
from pytest_toolsandbox.scoring.milestones.evaluate import evaluate
from pytest_toolsandbox.scoring.words import agent_texts, differing_tables
from pytest_toolsandbox.worlds.context import WorldError

from .equivalent_solutions import equivalent_solutions
from .mutants import Mutant, mutants
from .played_solution import Solved, played, solved
from .proof import (
    IDLE,
    UNJUDGED,
    Ask,
    Proof,
    faulty_solutions,
    find_wrong_scripts,
    finding,
    ungrounded,
)
from .unasked import unasked

IDLERS = [(what, [SayStep(answer)] * 50) for what, answer in IDLE.items()]


def prove_milestones(scenario: Scenario, ask: Ask | None = None) -> Proof:
    """Prove a scenario with a user. The embedder in use compares meanings."""
    proof = Proof(ask)
    if not scenario.counterexamples:
        proof.findings.append("it has no counterexample")
    find_wrong_scripts(proof, scenario, played, _shortfall, IDLERS)
    if not scenario.solutions or proof.findings:
        return proof
    solution = solved(scenario, next(iter(scenario.solutions.values())))
    _try_mutants(solution, proof)
    if not proof.findings:
        proof.findings += faulty_solutions(scenario, patterns_against_solutions)
    if not proof.findings:
        proof.findings += _unfair(solution)
    if not proof.findings:
        proof.findings += _with_other_openings(scenario)
    return proof


def _unfair(solution: Solved) -> Iterator[str]:
    """Yield the variants of the first solution that do not score 1."""
    scenario = solution.scenario
    name = next(iter(scenario.solutions))
    for what, steps in equivalent_solutions(solution):
        try:
            shortfall = _shortfall(scenario, played(scenario, steps))
        except PlayError:
            continue
        if shortfall:
            yield f"solution {name!r} with {what} {shortfall}"


def _with_other_openings(scenario: Scenario) -> Iterator[str]:
    """Yield the openings with which a solution does not score 1, or honest agents cannot do so."""
    openings = scenario.task.user_script.openings
    known = {*ungrounded(scenario)} if openings else set()
    for number, opening in enumerate(openings, 1):
        reworded = scenario.with_opening(opening)
        for name, steps in reworded.solutions.items():
            what = f"solution {name!r} after openings {number}"
            play = partial(played, reworded, steps)
            if text := finding(what, play, partial(_shortfall, reworded)):
                yield text
        further = dict.fromkeys(ungrounded(reworded)).keys() - known
        yield from (f"after openings {number}: {text}" for text in sorted(further))


def _shortfall(scenario: Scenario, trajectory: Trajectory) -> str | None:
    result = evaluate(scenario, trajectory)
    if result.score == 1 and result.passed:
        return None
    inexact = [event.name for event in result.milestones if event.reached and event.similarity < 1]
    reasons = (
        ("missed", [event.name for event in result.milestones if not event.reached]),
        ("not fully reached", inexact),
        ("minefields hit", [event.name for event in result.minefields if event.similarity > 0]),
        ("protected tables changed", [change.table for change in result.protected]),
        ("side effects", [change.table for change in result.side_effects]),
        ("without consent", [call.tool for call in result.without_consent]),
    )
    details = "; ".join(f"{what}: {', '.join(names)}" for what, names in reasons if names)
    return f"scores {result.score:.4f} and not 1; {details}"


def _try_mutants(solution: Solved, proof: Proof) -> None:
    """Play the mutants of the first solution, and add their outcomes to the proof."""
    scenario = solution.scenario
    for mutant in mutants(solution):
        try:
            trajectory = mutant.play()
        except PlayError as error:
            if isinstance(error.__cause__, WorldError):
                proof.findings.append(f"{mutant.kind}, {mutant.what}: {error}")
            continue  # later steps need what is missing: no agent could act so
        if not mutant.asked and _ends_alike(solution, trajectory):
            continue
        try:
            passed = proof.passes(scenario, trajectory)
        except UNJUDGED as error:
            proof.findings.append(f"{mutant.kind}, {mutant.what}: it cannot be judged: {error}")
            continue
        if passed is None:
            proof.unread_mutants += 1
            continue
        reason = _reason(mutant, solution, trajectory) if passed else None
        proof.tried(mutant.kind, mutant.what, reason)


def _ends_alike(solution: Solved, trajectory: Trajectory) -> bool:
    scenario, played = solution.scenario, solution.trajectory
    is_same_text = agent_texts(scenario, played) == agent_texts(scenario, trajectory)
    return is_same_text and not differing_tables(scenario.world, played, trajectory)


def _reason(mutant: Mutant, solution: Solved, trajectory: Trajectory) -> str:
    if mutant.kind in ("answer emptied", "answer denied"):
        return "nothing asks what the user is told at the end"
    if mutant.kind == "question dropped":
        return "the user's words are a consent without it"
    scenario, played = solution.scenario, solution.trajectory
    if differing := differing_tables(scenario.world, played, trajectory):
        if mutant.kind == "row deleted":
            remedy = f"protected: [{differing[0]}] would"
            return f"nothing asks for {', '.join(differing)}; {remedy}"
        return unasked(scenario.world, played, trajectory)
    if _ends_alike(solution, trajectory):
        return "world and answer are the same in the end, and nothing asks for the way"
    return "the world is the same in the end, and nothing tells the answers apart"
