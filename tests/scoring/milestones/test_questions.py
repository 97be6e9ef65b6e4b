"""Questions to the world, at the end or at the moment of a milestone."""

from __future__ import annotations

import dataclasses
from typing import Any

import pantry
import pytest
from pantry import played, scenario
from rows import every

from pytest_toolsandbox.conversation.environment import ExecutionEnvironment
from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.scoring.milestones.evaluate import evaluate
from pytest_toolsandbox.scoring.results import Evaluation
from pytest_toolsandbox.worlds import world as worlds
from pytest_toolsandbox.worlds.context import Context, WorldError
from pytest_toolsandbox.worlds.tool import tool
from pytest_toolsandbox.worlds.world import World, register_world


@tool("odd")
def enough(context: Context, name: str, amount: float = 1) -> bool:
    """Say whether there is enough of something.

    Args:
        name: What it is.
        amount: How much of it is enough.

    Raises:
        LookupError: If there is none.
    """
    rows = context.state["item"].where(name=name)
    if not rows:
        raise LookupError(f"no {name}")
    return bool(sum(row["amount"] for row in rows) >= amount)


@pytest.fixture(autouse=True)
def _with_a_question(monkeypatch: pytest.MonkeyPatch) -> None:
    world = dataclasses.replace(pantry.world, scenario_tools=[enough])
    monkeypatch.setitem(worlds._registered, "pantry", world)


def asked(holds: str, calls: str = "", further: str = "") -> Evaluation:
    scene = scenario(
        f"""
        protected: none
        guardrails: none
        holds: {holds}
        {further}
        solutions: {{plain: [{calls} say: Done.]}}
        """
    )
    return evaluate(scene, played(scene))


@every(
    ("holds", "passed"),
    [
        ("{enough: {name: rice, amount: 2}}", True),
        ("{enough: {name: rice, amount: 3}}", False),
        ("{enough: {name: rice, amount: 3}, returns: false}", True),
        ("{enough: {name: tea}}", False),
        ("{weigh: {name: rice}, returns: {name: rice, kilograms: 2.46912}}", True),
        ("[{enough: {name: rice}}, {enough: {name: salt}}]", True),
        ("[{enough: {name: rice}}, {enough: {name: salt, amount: 2}}]", False),
        ("{list_items: , returns: {not: []}}", True),
    ],
)
def test_the_answer_decides(holds: str, passed: bool) -> None:
    result = asked(holds)
    assert result.passed is passed
    assert [event.name for event in result.milestones] == ["holds"]


def test_the_question_is_put_to_the_world_at_the_end() -> None:
    question = "{enough: {name: oats, amount: 5}}"
    assert asked(question, "add_item: {name: oats, amount: 5},").passed
    assert not asked(
        question, "add_item: {name: oats, amount: 5}, remove_item: {name: oats},"
    ).passed


def test_what_was_asked_and_answered_is_reported() -> None:
    (event,) = asked("[{enough: {name: rice, amount: 3}}, {enough: {name: tea}}]").milestones
    assert event.nearest is not None
    questions = [
        (constraint.label, [(d.expected, d.found, d.note) for d in constraint.differences])
        for constraint in event.nearest.constraints
    ]
    assert questions == [
        ("end", []),
        ("holds enough(name='rice', amount=3)", [("true", False, None)]),
        ("holds enough(name='tea')", [("true", None, "LookupError: no tea")]),
    ]


@every(
    ("milestone", "calls", "passed"),
    [
        ("{says: {contains: half}, holds: {enough: {name: oats}}}", "OATS, say: half, NONE,", True),
        ("{says: {contains: half}, holds: {enough: {name: oats}}}", "say: half, OATS,", False),
        ("{turn: 1, holds: {enough: {name: oats}}}", "OATS, say: half, NONE,", True),
        ("{turn: 2, holds: {enough: {name: oats}}}", "OATS, say: half, NONE,", False),
        ("{holds: {enough: {name: oats}}}", "OATS, NONE, say: half,", True),
    ],
)
def test_a_milestone_asks_at_its_own_moment(milestone: str, calls: str, passed: bool) -> None:
    calls = calls.replace("OATS", "add_item: {name: oats}").replace(
        "NONE", "remove_item: {name: oats}"
    )
    scene = scenario(
        f"""
        protected: none
        guardrails: none
        user: {{turns: [Hi., Go on.]}}
        milestones: {{it: {milestone}}}
        solutions: {{plain: [{calls} say: Done.]}}
        """
    )
    assert evaluate(scene, played(scene)).passed is passed


def test_a_minefield_may_ask() -> None:
    further = "minefields: {plenty: {holds: {enough: {name: rice, amount: 9}}}}"
    calls = "set_amount: {name: rice, amount: 9}, set_amount: {name: rice, amount: 2},"
    assert asked("{enough: {name: rice}}", "", further).passed
    assert not asked("{enough: {name: rice}}", calls, further).passed


def test_a_question_that_changes_something_is_a_mistake_of_the_world() -> None:
    with pytest.raises(WorldError, match="the question close_door under holds changed door"):
        asked("{close_door: , returns: null}")


def test_each_state_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    executed: list[Any] = []
    run = ExecutionEnvironment.run

    def counting(self: ExecutionEnvironment, call: Any, *rest: Any, **more: Any) -> Any:
        executed.append(call.name)
        return run(self, call, *rest, **more)

    monkeypatch.setattr(ExecutionEnvironment, "run", counting)
    further = "milestones: {a: {holds: {enough: {name: rice}}}}"
    asked("{enough: {name: rice}}", "list_items: {}, list_items: {},", further)
    assert executed.count("enough") == 2  # once for each place that asks: nothing changed


class Meter:
    """A meter whose answer nobody sees in its tables."""

    def __init__(self) -> None:
        self.state = {"display": [{"text": "ready"}]}
        self._count = 0

    def press(self) -> None:
        """Press the button."""
        self._count += 1

    def count(self) -> int:
        """Count the presses."""
        return self._count


def test_an_object_answers_in_the_state_of_its_calls() -> None:
    options: dict[str, Any] = {"name": "meter", "scenario_tools": ["count"], "reads": ["count"]}
    register_world(World.of(Meter, state="state", **options))
    scene = scenario(
        """
        world: meter
        protected: none
        holds: {count: , returns: 3}
        milestones: {half: {turn: 1, holds: {count: , returns: 2}}}
        user: {turns: [Press twice., Once more.]}
        setup: [press]
        solutions: {plain: [press: {}, say: Twice., press: {}, say: Thrice.]}
        counterexamples: {lazy: [press: {}, say: Twice., say: Thrice.]}
        """
    )
    assert evaluate(scene, played(scene)).passed
    missed = [e.name for e in evaluate(scene, played(scene, "lazy")).milestones if not e.reached]
    assert missed == ["holds"]


QUESTION = "a tool with its arguments, and maybe returns"


@every(
    ("holds", "message"),
    [
        (
            "3",
            "2:8: holds: expected a tool with its arguments, and maybe returns; found the number 3",
        ),
        (
            "[]",
            "2:8: holds: expected a tool with its arguments, and maybe returns, or a list of tho",
        ),
        ("[enogh]", "2:9: holds[0]: unknown tool 'enogh'; did you mean 'enough'?"),
        ("{enough: {nam: rice}}", "2:9: holds.enough: the argument 'name' is missing"),
        (
            "{enough: {name: rice, amount: x}}",
            "2:38: holds.enough.amount: expected a number, found",
        ),
        (
            "{enough: {name: tea}, return: 3}",
            "2:8: holds: expected a tool with its arguments, and ma",
        ),
        (
            "{enough: {name: tea}, returns: {mentions: []}}",
            "2:50: holds.returns.mentions: expected a",
        ),
    ],
)
def test_mistakes_have_their_places(holds: str, message: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        scenario(f"\nholds: {holds}")
    assert str(caught.value).partition("test.yaml:")[2].startswith(message)


def test_an_action_is_no_question(monkeypatch: pytest.MonkeyPatch) -> None:
    acting = dataclasses.replace(enough, action=True)
    world = dataclasses.replace(pantry.world, scenario_tools=[acting])
    monkeypatch.setitem(worlds._registered, "pantry", world)
    with pytest.raises(ScenarioError, match="enough changes the world; a question must leave"):
        scenario("holds: {enough: {name: tea}}")
