"""Shows that one fault in a solution is found as what it is, and that solutions have none."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from pytest_toolsandbox.agents.oracle import oracle
from pytest_toolsandbox.agents.user import scripted_user
from pytest_toolsandbox.conversation.arguments import read_arguments
from pytest_toolsandbox.conversation.conversing import converse
from pytest_toolsandbox.conversation.messages import ToolCall, Trajectory
from pytest_toolsandbox.conversation.play import PlayError
from pytest_toolsandbox.evaluation.accepted_calls import unordered
from pytest_toolsandbox.evaluation.error_patterns import ErrorPatterns
from pytest_toolsandbox.evaluation.judging import patterns_against_solutions
from pytest_toolsandbox.evaluation.replays import evaluate_replay
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import FINISH, Scenario
from pytest_toolsandbox.matchers.embedding import EmbedderError

from .planting import Planted, planted
from .proof import Proof
from .turns import done

ROOM = 2
"""How many more calls are allowed, so that a fault beside a right call does not cut it off."""


def prove_patterns(scenario: Scenario, proof: Proof) -> None:
    """Plant faults in the first solution, and add to the proof what was found of them.

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
    trajectories = [solution for _, solution in solutions]
    for fault in planted(scenario, trajectories[0]):
        _try(roomy, fault, trajectories, proof)


def _solutions(scenario: Scenario) -> Iterator[tuple[str, Trajectory]]:
    """Yield the names of the solutions, and how they are played."""
    user = scripted_user(scenario)
    if scenario.replay is not None:
        yield "the recorded conversation", converse(scenario, oracle(scenario), user)
    for name in scenario.solutions:
        yield f"solution {name!r}", converse(scenario, oracle(scenario, name), user)


def _try(scenario: Scenario, fault: Planted, solutions: Sequence[Trajectory], proof: Proof) -> None:
    try:
        trajectory = done(scenario, fault.turns)
        if _is_none(scenario, fault, trajectory, solutions):
            return
        found = patterns_against_solutions(scenario, trajectory)
    except PlayError:
        return  # nobody could act so
    except EmbedderError as error:
        proof.findings.append(f"{fault.what}: it cannot be judged: {error}")
        return
    proof.planted[fault.pattern] += 1
    if _patterns(found) == [fault.pattern]:
        proof.found[fault.pattern] += 1
    else:
        names = ", ".join(_patterns(found)) or "nothing"
        proof.findings.append(f"{fault.what}, is found as {names}")


def _patterns(found: ErrorPatterns) -> list[str]:
    return [finding.pattern for finding in found.findings]


def _is_none(
    scenario: Scenario, fault: Planted, trajectory: Trajectory, solutions: Sequence[Trajectory]
) -> bool:
    """Whether what was planted is no fault: another solution, or another way to find the same."""
    if fault.pattern == "RAC":
        return _is_repeated_elsewhere(scenario, fault, solutions)
    if fault.pattern not in ("IAV", "IAC"):
        return False
    if scenario.replay is not None:
        result = evaluate_replay(scenario, trajectory)
        return fault.pattern == "IAV" and all(truth.matched for truth in result.truths)
    for requests in (_requests, _look_ups):
        made = requests(scenario, trajectory)
        for solution in solutions:
            asked = requests(scenario, solution)
            if not asked - made:
                return True
            if fault.pattern == "IAV" and (asked - made).total() == 1 and not made - asked:
                return True  # which is that one, less a call
    return fault.pattern == "IAV" and _finds_the_same(fault, trajectory, solutions[0])


def _is_repeated_elsewhere(
    scenario: Scenario, fault: Planted, solutions: Sequence[Trajectory]
) -> bool:
    """Whether another solution makes the call more often than the one it was planted in."""
    call = solutions[0].messages[fault.place.answer].call
    assert call is not None
    request = _request(scenario, call)
    first, *others = (_requests(scenario, solution)[request] for solution in solutions)
    return any(count > first for count in others)


def _finds_the_same(fault: Planted, trajectory: Trajectory, solution: Trajectory) -> bool:
    """Whether the changed call came through as the right one did, and neither changed anything."""
    answers = [
        (trajectory.messages[index], trajectory.states[index] == trajectory.states[index - 1])
        for index in _answers(trajectory)
    ]
    place = list(_answers(solution)).index(fault.place.answer)
    if place >= len(answers):
        return False
    right = solution.messages[fault.place.answer]
    message, unchanged = answers[place]
    return unchanged and message.error is None and message.content == right.content


def _answers(trajectory: Trajectory) -> Iterator[int]:
    for index, message in enumerate(trajectory.messages):
        if message.call is not None and message.recipient is Role.AGENT:
            yield index


def _requests(scenario: Scenario, trajectory: Trajectory) -> Counter[str]:
    """Return how often which call was made, with its defaults."""
    requests: Counter[str] = Counter()
    for message in trajectory.messages:
        if message.sender is not Role.AGENT or message.call is None:
            continue
        requests[_request(scenario, message.call)] += 1
    return requests


def _request(scenario: Scenario, call: ToolCall) -> str:
    """Write a call with its defaults; the answer with which one finishes does not count."""
    if call.name == FINISH.name:
        return FINISH.name
    tool = scenario.shown_tools.get(call.name)
    parameters = tool.tool.parameters if tool else {}
    usual = {name: one.default for name, one in parameters.items() if not one.required}
    try:
        given = read_arguments(call.arguments)
    except (ValueError, TypeError):
        given = {"": call.arguments}
    return f"{call.name} {json.dumps({**usual, **given}, sort_keys=True, default=repr)}"


def _look_ups(scenario: Scenario, trajectory: Trajectory) -> Counter[str]:
    """Return how often what was done: of calls that change nothing, what they found counts."""
    done = _requests(scenario, trajectory)
    for index in _answers(trajectory):
        trace = trajectory.messages[index].trace
        if trace and trace.result and trajectory.states[index] == trajectory.states[index - 1]:
            call = trajectory.messages[index].call
            assert call is not None
            done[_request(scenario, call)] -= 1
            done[f"{trace.tool_name} {unordered(trace.result)}"] += 1
    return +done
