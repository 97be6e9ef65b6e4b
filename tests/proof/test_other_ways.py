"""Which planted faults are none, since there are other ways."""

from __future__ import annotations

import pytest
from pantry import played, scenario

from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.proof.fault_injection import planted
from pytest_toolsandbox.proof.other_ways import OtherWays
from pytest_toolsandbox.proof.turns import done

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
milestones: {told: {says: {mentions: [Done]}}}
solutions:
  fills: [list_items: {}, add_item: {name: flour}, say: Done.]
"""


def faults(scene: Scenario, name: str, *others: str) -> list[str]:
    """Return the faults that are none: the pattern, the call, and why."""
    solution = played(scene, name)
    ways = OtherWays(scene, solution, [played(scene, other) for other in others])
    none = []
    for fault in planted(scene, solution):
        trajectory = done(scene, fault.turns)
        call = solution.messages[fault.place.answer].call
        assert call is not None
        if ways.are_taken(fault, trajectory):
            none.append(f"{fault.pattern} {call.name} taken")
        elif ways.pass_as_well(fault, trajectory):
            none.append(f"{fault.pattern} {call.name} passes")
    return none


@pytest.mark.parametrize(
    ("other", "none"),
    [
        (
            "[weigh: {name: salt}, weigh: {name: rice}, finish: {answer: rice}]",
            ["IAC list_items taken"],
        ),
        ("[weigh: {name: salt}, weigh: {name: rice}, say: rice]", ["IAC list_items taken"]),
        (
            "[list_items: {}, weigh: {name: salt}, weigh: {name: rice}, list_items: {}, say: rice]",
            ["RAC list_items taken"],
        ),
        ("[open_door: {}, list_items: {}, weigh: {name: rice}, say: rice]", []),
    ],
)
def test_what_another_solution_does_is_no_fault(other: str, none: list[str]) -> None:
    scene = scenario(QUERY % other)
    assert faults(scene, "looks", "other") == none
    assert faults(scene, "looks") == []


def test_whoever_passes_has_made_no_fault() -> None:
    scene = scenario(FILLING)
    assert faults(scene, "fills") == [
        "IAC list_items passes",
        "IAV add_item passes",
        "IAV add_item passes",
        "IAC add_item passes",
    ]
