"""What becomes of mutants, and why some survive."""

from __future__ import annotations

from collections import Counter

import pytest
from pantry import scenario

from pytest_toolsandbox.proof.proving import Survivor, prove

GOOD = """
user: {opening: Put flour into the pantry.}
milestones:
  filled: {state: {item: {added: [{name: flour}]}}}
  told: {says: {contains: flour}}
state: {bin: {added: [{what: peel}]}}
protected: [bin, door]
solutions:
  first: [{add_item: {name: flour}}, {say: The flour is there.}]
counterexamples:
  nothing: [{say: The flour is there.}]
"""


def test_a_good_scenario() -> None:
    proof = prove(scenario(GOOD))
    assert (proof.findings, proof.survivors) == ([], [])
    assert (
        proof.made
        == proof.died
        == Counter(
            {"call dropped": 1, "argument changed": 1, "answer emptied": 1, "row deleted": 1}
        )
    )


def test_mutants_are_made_of_proven_scenarios_only() -> None:
    proof = prove(
        scenario(GOOD.replace("{say: The flour is there.}]\ncounter", "{say: Hi}]\ncounter"))
    )
    assert proof.findings == ["solution 'first' scores 0.5000 and not 1; missed: told"]
    assert not proof.made


def test_a_solution_that_fails_with_scrambled_tools() -> None:
    scene = scenario(
        """
        user: {opening: Say that there is no tool.}
        milestones: {told: {says: {contains: no tool}}}
        minefields: {tried: {tried: {weigh: {}}}}
        tools: [list_items, give]
        protected: [bin, item]
        solutions: {first: [{give: {what: nothing}}, {say: no tool}]}
        counterexamples: {none: [{say: Hello}]}
        """
    )
    assert prove(scene).findings == []


@pytest.mark.parametrize(
    ("changes", "survivor"),
    [
        (
            {"  told: {says: {contains: flour}}": ""},
            Survivor(
                "answer emptied",
                "the last message says nothing",
                "nothing asks what the user is told at the end",
            ),
        ),
        (
            {
                "protected: [bin, door]": "protected: [door]",
                "filled: {": "filled: {guardrails: none, ",
            },
            Survivor("row deleted", "the first row of bin", "nothing asks for bin"),
        ),
        (
            {"{add_item: {name: flour}}": "{add_item: {name: flour, note: fine}}"},
            Survivor(
                "argument changed",
                "add_item: note='Something else altogether' instead of 'fine'",
                "nothing asks for item",
            ),
        ),
        (
            {
                "filled: {": "filled: {guardrails: none, ",
                "told: {": "told: {guardrails: none, ",
                "bin: {added": "door: {open: false}, bin: {added",
                "protected: [bin, door]": "protected: [bin]",
                "{add_item: {name: flour}}": "{open_door: }, {add_item: {name: flour}}, "
                "{close_door: }",
            },
            Survivor("call dropped", "close_door()", "nothing asks for door.open"),
        ),
        (
            {
                "  told:": "  looked: {call: {list_items: {}}, after: []}\n  told:",
                "{add_item: {name: flour}}": "{list_items: }, {add_item: {name: flour}}, "
                "{list_items: }",
            },
            Survivor(
                "call dropped",
                "list_items()",
                "world and answer are the same in the end, and nothing asks for the way",
            ),
        ),
    ],
)
def test_survivors(changes: dict[str, str], survivor: Survivor) -> None:
    text = GOOD
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    proof = prove(scenario(text))
    assert proof.findings == []
    assert proof.survivors == [survivor]
    assert proof.made.total() == proof.died.total() + 1
