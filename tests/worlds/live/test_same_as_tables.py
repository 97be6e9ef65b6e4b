"""A world of objects plays as the same world of tables does, whatever is called in which state."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from pytest_toolsandbox.calls.tool_call import ToolCall
from pytest_toolsandbox.conversation.environment import ExecutionEnvironment
from pytest_toolsandbox.worlds.context import Context
from pytest_toolsandbox.worlds.state import Column, State, TableSchema, plain
from pytest_toolsandbox.worlds.tool import tool
from pytest_toolsandbox.worlds.world import World


@tool("stack")
def push(context: Context, number: int) -> int:
    """Push a number on the stack that is open."""
    name = context.row("open")["name"]
    context.add("number", {"stack": name, "number": number})
    return len(context.state["number"].where(stack=name))


@tool("stack")
def pop(context: Context) -> int:
    """Take the number that was pushed last off the stack that is open."""
    rows = context.state["number"].where(stack=context.row("open")["name"])
    if not rows:
        raise LookupError("the stack is empty")
    context.remove("number", rows[-1])
    number: int = rows[-1]["number"]
    return number


@tool("stack")
def switch(context: Context) -> None:
    """Open the other stack."""
    row = context.row("open")
    context.update("open", row, name="b" if row["name"] == "a" else "a")


TABLES = World(
    "stacks",
    datetime(2025, 1, 1, tzinfo=UTC),
    {
        "number": TableSchema({"stack": Column(str), "number": Column(int)}),
        "open": TableSchema({"name": Column(str)}, single_row=True, bookkeeping=True),
    },
    [push, pop, switch],
    lambda _: {"number": [{"stack": "a", "number": 1}], "open": [{"name": "a"}]},
    raises=(LookupError,),
)


class Stacks:
    """Which stack is open, no table shows."""

    def __init__(self) -> None:
        self.stacks: dict[str, list[int]] = {"a": [1], "b": []}
        self.name = "a"

    def push(self, number: int) -> int:
        """Push a number on the stack that is open."""
        self.stacks[self.name].append(number)
        return len(self.stacks[self.name])

    def pop(self) -> int:
        """Take the number that was pushed last off the stack that is open."""
        if not self.stacks[self.name]:
            raise LookupError("the stack is empty")
        return self.stacks[self.name].pop()

    def switch(self) -> None:
        """Open the other stack."""
        self.name = "b" if self.name == "a" else "a"


class Locked(Stacks):
    """Such an object cannot be copied: earlier states are reached by replays."""

    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.Lock()


def numbers(stacks: Stacks) -> dict[str, list[Any]]:
    rows = [
        {"stack": name, "number": number}
        for name, pushed in stacks.stacks.items()
        for number in pushed
    ]
    return {"number": rows}


def live(kind: type[Stacks]) -> World:
    return World.of(kind, state=numbers, raises=(LookupError,))


CALL: st.SearchStrategy[tuple[str, dict[str, int]]] = st.one_of(
    st.builds(lambda number: ("push", {"number": number}), st.integers(0, 2)),
    st.sampled_from([("pop", {}), ("switch", {})]),
)
STEP = st.tuples(st.lists(CALL, min_size=1, max_size=3), st.integers(0, 9))
"""Parallel calls, and how many states they go back before."""


def played(world: World, steps: Sequence[tuple[Any, int]]) -> list[Any]:
    """Return the results and the rows after each step."""
    states: list[State] = [world.start(world.now)]
    seen: list[Any] = []
    with ExecutionEnvironment(world, world.now, world.shown()) as environment:
        for place, (calls, back) in enumerate(steps):
            state = states[max(len(states) - 1 - back, 0)] if back > 5 else states[-1]
            made = [ToolCall("call", name, json.dumps(arguments)) for name, arguments in calls]
            execution = environment.execute(made, state, place)
            assert execution.all_tried
            outcomes = [(at, r.content, r.error) for at, r in execution.outcomes]
            states.append(execution.outcomes[-1][1].state)
            rows = [(row["stack"], row["number"]) for row in plain(states[-1]["number"].rows)]
            seen.append((outcomes, sorted(rows)))
    return seen


@pytest.mark.parametrize("kind", [Stacks, Locked])
@settings(max_examples=40)
@given(steps=st.lists(STEP, max_size=6))
def test_the_same_is_returned_and_left(kind: type[Stacks], steps: list[Any]) -> None:
    assert played(live(kind), steps) == played(TABLES, steps)
