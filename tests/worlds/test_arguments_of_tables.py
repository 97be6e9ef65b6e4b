"""Arguments with which a world of tables begins."""

from __future__ import annotations

import dataclasses
from datetime import datetime
from typing import Any

import pantry
import pytest
from pantry import played, scenario

from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.scoring.milestones.evaluate import evaluate
from pytest_toolsandbox.worlds import world as worlds
from pytest_toolsandbox.worlds.world import register_world


def stocked(now: datetime, *, names: list[str] | None = None, amount: float = 1) -> Any:
    rows = [{"name": name, "amount": amount} for name in names or ["rice"]]
    if names:
        names.append("another")  # what is given is no one else's
    return {"door": [{"open": now.hour > 12}], "item": rows}


@pytest.fixture(autouse=True)
def _stocked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worlds, "_registered", dict(worlds._registered))
    register_world(dataclasses.replace(pantry.world, initial=stocked))


def test_each_scenario_begins_with_its_own_arguments() -> None:
    first = scenario("world: {name: pantry, with: {names: [tea, salt], amount: 3}}")
    again = scenario("world: {name: pantry, with: {amount: 3, names: [tea, salt]}}")
    plain = scenario("world: pantry")
    assert [(row["name"], row["amount"]) for row in first.start["item"]] == [
        ("tea", 3),
        ("salt", 3),
    ]
    assert [row["name"] for row in plain.start["item"]] == ["rice"]
    assert first.start == again.start
    assert first.world is again.world is not plain.world


def test_a_file_s_default_and_a_scenario_s_arguments_merge() -> None:
    scene = scenario(
        """
        world: {name: pantry, with: {names: [tea], amount: 2}}
        protected: none
        milestones: {more: {state: {item: {rows: [{name: tea, amount: 3}]}}}}
        solutions: {plain: [set_amount: {name: tea, amount: 3}, say: Done.]}
        """
    )
    assert evaluate(scene, played(scene)).passed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            "{nams: [tea]}",
            "unknown argument 'nams' of initial of world 'pantry'; did you mean",
        ),
        ("{names: 3}", "initial raised TypeError: 'int' object is not iterable"),
    ],
)
def test_wrong_arguments_are_mistakes_of_the_file(arguments: str, message: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        scenario(f"\nworld: {{name: pantry, with: {arguments}}}")
    assert message in str(caught.value)
    assert str(caught.value).startswith("test.yaml:2:")
