from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from pantry import world

from pytest_toolsandbox.calls.tool_call import ToolCall
from pytest_toolsandbox.conversation.call_wrappers import CallRequest, CallWrapper, Execute
from pytest_toolsandbox.conversation.environment import ExecutionEnvironment
from pytest_toolsandbox.conversation.messages import Response
from pytest_toolsandbox.worlds.state import Caller, Column, State, Table, TableSchema
from pytest_toolsandbox.worlds.tool import Tool
from pytest_toolsandbox.worlds.tool_view import tool_views

START = world.start(world.now)


def call(name: str, /, **arguments: Any) -> ToolCall:
    return ToolCall("call", name, json.dumps(arguments))


def answer(made: ToolCall, *wrappers: CallWrapper) -> Response:
    environment = ExecutionEnvironment(world, world.now, world.shown(), wrappers)
    return environment.run(made, START, "2/0")


def times_out(tool: str, *, after_the_change: bool) -> CallWrapper:
    """Return a wrapper that makes a tool time out, before or after it has changed the world."""

    def wrapper(execute: Execute, request: CallRequest) -> Response:
        if request.call.name != tool:
            return execute(request)
        state = execute(request).state if after_the_change else request.state
        line = f"TimeoutError: {tool} took longer than 30 s"
        return Response(line, state, error=line)

    return wrapper


def test_a_wrapper_answers_a_call_itself() -> None:
    line = "TimeoutError: add_item took longer than 30 s"
    wrapper = times_out("add_item", after_the_change=False)
    assert answer(call("add_item", name="sugar"), wrapper) == Response(line, START, error=line)
    assert answer(call("weigh", name="rice"), wrapper) == answer(call("weigh", name="rice"))


def test_a_wrapper_may_keep_the_change_of_a_call_that_fails() -> None:
    response = answer(call("add_item", name="sugar"), times_out("add_item", after_the_change=True))
    assert response.failed
    assert [row["name"] for row in response.state["item"]] == ["rice", "salt", "sugar"]


def test_a_call_passes_through_the_first_wrapper_first() -> None:
    def renames(execute: Execute, request: CallRequest) -> Response:
        return execute(request._replace(call=replace(request.call, name="weigh")))

    wrapper = times_out("weigh", after_the_change=False)
    made = call("remove_item", name="rice")
    assert answer(made, renames, wrapper).failed
    assert not answer(made, wrapper, renames).failed


class Counter:
    """An object that changes itself."""

    def __init__(self, count: int = 0) -> None:
        self.count = count


def increase(by: int) -> int:
    """Increase the counter.

    Args:
        by: By how much.
    """
    raise NotImplementedError(by)


@dataclass
class RunningCounter:
    """A counter that runs: its state is read from the object, and a fork makes another object."""

    counter: Counter
    calls: list[int]
    tables_read: None = None

    def fork(self, state: State, place: str, by: Caller = "agent") -> RunningCounter:
        del place, by
        (row,) = state["counter"]
        return RunningCounter(Counter(row["count"]), self.calls)

    def check_precondition(self, tool: Tool) -> None:
        assert tool.name == "increase"

    def call(self, tool: Tool, arguments: Mapping[str, Any]) -> str:
        assert tool.name == "increase"
        self.calls.append(arguments["by"])
        self.counter.count += arguments["by"]
        if self.counter.count > 3:
            raise ValueError("the counter is broken")
        return json.dumps(self.counter.count)

    def snapshot(self) -> State:
        return State({"counter": Table([{"count": self.counter.count}])})

    def explore(self) -> None:
        raise NotImplementedError

    def may_explore(self) -> bool:
        raise NotImplementedError

    def move_clock(self, now: datetime, place: str) -> State:
        raise NotImplementedError

    def settle(self, state: State) -> None:
        raise NotImplementedError(state)

    def close(self) -> None:
        raise NotImplementedError


@dataclass
class CounterWorld:
    """A world that is an object."""

    name: str = "counter"
    tools: Mapping[str, Tool] = field(default_factory=lambda: {"increase": Tool(increase)})
    tables: Mapping[str, TableSchema] = field(
        default_factory=lambda: {"counter": TableSchema({"count": Column(int)}, single_row=True)}
    )
    calls: list[int] = field(default_factory=list)

    def start(self, now: datetime) -> State:
        return self.open(now).snapshot()

    def open(self, now: datetime) -> RunningCounter:
        del now
        return RunningCounter(Counter(), self.calls)


def test_the_environment_executes_calls_in_a_world_of_another_kind() -> None:
    counter, now = CounterWorld(), datetime(2025, 3, 14, tzinfo=UTC)
    environment = ExecutionEnvironment(counter, now, tool_views(counter.tools))
    first = environment.run(call("increase", by=2), counter.start(now), "2/0")
    assert (first.content, first.state["counter"].rows[0]["count"]) == ("2", 2)
    assert first.trace
    assert first.trace.reads is None
    second = environment.run(call("increase", by=2), first.state, "4/0")
    assert second.error == "ValueError: the counter is broken"
    assert second.state["counter"].rows[0]["count"] == 4, "a failing call may change the world"
    again = environment.run(call("increase", by=1), first.state, "6/0")
    assert again.content == "3", "the fork of an earlier state is not affected"
    assert environment.run(call("increase", by="1"), first.state, "8/0").failed
    assert counter.calls == [2, 2, 1]
