"""Calls that prepare the world before the conversation."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime

import pantry
import pytest
from pantry import played, scenario
from rows import every

from pytest_toolsandbox.authoring.proof.proof import prove
from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.protocols import read_file
from pytest_toolsandbox.scoring.milestones.evaluate import evaluate
from pytest_toolsandbox.worlds import world as worlds
from pytest_toolsandbox.worlds.context import Context, WorldError
from pytest_toolsandbox.worlds.state import plain
from pytest_toolsandbox.worlds.tool import tool
from pytest_toolsandbox.worlds.world import World, register_world


@tool("odd")
def spill(context: Context, name: str) -> str:
    """Lose something, which no agent can do.

    Args:
        name: What is lost.
    """
    context.remove("item", *context.state["item"].where(name=name))
    return name


@pytest.fixture(autouse=True)
def _with_accidents(monkeypatch: pytest.MonkeyPatch) -> None:
    world = dataclasses.replace(pantry.world, scenario_tools=[spill])
    monkeypatch.setitem(worlds._registered, "pantry", world)


PREPARED = """
protected: none
setup:
  - add_item: {name: oats, amount: 2}
  - close_door
  - spill: {name: salt}
tools: [list_items, open_door, set_amount]
milestones:
  open: {state: {door: {open: true}}}
  more: {state: {item: {updated: [{name: oats, amount: 3}]}}}
solutions:
  plain: [open_door: {}, set_amount: {name: oats, amount: 3}, say: Done.]
counterexamples:
  other: [open_door: {}, set_amount: {name: rice, amount: 3}, say: Done.]
"""


def test_the_conversation_begins_after_the_calls() -> None:
    scene = scenario(PREPARED)
    trajectory = played(scene)
    assert [row["name"] for row in trajectory.start["item"]] == ["rice", "oats"]
    assert [call.call.name for call in trajectory.calls] == ["open_door", "set_amount"]
    assert [m.recipient for m in trajectory.messages[:2]] == [Role.AGENT, Role.AGENT]
    assert evaluate(scene, trajectory).passed
    assert prove(scene).findings == []


def test_nobody_is_offered_what_scenarios_call() -> None:
    scene = scenario("setup: [spill: {name: salt}]")
    assert "spill" not in scene.tools
    assert "spill" not in scene.tool_views
    assert "spill" not in {schema["function"]["name"] for schema in scene.tool_schemas}


def test_a_call_uses_an_earlier_result() -> None:
    scene = scenario("setup: [spill: {name: rice}, add_item: {name: $spill, amount: 7}]")
    assert [(row["name"], row["amount"]) for row in scene.start["item"]] == [
        ("salt", 1),
        ("rice", 7),
    ]


def test_calls_come_after_the_rows() -> None:
    scene = scenario("state: {item: {rows: [{name: tea}]}}\nsetup: [spill: {name: tea}]")
    assert plain(scene.start["item"].rows) == []


def test_two_scenarios_begin_alike() -> None:
    first, second = (scenario(PREPARED) for _ in range(2))
    assert first.start == second.start
    assert first.task_digest == second.task_digest != scenario("setup: []").task_digest


FAILS = "the call fails, and calls of setup must succeed:"


@every(
    ("setup", "message"),
    [
        ("[spil: {name: salt}]", "2:9: setup[0].spil: unknown tool 'spil'; did you mean 'spill'?"),
        ("[spill: {name: salt, of: 3}]", "2:29: setup[0].spill.of: unknown argument 'of' of spill"),
        ("[spill]", "2:9: setup[0]: the argument 'name' is missing"),
        ("[spill: {name: 3}]", "2:23: setup[0].spill.name: expected text, found the number 3"),
        ("[say: {}]", "2:9: setup[0].say: unknown tool 'say' (allowed: open_door, close_door, "),
        ("[3]", "2:9: setup[0]: expected one tool with its arguments, found the number 3"),
        (
            "[open_door, close_door]",
            f"2:9: setup[0].open_door: {FAILS} PermissionError: The door is open already.",
        ),
        (
            '[list_items, spill: {name: "$list_items[7]"}]',
            f"2:21: setup[1].spill: {FAILS} ValueError: there is nothing at '[7]' in the result of",
        ),
        (
            "[spill: {name: $list_items}]",
            "2:23: setup[0].spill.name.call: no call before this one is of list_items; call it",
        ),
        ("[give: {what: set}]", "2:9: setup[0].give: tests/pantry.py:155: the tool 'give': its re"),
        ("spill", "2:8: setup: expected a list, found the text 'spill'"),
    ],
)
def test_a_mistake_is_noted_where_it_stands(setup: str, message: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        scenario(f"\nsetup: {setup}")
    assert str(caught.value).partition("test.yaml:")[2].startswith(message)


class Lamp:
    """A lamp that knows how often it was broken."""

    def __init__(self) -> None:
        self.state = {"lamp": [{"on": False}]}
        self._broken = False

    def shatter(self) -> None:
        """Break the bulb, which nobody sees."""
        self._broken = True

    def switch(self) -> bool:
        """Switch the lamp."""
        self.state["lamp"][0]["on"] = not self._broken
        return not self._broken


def test_an_object_is_prepared_by_its_own_methods() -> None:
    world = World.of(
        Lamp,
        state="state",
        name="lamp",
        scenario_tools=["shatter"],
        now=datetime(2025, 1, 1, tzinfo=UTC),
    )
    register_world(world)
    assert list(world.agent_tools) == ["switch"]
    scene = scenario(
        """
        world: lamp
        setup: [shatter]
        protected: none
        milestones: {dark: {state: {lamp: {includes: [{on: false}]}}}}
        solutions: {plain: [switch: {}, say: It is broken.]}
        """
    )
    for _ in range(2):
        (call,) = played(scene).calls
        assert call.trace is not None
        assert call.trace.result is False


def test_tools_of_scenarios_are_checked_like_others() -> None:
    with pytest.raises(WorldError, match="the tool 'open_door' is there twice"):
        register_world(dataclasses.replace(pantry.world, scenario_tools=[pantry.open_door]))
    with pytest.raises(WorldError, match="print in its scenario_tools is not a tool"):
        register_world(dataclasses.replace(pantry.world, scenario_tools=[print]))  # type: ignore[list-item]


def test_a_file_s_calls_prepare_all_of_its_scenarios_but_those_with_calls_of_their_own() -> None:
    file = """
world: pantry
user: {opening: Hello.}
protected: all
setup: [close_door]
scenarios:
  closed: {}
  emptied: {setup: [spill: {name: salt}, spill: {name: rice}]}
  as_ever: {setup: null}
"""
    scenes = {scene.name: scene for scene in read_file(file.encode(), "file", "file.yaml")}
    doors = {name: scene.start["door"].rows[0]["open"] for name, scene in scenes.items()}
    assert doors == {"closed": False, "emptied": True, "as_ever": True}
    assert {name: len(scene.start["item"]) for name, scene in scenes.items()} == {
        "closed": 2,
        "emptied": 0,
        "as_ever": 2,
    }
    assert scenes["emptied"].setup == ("spill(name='salt')", "spill(name='rice')")
