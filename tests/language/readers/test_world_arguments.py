"""A scenario gives the arguments with which a world of objects begins."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.protocols import read_file
from pytest_toolsandbox.runs.trial import play_trial
from pytest_toolsandbox.worlds import world as worlds
from pytest_toolsandbox.worlds.world import World, register_world

SCENARIO = """
world: WORLD
user: {opening: Add a book.}
ends_as: adds
milestones: {}
solutions: {adds: [add: {title: Emma}, say: Done.]}
"""


class Shelf:
    def __init__(self, titles: list[str], colour: str = "red") -> None:
        self.books = [{"title": title, "colour": colour} for title in titles]

    def add(self, title: str) -> None:
        """Add a book."""
        self.books.append({"title": title, "colour": "new"})


@pytest.fixture(autouse=True)
def _shelf(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worlds, "_registered", dict(worlds._registered))
    register_world(World.of(Shelf, state=["books"], arguments={"titles": ["Ulysses"]}))


def read(world: str) -> Scenario:
    (scenario,) = read_file(SCENARIO.replace("WORLD", world).encode(), "it", "it.yaml")
    return scenario


def books(scenario: Scenario) -> list[Any]:
    return [(row["title"], row["colour"]) for row in scenario.start["books"]]


def test_each_scenario_begins_with_its_own() -> None:
    usual, other = read("shelf"), read("{name: shelf, with: {titles: [A, B], colour: blue}}")
    assert books(usual) == [("Ulysses", "red")]
    assert books(other) == [("A", "blue"), ("B", "blue")]
    assert books(read("{name: shelf, with: {colour: green}}")) == [("Ulysses", "green")]
    assert read("{name: shelf}").world is usual.world
    assert read("{name: shelf, with: {colour: blue, titles: [A, B]}}").world.name == "shelf"


def test_a_conversation_begins_with_them() -> None:
    scenario = read("{name: shelf, with: {titles: [A]}}")

    def adds(messages: list[dict[str, Any]], _tools: Any) -> Any:
        if messages[-1]["role"] == "tool":
            return "Done."
        function = {"name": "add", "arguments": '{"title": "Emma"}'}
        return {"content": None, "tool_calls": [{"id": "c", "function": function}]}

    trial = play_trial(scenario, adds)
    assert trial.outcome == "passed"
    assert [row["title"] for row in trial.trajectory.states[-1]["books"]] == ["A", "Emma"]


@pytest.mark.parametrize(
    ("world", "problem"),
    [
        (
            "{name: shelf, with: {color: blue}}",
            "the factory of world 'shelf' takes no argument 'color' (allowed: titles, colour)",
        ),
        ("{name: shelf, with: {titles: 3}}", "tests/language/readers/test_world"),
    ],
)
def test_arguments_that_it_does_not_take(world: str, problem: str) -> None:
    with pytest.raises(ScenarioError) as error:
        read(world)
    assert str(error.value).startswith(f"it.yaml:2:28: world.with: {problem}")
