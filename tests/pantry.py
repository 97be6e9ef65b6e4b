"""A small world, for tests: a pantry behind a door, and tools that behave and misbehave."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from pytest_toolsandbox.agents.scripted import scripted
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import converse
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.protocols import read_file
from pytest_toolsandbox.scoring.milestones.evaluate import evaluate
from pytest_toolsandbox.scoring.results import Evaluation
from pytest_toolsandbox.users.user import scripted_user
from pytest_toolsandbox.worlds.context import Context
from pytest_toolsandbox.worlds.state import NEW_IDENTIFIER, Column, TableSchema
from pytest_toolsandbox.worlds.tool import tool
from pytest_toolsandbox.worlds.world import World, register_world


class Unwritable(Exception):  # noqa: N818  # a name as a user may choose it
    """An error that cannot even be written."""

    def __str__(self) -> str:
        raise RuntimeError("no")


USUAL = {"world": "pantry", "user": "{opening: Fill the pantry.}", "protected": "[bin]"}

ERRORS: Mapping[str, BaseException] = {
    "plain": ValueError("no good"),
    "silent": ValueError(),
    "several lines": RuntimeError("first\n  second\r\nthird"),
    "key": KeyError("salt"),
    "exit": SystemExit(3),
    "recursion": RecursionError("too deep"),
    "unwritable": Unwritable(),
    "interrupt": KeyboardInterrupt(),
}
ITSELF: list[Any] = []
ITSELF.append(ITSELF)
RESULTS: Mapping[str, Any] = {
    "nothing": None,
    "tuple": (1, 2.5, "é"),
    "numbered": {1: "one"},
    "moment": datetime(2025, 3, 14, 16, 0, tzinfo=ZoneInfo("UTC")),
    "set": {frozenset({1}): 1},
    "itself": ITSELF,
    "object": object(),
}


@tool("door")
def open_door(context: Context) -> None:
    """Open the door."""
    _turn(context, is_open=True)


@tool("door")
def close_door(context: Context) -> None:
    """Close the door."""
    _turn(context, is_open=False)


def _turn(context: Context, *, is_open: bool) -> None:
    door = context.row("door")
    if door["open"] == is_open:
        raise PermissionError(f"The door is {'open' if is_open else 'closed'} already.")
    context.update("door", door, open=is_open)


@tool("items")
def add_item(context: Context, name: str, amount: float = 1, note: str | None = None) -> str:
    """Put something into the pantry, whose door must be open.

    Args:
        name: What it is.
        amount: How much of it.
        note: What to remember of it.

    Returns:
        Its identifier.

    """
    if not context.row("door")["open"]:
        raise PermissionError("The door is closed.")
    identifier = context.new_identifier()
    row = {"item_id": identifier, "name": name, "amount": float(amount), "note": note}
    context.add("item", row)
    return identifier


@tool("items")
def remove_item(context: Context, name: str) -> None:
    """Take something out of the pantry.

    Args:
        name: What it is.

    """
    context.remove("item", *context.state["item"].where(name=name))


@tool("items")
def set_amount(context: Context, name: str, amount: float) -> None:
    """Change how much there is of something.

    Args:
        name: What it is.
        amount: How much of it.

    """
    for row in context.state["item"].where(name=name):
        context.update("item", row, amount=float(amount))


@tool("items")
def list_items(context: Context) -> list[dict[str, Any]]:
    """Tell what there is, in the order in which it came."""
    return [dict(row) for row in context.rows("item")]


@tool("items")
def weigh(context: Context, name: str) -> dict[str, Any]:
    """Weigh something.

    Args:
        name: What it is.

    Returns:
        Its weight in kilograms.

    """
    rows = context.state["item"].where(name=name)
    return {"name": name, "kilograms": rows[0]["amount"] * 1.23456 if rows else None}


@tool("odd", raises=(ValueError, RuntimeError, KeyError, SystemExit, Unwritable))
def fail(context: Context, how: str) -> None:
    """Fail, after the door was taken out.

    Args:
        how: In which way.

    """
    context.remove("door", context.row("door"))
    raise ERRORS[how]


@tool("odd")
def give(what: str) -> Any:
    """Give back something that may be no JSON.

    Args:
        what: What to give back.

    """
    return RESULTS[what]


@tool("odd")
def spoil(values: list[int]) -> int:
    """Change the arguments of its own call.

    Args:
        values: Some numbers.

    """
    values.append(99)
    return len(values)


@tool("talk", for_user=True)
def end_conversation() -> None:
    """Leave the pantry."""


world = register_world(
    World(
        name="pantry",
        now=datetime(2025, 3, 14, 16, 0, tzinfo=ZoneInfo("Europe/Madrid")),
        tables={
            "door": TableSchema(
                {"open": Column(bool), "code": Column(int, nullable=True, default=None)},
                single_row=True,
            ),
            "item": TableSchema(
                {
                    "item_id": Column(str, default=NEW_IDENTIFIER),
                    "name": Column(str),
                    "amount": Column(float, default=1.0),
                    "note": Column(str, nullable=True, measure="rouge_l", default=None),
                }
            ),
            "bin": TableSchema({"what": Column(str)}),
        },
        toolset=[
            open_door,
            close_door,
            add_item,
            remove_item,
            set_amount,
            list_items,
            weigh,
            fail,
            give,
            spoil,
            end_conversation,
        ],
        raises=(PermissionError,),
        initial=lambda _: {
            "door": [{"open": True}],
            "item": [{"name": "rice", "amount": 2}, {"name": "salt", "note": "coarse sea salt"}],
        },
    )
)


def scenario(text: str) -> Scenario:
    """Return the scenario that a text in YAML describes, in the pantry unless it says otherwise.

    A query has no user, and nothing that is protected.
    """
    text = textwrap.dedent(text)
    keys = set(re.findall(r"^(\w+):", text, re.MULTILINE))
    for key, usual in USUAL.items():
        if key not in keys and (key == "world" or "query" not in keys):
            text += f"\n{key}: {usual}"
    (only,) = read_file(text.encode(), "test", "test.yaml", {})
    return only


def played(scene: Scenario, name: str | None = None) -> Trajectory:
    """Return the trajectory of a solution or counterexample, the first one unless it is named."""
    scripts = {**scene.solutions, **scene.counterexamples}
    steps = scripts[name or next(iter(scripts))]
    return converse(scene, scripted(scene, steps), scripted_user(scene))


def judged(text: str) -> Evaluation:
    """Return how the first solution or counterexample of a scenario fares."""
    scene = scenario(text)
    return evaluate(scene, played(scene))


def similarities(evaluation: Evaluation) -> dict[str, float]:
    """Return milestone → similarity."""
    return {event.name: event.similarity for event in evaluation.milestones}


def snapshots(evaluation: Evaluation) -> dict[str, int]:
    """Return milestone → the snapshot that it is mapped to."""
    return {event.name: event.snapshot for event in evaluation.milestones}


def contents(trajectory: Trajectory) -> Sequence[str]:
    """Return what was said and answered."""
    return [message.content for message in trajectory.messages]
