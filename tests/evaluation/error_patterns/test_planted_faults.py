"""One fault in a solution is one finding, and of its kind; in the solution itself there is none."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from pantry import scenario
from planted import Planted, accepted, nearly_solves, planted, solutions, solves, told

from pytest_toolsandbox.evaluation.error_patterns.find import error_patterns
from pytest_toolsandbox.evaluation.error_patterns.patterns import PATTERNS
from pytest_toolsandbox.language.loading import load_file
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.proof.solved import Solved

PHONE = Path(__file__).parents[3] / "scenarios" / "phone"

FILES = sorted(PHONE.rglob("*.yaml"))[::9]
"""A sample; there is no reason why one should differ from another."""

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


def scenes() -> list[Scenario]:
    shipped = [scene for file in FILES for scene in load_file(file)]
    return [scenario(PANTRY), *shipped]


SCENES = scenes()


def unlike_others(scene: Scenario, fault: Planted, solved: list[Solved]) -> bool:
    """Whether it is a fault at all: not so where it makes another solution, or all but one call."""
    if fault.pattern == "IAC":
        return not solves(scene, fault.replies, solved)
    if fault.pattern == "IAV":
        others = (solves, nearly_solves)
        return not any(other(scene, fault.replies, solved) for other in others)
    return True


def test_the_sample_has_parallel_calls_and_several_solutions() -> None:
    assert len(SCENES) > 12
    assert sum(len(scene.solutions) > 1 for scene in SCENES) > 5


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: str(scene.name))
def test_no_solution_has_a_finding(scene: Scenario) -> None:
    solved = solutions(scene)
    asked = [accepted(solution) for solution in solved]
    for solution in solved:
        judged = error_patterns(solution.trajectory, scene.shown_tools, asked)
        assert judged.findings == ()
        assert judged.solutions[judged.closest or 0].missing == 0


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: str(scene.name))
def test_a_planted_fault_is_found_as_what_it_is(scene: Scenario) -> None:
    solved = solutions(scene)
    asked = [accepted(solution) for solution in solved]
    faults = [fault for fault in planted(solved[0]) if unlike_others(scene, fault, solved)]
    for fault in faults:
        judged = error_patterns(told(scene, *fault.replies), scene.shown_tools, asked)
        assert [one.pattern for one in judged.findings] == [fault.pattern], fault.what


def test_each_fault_of_the_pantry_is_found_in_every_solution() -> None:
    scene = SCENES[0]
    found: Counter[str] = Counter()
    for solution in solutions(scene):
        for fault in planted(solution):
            asked = [accepted(solution)]
            if unlike_others(scene, fault, [solution]):
                judged = error_patterns(told(scene, *fault.replies), scene.shown_tools, asked)
                assert [one.pattern for one in judged.findings] == [fault.pattern], fault.what
                found[fault.pattern] += 1
    assert min(found[pattern] for pattern in PATTERNS) >= 5
