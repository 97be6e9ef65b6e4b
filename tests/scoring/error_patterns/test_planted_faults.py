"""One fault in a solution is one finding, and of its kind; in the solution itself there is none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from equivalents import Equivalents
from pantry import scenario
from planted import Planted, planted
from replayed import recorded
from rows import every
from shipped import scenarios_of
from turns import played_turns, turns_of

from pytest_toolsandbox.agents.scripted import oracle
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import PlayError, converse
from pytest_toolsandbox.language.error_patterns import PATTERNS
from pytest_toolsandbox.language.files import find_files
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Query, Replay
from pytest_toolsandbox.scoring.error_patterns.patterns import ErrorPatterns
from pytest_toolsandbox.scoring.judging import judge, patterns_against_solutions
from pytest_toolsandbox.users.user import scripted_user

SHIPPED = Path(__file__).parents[3] / "scenarios"
EVERY = {"phone": 9, "office": 18, "queries": 4}
"""Of so many files of a suite one is in the sample: its first scenario."""

ROOM = 2
"""How many more calls are allowed, so that a fault beside a right call does not cut it off."""

PANTRY = """
    tools: [open_door, close_door, add_item, remove_item, set_amount, list_items, weigh]
    state: {door: {open: false}}
    milestones: {done: {state: {door: {open: true}}}}
    solutions:
      one_by_one:
        - open_door: {}
        - add_item: {name: tea, amount: 2}
        - set_amount: {name: rice, amount: 3}
        - list_items: {}
        - say: Done.
      at_once:
        - open_door: {}
        - parallel:
            - add_item: {name: tea, amount: 2}
            - set_amount: {name: rice, amount: 3}
            - weigh: {name: salt}
        - say: Done.
      by_trial:
        - list_items: {}
        - add_item: {name: tea, amount: 2}
        - open_door: {}
        - add_item: {name: tea, amount: 2}
        - list_items: {}
        - weigh: {name: salt}
        - say: Done.
"""
QUERY = """
    query: What is there most of?
    answer: rice
    solutions:
      looks:
        - list_items:
        - weigh: {name: salt}
        - weigh: {name: rice}
        - finish: {answer: rice}
      guesses: [{weigh: {name: salt}}, {weigh: {name: rice}}, {finish: {answer: rice}}]
"""


def _patterns(scenario: Scenario, trajectory: Trajectory) -> ErrorPatterns:
    """Return the error patterns against what is written down or recorded."""
    if isinstance(scenario.task, Replay):
        return judge(scenario, trajectory).patterns
    return patterns_against_solutions(scenario, trajectory)


def sample() -> Iterator[Scenario]:
    for suite, nth in EVERY.items():
        for file in list(find_files([SHIPPED / suite]))[::nth]:
            scene = scenarios_of(file)[0]
            if isinstance(scene.task, Replay):  # turn by turn, other look-ups are as good
                scene = replace(scene, task=replace(scene.task, rules="paper"))
            yield scene


OTHERWISE = ("patent::opposed_electrolyte", "video_images::curator_of_the_favourite")
"""Queries whose solutions ask one tool for different things; they are in the sample, too."""


def of_queries(name: str) -> Scenario:
    file, _, scene = name.partition("::")
    path = SHIPPED / "queries" / f"{file}.scenario.yaml"
    return next(scenario for scenario in scenarios_of(path) if scenario.name == scene)


SAMPLE = [*sample(), *map(of_queries, OTHERWISE)]
SMALL = [scenario(PANTRY), scenario(QUERY), recorded()]


def solutions(scene: Scenario) -> list[Trajectory]:
    names = (None,) if isinstance(scene.task, Replay) else scene.solutions
    user = scripted_user(scene)
    return [converse(scene, oracle(scene, name), user) for name in names]


def found_faults(
    scene: Scenario, call_format: Literal["native", "text", "react"], *, all_ways: bool
) -> Counter[str]:
    """Return how many faults are found as what they are, by pattern; none may be anything else."""
    roomy = replace(
        scene,
        max_calls=scene.max_calls + ROOM,
        max_messages=scene.max_messages + 2 * ROOM,
        call_format=call_format,
    )
    counts: Counter[str] = Counter()
    played = solutions(scene)
    for solution in played:
        other_solutions = [other for other in played if other is not solution]
        ways = Equivalents(roomy, solution, other_solutions)
        for fault in planted(scene, solution, all_ways=all_ways):
            if (patterns := patterns_of(ways, fault)) is not None:
                assert tuple(patterns) == fault.patterns, fault.what
                counts[" ".join(fault.patterns)] += 1
    return counts


def patterns_of(ways: Equivalents, fault: Planted) -> list[str] | None:
    """Return what is found where a fault is planted, if that is a fault at all."""
    try:
        trajectory = played_turns(ways.scenario, fault.turns)
    except PlayError:
        return None  # later turns need what is missing: nobody could act so
    if ways.is_equivalent(fault, trajectory):
        return None
    findings = _patterns(ways.scenario, trajectory).findings
    if not findings and ways.passes_too(fault, trajectory):
        return None
    return [finding.pattern for finding in findings]


def test_the_sample_has_all_protocols_parallel_calls_and_several_solutions() -> None:
    assert len(SAMPLE) > 15
    assert sum(isinstance(scene.task, Replay) for scene in SAMPLE) > 1
    assert sum(isinstance(scene.task, Query) for scene in SAMPLE) > 1
    assert sum(len(scene.solutions) > 1 for scene in SAMPLE) > 5


@every("scene", [*SMALL, *SAMPLE], ids=lambda scene: str(scene.name))
def test_no_solution_has_a_finding(scene: Scenario) -> None:
    for solution in solutions(scene):
        judged = _patterns(scene, solution)
        assert judged.findings == ()
        assert judged.solutions[judged.closest or 0].missing == 0


@pytest.mark.parametrize("scene", SAMPLE, ids=lambda scene: str(scene.name))
def test_every_planted_fault_is_found(scene: Scenario) -> None:
    call_format = "text" if int(scene.digest, 16) % 2 else scene.call_format
    makes_calls = any(solution.calls for solution in solutions(scene))
    assert found_faults(scene, call_format, all_ways=False) or not makes_calls


@pytest.mark.parametrize("scene", SMALL, ids=["user", "query", "replay"])
def test_a_solution_without_a_fault_is_played_as_it_was(scene: Scenario) -> None:
    for solution in solutions(scene):
        again = played_turns(scene, turns_of(scene, solution)[0])
        assert [m.content for m in again.messages] == [m.content for m in solution.messages]


def test_every_pattern_is_planted() -> None:
    scene = scenario(QUERY)
    faults = planted(scene, solutions(scene)[0])
    counts = Counter(" ".join(fault.patterns) for fault in faults)
    assert (
        counts.items()
        >= {
            "IFE": 4,
            "IFN": 4,
            "IAN": 4,
            "IAT": 3,
            "IAN IAT": 3,
            "IAV": 3,
            "RAC": 6,
            "RAC IAC": 2,
            "IAC": 3,
        }.items()
    )
    assert {fault.form for fault in faults} == {"instead", "before", "at once", "later"}
    assert set(PATTERNS) == {fault.patterns[0] for fault in faults}
    all_ways = [f for scene in SMALL for f in planted(scene, solutions(scene)[0], all_ways=True)]
    mixtures = {" ".join(fault.patterns) for fault in all_ways if len(fault.patterns) > 1}
    assert mixtures == {"IAN IAT", "IAN IAV", "IFN IAV", "IFN IAC", "RAC IAC"}


@pytest.mark.parametrize("call_format", ["native", "text"])
@pytest.mark.parametrize("scene", SMALL, ids=["user", "query", "replay"])
def test_every_fault_is_found_in_every_way_and_form(
    scene: Scenario, call_format: Literal["native", "text", "react"]
) -> None:
    counts = found_faults(scene, call_format, all_ways=True)
    assert min(counts[pattern] for pattern in PATTERNS) >= 1
    assert counts.total() > 60
