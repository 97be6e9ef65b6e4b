"""Which planted faults are no faults, since there are other right ways."""

from __future__ import annotations

import pytest
from equivalents import Equivalents
from pantry import played, scenario
from planted import planted
from turns import played_turns

from pytest_toolsandbox.language.scenario import Scenario

QUERY = """
query: What is there most of?
answer: rice
max_calls: 9
solutions:
  looks: [list_items: {}, weigh: {name: salt}, weigh: {name: rice}, finish: {answer: rice}]
  other: %s
"""
FILLING = """
max_messages: 40
guardrails: none
milestones: {told: {says: {mentions: [Done]}}}
solutions:
  fills: [list_items: {}, add_item: {name: flour}, say: Done.]
"""


def faults(scene: Scenario, name: str, *other_names: str) -> list[str]:
    """Return the planted faults that are no faults: the pattern, the call, and why."""
    solution = played(scene, name)
    ways = Equivalents(scene, solution, [played(scene, other) for other in other_names])
    right = []
    for fault in planted(scene, solution):
        trajectory = played_turns(scene, fault.turns)
        call = solution.messages[fault.place.answer].call
        assert call is not None
        if ways.is_equivalent(fault, trajectory):
            right.append(f"{' '.join(fault.patterns)} {call.name} taken")
        elif ways.passes_too(fault, trajectory):
            right.append(f"{' '.join(fault.patterns)} {call.name} passes")
    return right


@pytest.mark.parametrize(
    ("other", "right"),
    [
        (
            "[weigh: {name: salt}, weigh: {name: rice}, finish: {answer: rice}]",
            ["IAC list_items taken"],
        ),
        ("[weigh: {name: salt}, weigh: {name: rice}, say: rice]", ["IAC list_items taken"]),
        (
            "[list_items: {}, weigh: {name: salt}, weigh: {name: rice}, list_items: {}, say: rice]",
            ["RAC list_items taken", "RAC list_items taken"],
        ),
        ("[open_door: {}, list_items: {}, weigh: {name: rice}, say: rice]", []),
    ],
)
def test_a_call_of_another_solution_is_no_finding(other: str, right: list[str]) -> None:
    scene = scenario(QUERY % other)
    assert faults(scene, "looks", "other") == right
    assert faults(scene, "looks") == []


def test_a_planted_change_that_still_passes_is_no_fault() -> None:
    scene = scenario(FILLING)
    assert faults(scene, "fills") == [
        "IAC list_items passes",
        "IAV add_item passes",
        "IAV add_item passes",
        "IAN IAV add_item taken",
        "IAN IAV add_item taken",
        "IAV add_item passes",
        "IAC add_item passes",
    ]
