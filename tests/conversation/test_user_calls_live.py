"""The user's calls in a live world: one object, whose log says who called."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_toolsandbox.agents.scripted import scripted
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import converse
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.protocols import read_file
from pytest_toolsandbox.records.conversation import conversation_fields
from pytest_toolsandbox.scoring.milestones.evaluate import evaluate
from pytest_toolsandbox.users.user import scripted_user
from pytest_toolsandbox.worlds import world as worlds
from pytest_toolsandbox.worlds.world import World, register_world


class Gate:
    """A gate with a bolt outside and one inside."""

    def __init__(self) -> None:
        self.bolts = {"outside": True, "inside": True}
        self.knocks = 0

    def open_outside(self) -> str:
        """Open the bolt outside."""
        self.bolts["outside"] = False
        return "open"

    def open_inside(self, hard: bool = False) -> str:
        """Open the bolt inside.

        Args:
            hard: Whether to pull hard.

        Raises:
            ValueError: If it is stuck.
        """
        self.knocks += 1
        if not hard and self.knocks == 1:
            raise ValueError("it is stuck")
        self.bolts["inside"] = False
        return "open"

    def state(self) -> dict[str, list[dict[str, Any]]]:
        """Return the tables."""
        bolts = [{"side": side, "shut": shut} for side, shut in self.bolts.items()]
        return {"bolt": bolts, "knock": [{"count": self.knocks}]}


TEXT = """\
world: gate
user:
  opening: {say: Let me out., do: [open_inside]}
  replies: [{when: pull, do: [{open_inside: {hard: false}}], say: It gave way.}]
milestones:
  outside: {call: open_outside}
  inside: {state: {bolt: {excludes: [{shut: true}]}}}
solutions:
  way: [open_outside: {}, say: "Now pull the bolt inside."]
"""


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Scenario:
    monkeypatch.setattr(worlds, "_registered", dict(worlds._registered))
    tools = ["open_outside"]
    register_world(
        World.of(Gate, state="state", name="gate", tools=tools, user_tools=["open_inside"])
    )
    (scene,) = read_file(TEXT.encode(), "gate", "gate.yaml")
    return scene


@pytest.fixture
def trajectory(gate: Scenario) -> Trajectory:
    return converse(gate, scripted(gate, gate.solutions["way"]), scripted_user(gate))


def test_both_act_on_one_object(gate: Scenario, trajectory: Trajectory) -> None:
    assert [*gate.tool_views] == ["open_outside"]
    errors = [call.error for call in trajectory.user_calls]
    assert errors == ["ValueError: it is stuck", None]
    log = [(call.tool, call.by) for call in trajectory.states[-1].log]
    assert log == [("open_inside", "user"), ("open_outside", "agent"), ("open_inside", "user")]
    assert [dict(row) for row in trajectory.states[-1]["knock"]] == [{"count": 2}]


def test_a_failing_call_of_the_user_may_change_something(
    gate: Scenario, trajectory: Trajectory
) -> None:
    assert trajectory.user_calls[0].changed_the_world
    result = evaluate(gate, trajectory)
    assert result.passed
    assert result.side_effects == ()
    assert len(conversation_fields(trajectory)["user_calls"]) == 2
