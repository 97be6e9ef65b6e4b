"""What becomes of mutants, and why some survive."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from pantry import scenario

from pytest_toolsandbox.authoring.proof import proof
from pytest_toolsandbox.authoring.proof.milestone_proof import prove_milestones
from pytest_toolsandbox.authoring.proof.mutants import DENIAL
from pytest_toolsandbox.authoring.proof.proof import Survivor
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.matchers.embedding import using
from pytest_toolsandbox.worlds.context import Context
from pytest_toolsandbox.worlds.state import Column, TableSchema
from pytest_toolsandbox.worlds.tool import tool
from pytest_toolsandbox.worlds.world import World, register_world

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


TOLD_NOTHING = "nothing asks what the user is told at the end"


def test_a_good_scenario() -> None:
    proof = prove_milestones(scenario(GOOD))
    assert (proof.findings, proof.survivors) == ([], [])
    once = ("call dropped", "call repeated", "argument changed", "answer emptied", "answer denied")
    assert proof.made == proof.died == Counter({**dict.fromkeys(once, 1), "row deleted": 2})


def test_mutants_are_made_of_proven_scenarios_only() -> None:
    proof = prove_milestones(
        scenario(GOOD.replace("{say: The flour is there.}]\ncounter", "{say: Hi}]\ncounter"))
    )
    assert proof.findings == [
        (
            "solution 'first' scores 0.5000 and not 1; missed: told"
            "; play it: pytest --agent=oracle:first"
        )
    ]
    assert not proof.made


def test_a_solution_has_to_hold_in_every_augmentation(monkeypatch: pytest.MonkeyPatch) -> None:
    def poorer(scene: Scenario, name: str) -> Scenario:
        return (
            replace(scene, tools=(), variant=name) if name == "argument_name_scrambled" else scene
        )

    monkeypatch.setattr(proof, "variant", poorer)
    assert prove_milestones(scenario(GOOD)).findings == [
        (
            "solution 'first' [argument_name_scrambled] scores 0.5000 and not 1; missed: filled"
            "; play it: pytest --agent=oracle:first --sandbox-augment=argument_name_scrambled"
        )
    ]


def test_tools_that_are_tried_and_offered_in_some_augmentations_only() -> None:
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
    assert prove_milestones(scene).findings == []


@pytest.mark.parametrize(
    ("changes", "survivors"),
    [
        (
            {"  told: {says: {contains: flour}}": ""},
            [
                Survivor("answer emptied", "the last message says nothing", TOLD_NOTHING),
                Survivor("answer denied", f"the last message says: {DENIAL}", TOLD_NOTHING),
            ],
        ),
        (
            {
                "protected: [bin, door]": "protected: [door]\nguardrails: none",
                "filled: {": "filled: {guardrails: none, ",
            },
            [
                Survivor(
                    "call repeated",
                    "add_item made twice",
                    "nothing forbids a further row of item",
                ),
                Survivor(
                    "row deleted", "a row of item", "nothing asks for item; protected: [item] would"
                ),
                Survivor(
                    "row deleted", "a row of bin", "nothing asks for bin; protected: [bin] would"
                ),
            ],
        ),
        (
            {"{add_item: {name: flour}}": "{add_item: {name: flour, note: fine}}"},
            [
                Survivor(
                    "argument changed",
                    "add_item: note='Something else altogether' instead of 'fine'",
                    "nothing asks for item.note",
                )
            ],
        ),
        (
            {
                "filled: {": "filled: {guardrails: none, ",
                "told: {": "told: {guardrails: none, ",
                "bin: {added": "door: {open: false}, bin: {added",
                "protected: [bin, door]": "protected: [bin]\nguardrails: none",
                "{add_item: {name: flour}}": "{open_door: }, {add_item: {name: flour}}, "
                "{close_door: }",
            },
            [
                Survivor("call dropped", "close_door()", "nothing asks for door.open"),
                Survivor(
                    "call repeated",
                    "add_item made twice",
                    "nothing forbids a further row of item",
                ),
                Survivor(
                    "row deleted", "a row of item", "nothing asks for item; protected: [item] would"
                ),
            ],
        ),
        (
            {
                "  told:": "  looked: {call: {list_items: {}}, after: []}\n  told:",
                "{add_item: {name: flour}}": "{list_items: }, {add_item: {name: flour}}, "
                "{list_items: }",
            },
            [
                Survivor(
                    "call dropped",
                    "list_items()",
                    "world and answer are the same in the end, and nothing asks for the way",
                )
            ],
        ),
    ],
)
def test_survivors(changes: dict[str, str], survivors: list[Survivor]) -> None:
    text = GOOD
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    proof = prove_milestones(scenario(text))
    assert proof.findings == []
    assert proof.survivors == survivors
    assert proof.made.total() == proof.died.total() + len(survivors)


def test_a_single_row_may_not_stay_one() -> None:

    @tool("letters")
    def write(context: Context, text: str, lines: list[str] | None = None) -> None:
        """Write a letter."""
        del lines
        context.add("letter", {"text": text})
        context.add("desk", {"tidy": False})

    letter = TableSchema({"text": Column(str), "to": Column(str, nullable=True, default=None)})
    desk = TableSchema({"tidy": Column(bool)}, single_row=True)
    register_world(
        World(
            "letters",
            datetime(2025, 1, 1, tzinfo=UTC),
            {"letter": letter, "desk": desk},
            [write],
            lambda _: {"letter": [{"text": "Hello"}], "desk": [{"tidy": True}]},
        )
    )
    scene = scenario(
        """
        world: letters
        user: {opening: Write a goodbye.}
        protected: []
        guardrails: none
        milestones: {written: {state: {letter: {added: [{text: Bye}]}}, guardrails: none}}
        solutions: {first: [{write: {text: Bye, lines: [one]}}, {say: Done}]}
        counterexamples: {nothing: [{say: Done}]}
        """
    )
    proof = prove_milestones(scene)
    assert proof.findings == []
    assert [(s.kind, s.what) for s in proof.survivors] == [
        ("call repeated", "write made twice"),
        ("answer emptied", "the last message says nothing"),
        ("answer denied", f"the last message says: {DENIAL}"),
        ("row deleted", "a row of letter"),
    ]
    assert proof.made["argument changed"] == 1


def test_a_mutant_that_cannot_be_judged_is_a_finding() -> None:
    def embed(texts: Sequence[str]) -> list[list[float]]:
        if "salt" in texts:
            raise OSError("no network")
        return [[1.0, 0.0] if "rice" in text else [0.0, 1.0] for text in texts]

    scene = scenario(
        """
        user: {opening: "What do you weigh, if I ask for rice?"}
        milestones: {told: {says: {semantic: rice}}}
        solutions:
          first: [{weigh: {name: rice}}, {say: {from: {call: weigh, path: name}}}]
        counterexamples: {nothing: [{say: Bread}]}
        """
    )
    with using(embed):
        proof = prove_milestones(scene)
    (finding,) = proof.findings
    why = "it cannot be judged: the embedder failed: OSError: no network"
    assert finding.startswith(f"argument changed, weigh: name='salt' instead of 'rice': {why}")
    assert not proof.made["argument changed"]
    assert proof.died["answer emptied"] == 1
