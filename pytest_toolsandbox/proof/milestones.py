"""Milestones: every solution scores exactly 1, however the tools are augmented.

No counterexample passes, nor an idle agent, nor a mutant of the first solution.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import PlayError
from pytest_toolsandbox.evaluation.judging import patterns_against_solutions
from pytest_toolsandbox.evaluation.milestones.evaluate import evaluate
from pytest_toolsandbox.evaluation.results import Evaluation
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.steps import SayStep, Step
from pytest_toolsandbox.matchers.embedding import EmbedderError
from pytest_toolsandbox.wording.regular_expression import SlowSearchError
from pytest_toolsandbox.worlds.errors import WorldError
from pytest_toolsandbox.worlds.state import Table
from pytest_toolsandbox.worlds.tables import NEW_IDENTIFIER

from .fair import as_right
from .mutants import Mutant, mutants
from .proof import IDLE, Proof, faulty_solutions, wrong_scripts
from .solved import Solved, played, solved

IDLERS = [(what, [SayStep(answer)] * 50) for what, answer in IDLE.items()]


def prove_milestones(scenario: Scenario) -> Proof:
    """Prove a scenario with a user. Meanings are compared by the embedder that is in use."""
    proof = Proof()
    if not scenario.counterexamples:
        proof.findings.append("it has no counterexample")
    proof.findings += wrong_scripts(scenario, _judged, _shortfall, IDLERS)
    if not scenario.solutions or proof.findings:
        return proof
    solution = solved(scenario, next(iter(scenario.solutions.values())))
    try_mutants(solution, proof)
    if not proof.findings:
        proof.findings += faulty_solutions(scenario, patterns_against_solutions)
    if not proof.findings:
        proof.findings += _unfair(solution)
    return proof


def _unfair(solution: Solved) -> Iterator[str]:
    """Yield the ways in which the first solution may be taken as well, and that do not score 1."""
    scenario = solution.scenario
    name = next(iter(scenario.solutions))
    for what, steps in as_right(solution):
        try:
            shortfall = _shortfall(scenario, _judged(scenario, steps))
        except PlayError:
            continue
        if shortfall:
            yield f"solution {name!r} with {what} {shortfall}"


def _judged(scenario: Scenario, steps: Sequence[Step]) -> Evaluation:
    return evaluate(scenario, played(scenario, steps))


def _shortfall(_: Scenario, result: Evaluation) -> str | None:
    if result.score == 1 and result.passed:
        return None
    inexact = [event.name for event in result.milestones if event.reached and event.similarity < 1]
    reasons = (
        ("missed", [event.name for event in result.milestones if not event.reached]),
        ("not fully reached", inexact),
        ("minefields hit", [event.name for event in result.minefields if event.similarity > 0]),
        ("protected tables changed", [change.table for change in result.protected]),
        ("side effects", [change.table for change in result.side_effects]),
        ("invented", [f"{one.claim!r} ({one.why})" for one in result.inventions]),
    )
    told = "; ".join(f"{what}: {', '.join(names)}" for what, names in reasons if names)
    return f"scores {result.score:.4f} and not 1; {told}"


def try_mutants(solution: Solved, proof: Proof) -> None:
    """Play the mutants of the first solution, and add to the proof what became of them."""
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
            passed = evaluate(scenario, trajectory).passed
        except (EmbedderError, SlowSearchError) as error:
            proof.findings.append(f"{mutant.kind}, {mutant.what}: it cannot be judged: {error}")
            continue
        reason = _reason(mutant, solution, trajectory) if passed else None
        proof.tried(mutant.kind, mutant.what, reason)


def _ends_alike(solution: Solved, trajectory: Trajectory) -> bool:
    alike = _said(solution.trajectory) == _said(trajectory)
    return alike and not any(_differing(solution, trajectory))


def _reason(mutant: Mutant, solution: Solved, trajectory: Trajectory) -> str:
    if mutant.kind in ("answer emptied", "answer denied"):
        return "nothing asks what the user is told at the end"
    if differing := list(_differing(solution, trajectory)):
        remedy = f"; protected: [{differing[0]}] would" if mutant.kind == "row deleted" else ""
        return f"nothing asks for {', '.join(differing)}{remedy}"
    if _ends_alike(solution, trajectory):
        return "world and answer are the same in the end, and nothing asks for the way"
    return "the world is the same in the end, and nothing tells the answers apart"


def _differing(solution: Solved, other: Trajectory) -> Iterator[str]:
    """Yield the tables in which a conversation ends differently; of single rows, the columns.

    New identifiers do not count: they depend on where in the conversation a row was made. A tool
    may have left columns out.
    """
    for name, schema in solution.scenario.world.tables.items():
        defaults = {column: about.default for column, about in schema.columns.items()}
        columns = [column for column in defaults if defaults[column] is not NEW_IDENTIFIER]
        ours, theirs = (
            Table({column: row.get(column) for column in columns} for row in end.states[-1][name])
            for end in (solution.trajectory, other)
        )
        if ours == theirs:
            continue
        if schema.single_row and len(ours) == len(theirs) == 1:
            (a,), (b,) = ours, theirs
            yield from (f"{name}.{column}" for column in columns if a[column] != b[column])
        else:
            yield name


def _said(trajectory: Trajectory) -> list[str]:
    """Return what the agent told the user."""
    return [
        message.content
        for message in trajectory.messages
        if (message.sender, message.recipient) == (Role.AGENT, Role.USER)
    ]
