"""Shows that one fault in a solution is found as what it is, and that solutions have none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pytest_toolsandbox.agents.scripted import oracle
from pytest_toolsandbox.conversation.converse import converse
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import PlayError
from pytest_toolsandbox.evaluation.error_patterns.patterns import ErrorPatterns
from pytest_toolsandbox.evaluation.judging import patterns_against_solutions
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.matchers.embedding import EmbedderError
from pytest_toolsandbox.users.user import scripted_user

from .fault_injection import Planted, planted
from .other_ways import OtherWays
from .proof import Proof
from .turns import done

ROOM = 2
"""How many more calls are allowed, so that a fault beside a right call does not cut it off."""


def prove_patterns(scenario: Scenario, proof: Proof) -> None:
    """Plant faults in every solution, and add to the proof what was found of them.

    The calls of every other scenario are written in texts, where it says nothing of that: which
    ones follows from the digest.
    """
    solutions = list(_solutions(scenario))
    if not solutions:
        return
    for name, solution in solutions:
        if findings := patterns_against_solutions(scenario, solution).findings:
            words = "; ".join(finding.words for finding in findings)
            proof.findings.append(f"{name} has findings: {words}")
            return
    roomy = replace(
        scenario,
        max_calls=scenario.max_calls + ROOM,
        max_messages=scenario.max_messages + 2 * ROOM,
        call_format="text" if int(scenario.digest, 16) % 2 else scenario.call_format,
    )
    for name, solution in solutions:
        others = [other for _, other in solutions if other is not solution]
        ways = OtherWays(roomy, solution, others)
        for fault in planted(scenario, solution):
            if problem := _problem(ways, fault, proof):
                proof.findings.append(f"{name}, {fault.what}{problem}")


def _solutions(scenario: Scenario) -> Iterator[tuple[str, Trajectory]]:
    """Yield the names of the solutions, and how they are played."""
    user = scripted_user(scenario)
    if scenario.replay is not None:
        yield "the recorded conversation", converse(scenario, oracle(scenario), user)
    for name in scenario.solutions:
        yield f"solution {name!r}", converse(scenario, oracle(scenario, name), user)


def _problem(ways: OtherWays, fault: Planted, proof: Proof) -> str | None:
    """Count a fault that was planted; say how it is found, if not as what it is."""
    try:
        trajectory = done(ways.scenario, fault.turns)
        if ways.are_taken(fault, trajectory):
            return None
        found = _patterns(patterns_against_solutions(ways.scenario, trajectory))
        if not found and ways.pass_as_well(fault, trajectory):
            return None
    except PlayError:
        return None  # nobody could act so
    except EmbedderError as error:
        return f": it cannot be judged: {error}"
    proof.planted[fault.pattern] += 1
    if found != [fault.pattern]:
        return f", is found as {', '.join(found) or 'nothing'}"
    proof.found[fault.pattern] += 1
    return None


def _patterns(found: ErrorPatterns) -> list[str]:
    return [finding.pattern for finding in found.findings]
