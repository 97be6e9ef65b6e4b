"""Other ways to take a solution, which a fair scenario scores as well."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pantry import scenario
from rows import every

from pytest_toolsandbox.authoring.proof.equivalent_solutions import OFFER, QUESTION, as_right
from pytest_toolsandbox.authoring.proof.played_solution import solved
from pytest_toolsandbox.authoring.proof.proof import prove
from pytest_toolsandbox.language.roles import SayStep, Step, ToolStep
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.worlds.context import Context
from pytest_toolsandbox.worlds.tool import tool

TEA = """
user: {opening: Add tea., agrees: "Yes, please."}
milestones:
  there: {state: {item: {added: [{name: tea}]}}}
  told: {says: {mentions: [added]}}
solutions: {s: [{add_item: {name: tea}}, {say: I have added it.}]}
counterexamples: {c: [{say: No.}]}
"""
ASKED = f"{QUESTION!r} asked first"


def ways_of(scene: Scenario) -> dict[str, Sequence[Step]]:
    first = next(iter(scene.solutions.values()))
    return dict(as_right(solved(scene, first)))


def test_a_solution_is_taken_in_three_other_ways() -> None:
    ways = ways_of(scenario(TEA))
    assert [*ways] == [
        "list_items called first",
        ASKED,
        f"{OFFER!r} asked last",
    ]
    add, say = ToolStep("add_item", {"name": "tea"}), SayStep("I have added it.")
    look_up, asked, offered = ways.values()
    assert [*look_up] == [ToolStep("list_items", {}), add, say]
    assert [*asked] == [SayStep(QUESTION), add, say]
    assert [*offered] == [add, SayStep(f"I have added it. {OFFER}")]


def test_questions_are_not_asked_twice() -> None:
    scene = scenario(
        """
        tools: [add_item]
        milestones: {asked: {says: {asks: [amount]}}}
        solutions: {s: [{say: Which amount?}]}
        """
    )
    assert ways_of(scene) == {}


def test_what_minefields_are_about_is_not_called() -> None:
    mine = "minefields: {looked: {tried: {any_of: [list_items, {weigh: {name: tea}}]}}}"
    assert f"{QUESTION!r} asked first" == next(iter(ways_of(scenario(f"{TEA}\n{mine}"))))


def test_a_tool_that_raises_is_no_look_up() -> None:
    @tool("broken")
    def boom(context: Context) -> None:
        """Break."""
        raise ZeroDivisionError(str(context))

    scene = scenario(TEA)
    world = replace(scene.world, name="broken", toolset=(boom, *scene.world.toolset))
    scene = replace(scene, world=world, tools=("boom", *scene.tools))
    assert "list_items called first" in ways_of(scene)


@every(
    ("more", "ways", "shortfall"),
    [
        ("", (), ""),
        ("max_messages: 4", ("list_items called first", ASKED), "0.5000 and not 1; missed: told"),
        (
            "minefields: {asked: {says: {contains: '?'}}}",
            (ASKED, f"{OFFER!r} asked last"),
            "0.0000 and not 1; minefields hit: asked",
        ),
    ],
)
def test_a_scenario_that_fails_right_agents_is_no_fair_one(
    more: str, ways: tuple[str, ...], shortfall: str
) -> None:
    found = prove(scenario(f"{TEA}\n{more}")).findings
    assert found == [f"solution 's' with {way} scores {shortfall}" for way in ways]
