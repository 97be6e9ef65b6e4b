"""What is shown of scenarios of every protocol."""

from __future__ import annotations

from pantry import scenario

from pytest_toolsandbox.proof.proof import prove

MISTYPED = """
state: {door: {open: false}}
milestones: {opened: {state: {door: {open: true}}}}
solutions:
  weighs:
    - open_door:
    - list_items:
    - weigh: {name: {from: {call: list_items, path: "[0].amount"}}}
    - say: Done.
counterexamples: {waits: [say: Later.]}
"""


def test_no_solution_may_show_an_error_pattern() -> None:
    assert prove(scenario(MISTYPED)).findings == [
        "solution 'weighs' has findings: IAT name for weigh"
    ]
