from __future__ import annotations

import dataclasses
import json
import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, strategies as st
from pantry import world
from rows import every

from pytest_toolsandbox.calls.tool_call import MAX_DEPTH, ToolCall, ToolTrace
from pytest_toolsandbox.conversation.environment import ExecutionEnvironment
from pytest_toolsandbox.conversation.messages import Response
from pytest_toolsandbox.worlds.context import Context, WorldError
from pytest_toolsandbox.worlds.state import State
from pytest_toolsandbox.worlds.tool import Tool, tool
from pytest_toolsandbox.worlds.tool_view import ToolView

START = world.start(world.now)


def call(name: str, /, **arguments: Any) -> ToolCall:
    return ToolCall("call", name, json.dumps(arguments))


def execute(*calls: ToolCall, state: State = START, place: int = 2) -> list[Response]:
    """Return the responses in the order of the calls."""
    offered = {name: world.shown()[name] for name in world.agent_tools}
    environment = ExecutionEnvironment(world, world.now, offered)
    return [response for _, response in sorted(environment.execute(calls, state, place).outcomes)]


def answer(made: ToolCall) -> Response:
    (response,) = execute(made)
    return response


def door(state: State) -> bool:
    (row,) = state["door"]
    return bool(row["open"])


def test_a_result_is_json_and_its_call_leaves_a_trace() -> None:
    response = answer(call("weigh", name="rice"))
    result = {"name": "rice", "kilograms": 2.46912}
    assert json.loads(response.content) == result
    assert response.trace == ToolTrace("weigh", {"name": "rice"}, result)
    assert (response.error, response.failed) == (None, False)
    assert response.state is START
    # A trace has the defaults that the call left out, and not what the tool made of its arguments.
    trace = answer(call("add_item", name="sugar")).trace
    assert trace is not None
    assert trace.arguments == {"name": "sugar", "amount": 1, "note": None}
    spoilt = answer(call("spoil", values=[1, 2])).trace
    assert spoilt == ToolTrace("spoil", {"values": [1, 2]}, 3)
    assert not answer(ToolCall("", "close_door", "")).failed  # no text, no arguments


def test_a_change_makes_a_new_state_and_shares_the_rest() -> None:
    state = answer(call("add_item", name="sugar", amount=2)).state
    assert [row["name"] for row in state["item"]] == ["rice", "salt", "sugar"]
    assert [row["name"] for row in START["item"]] == ["rice", "salt"]
    assert state["door"] is START["door"]
    assert answer(call("set_amount", name="rice", amount=2)).state is START  # as it was


@pytest.mark.parametrize(
    ("what", "content"),
    [
        ("nothing", "null"),
        ("tuple", '[1, 2.5, "é"]'),
        ("numbered", '{"1": "one"}'),
        ("moment", '"2025-03-14T16:00:00Z"'),
    ],
)
def test_what_a_tool_gives_is_json_in_the_message_and_in_the_trace(what: str, content: str) -> None:
    response = answer(call("give", what=what))
    assert response.content == content
    assert response.trace is not None
    assert response.trace.result == json.loads(content)


@pytest.mark.parametrize(
    ("what", "problem"),
    [
        ("set", "keys must be str, int, float, bool or None, not frozenset"),
        ("itself", "Circular reference detected"),
        ("object", "JSON cannot express object"),
    ],
)
def test_a_result_that_cannot_be_written_is_the_world_s_mistake(what: str, problem: str) -> None:
    with pytest.raises(WorldError) as caught:
        answer(call("give", what=what))
    text = f"the tool 'give': its result cannot be written as JSON: {problem}"
    assert re.fullmatch(rf".*pantry\.py:\d+: {text}", str(caught.value))


@every(
    ("how", "line"),
    [
        ("plain", "ValueError: no good"),
        ("silent", "ValueError"),
        ("several lines", "RuntimeError: first second third"),
        ("key", "KeyError: 'salt'"),
        ("exit", "SystemExit: 3"),
        ("recursion", "RecursionError: too deep"),
        ("unwritable", "Unwritable"),
    ],
)
def test_what_a_tool_declares_comes_back_in_one_line_and_changes_nothing(
    how: str, line: str
) -> None:
    response = answer(call("fail", how=how))
    assert response == Response(line, START, error=line)
    assert response.failed
    assert response.state is START
    with pytest.raises(KeyboardInterrupt):  # Ctrl-C is no error of a call
        answer(call("fail", how="interrupt"))


NO_JSON = "ValueError: the arguments are no JSON"
NO_TOOL = "is not defined: there is no such tool"
DEEP = "[" * MAX_DEPTH + "]" * MAX_DEPTH


@every(
    ("made", "error"),
    [
        (ToolCall("", "weigh", '{"name": NaN}'), f"{NO_JSON}: NaN is not allowed"),
        (ToolCall("", "weigh", "salt"), f"{NO_JSON}: Expecting value: line 1 column 1 (char 0)"),
        (ToolCall("", "weigh", '["rice"]'), "TypeError: the arguments are no JSON object"),
        (
            ToolCall("", "weigh", f'{{"name": {DEEP}}}'),
            f"{NO_JSON}: nested deeper than {MAX_DEPTH} levels",
        ),
        (call("weigh"), "TypeError: missing a required argument: 'name'"),
        (
            call("weigh", name="rice", unit="kg"),
            "TypeError: got an unexpected keyword argument 'unit'",
        ),
        (
            call("add_item", name="sugar", amount=None),
            "TypeError: Parameter 'amount' is of type 'null', but expected 'number'.",
        ),
        (call("weigh_all"), f"NameError: name 'weigh_all' {NO_TOOL}"),
        (ToolCall("", "weigh\nall", "{"), f"NameError: name 'weigh\\nall' {NO_TOOL}"),
        (
            call("end_conversation"),
            f"NameError: name 'end_conversation' {NO_TOOL}",
        ),  # it is not offered
        (ToolCall("", "", "x{"), "SyntaxError: the call cannot be read: it has no name of a tool"),
        (ToolCall("", "", "{}"), "NameError: name '' is not defined: there is no such tool"),
    ],
)
def test_a_call_that_cannot_be_carried_out_says_why_in_one_line(made: ToolCall, error: str) -> None:
    response = answer(made)
    assert response == Response(error, START, error=error)
    assert response.state is START


def number(string: str, number: int = 0) -> None:
    """Raise something.

    Args:
        string: A text.
        number: Beside it.

    Raises:
        ValueError: Always.
    """
    raise ValueError(f"'number' and 'string' are {number} and {string}")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({}, "TypeError: missing a required argument: 'argument_1'"),
        (
            {"argument_1": "a", "string": "b"},
            "TypeError: got an unexpected keyword argument 'string'",
        ),
        (
            {"argument_1": 5},
            "TypeError: Parameter 'argument_1' is of type 'integer', but expected 'string'.",
        ),
        ({"argument_1": "string"}, "ValueError: 'argument_0' and 'argument_1' are 0 and string"),
    ],
)
def test_errors_are_in_the_terms_of_whoever_made_the_call(
    arguments: dict[str, Any], error: str
) -> None:
    """Names are replaced in what the tool raises, and not once more in what speaks of the call."""
    shown = {"number": ToolView(Tool(number), "number", "argument_name")}
    made = ToolCall("", "number", json.dumps(arguments))
    ((_, response),) = (
        ExecutionEnvironment(world, world.now, shown).execute([made], START, 0).outcomes
    )
    assert response == Response(error, START, error=error)


def closed(context: Context) -> None:
    if not door(context.state):
        raise PermissionError("The door is closed.")


def enter(context: Context, name: str) -> str:
    """Go in.

    Raises:
        PermissionError: If the door is closed.
        KeyError: If nobody is called so.
    """
    del context
    return {"Ada": "Hello Ada"}[name]


@pytest.mark.parametrize("written", ['{"name": "Ada"}', '{"name": 1}', "{}", "no JSON"])
def test_what_keeps_a_tool_from_being_called_is_said_before_anything_of_its_arguments(
    written: str,
) -> None:
    guarded = dataclasses.replace(world, toolset=[tool("", precondition=closed)(enter)])
    environment = ExecutionEnvironment(guarded, guarded.now, guarded.shown())
    made = ToolCall("", "enter", written)
    opened = environment.run(made, START, "")
    shut = execute(call("close_door"))[0].state
    line = "PermissionError: The door is closed."
    assert opened.error != line
    assert opened.failed == (written != '{"name": "Ada"}')
    assert environment.run(made, shut, "") == Response(line, shut, error=line)
    assert environment.run(made, START, "") == opened


def test_calls_at_once_happen_in_the_first_order_in_which_one_fails() -> None:
    """Closing the door first is what makes the other call fail."""
    added, closed = execute(call("add_item", name="sugar"), call("close_door"))
    assert added.content == "PermissionError: The door is closed."
    assert added.failed
    assert closed.content == "null"
    assert [door(added.state), door(closed.state)] == [False, False]


def test_states_follow_one_another_as_the_calls_happened() -> None:
    """The door is closed between the two that need it open."""
    calls = [call("add_item", name="a"), call("add_item", name="b"), call("close_door")]
    responses = execute(*calls)
    closed = "PermissionError: The door is closed."
    assert [response.error for response in responses] == [None, closed, None]
    assert [len(response.state["item"]) for response in responses] == [3, 3, 3]
    assert [door(response.state) for response in responses] == [True, False, False]


def test_calls_that_commute_happen_in_their_order() -> None:
    responses = execute(*(call("add_item", name=name) for name in "abc"), call("list_items"))
    assert [len(response.state["item"]) for response in responses] == [3, 4, 5, 5]
    trace = responses[3].trace
    assert trace is not None
    assert [row["name"] for row in trace.result] == ["rice", "salt", "a", "b", "c"]


def test_the_same_calls_make_the_same_identifiers() -> None:
    sugar = call("add_item", name="sugar")
    first = execute(sugar, sugar)
    assert first == execute(sugar, sugar)
    assert first[0].content != first[1].content
    assert first[0].content != execute(sugar, sugar, place=4)[0].content
    beside = execute(sugar, call("remove_item", name="rice"))
    assert execute(sugar)[0].content == beside[0].content


@every(("name", "executions"), [("read", 7), ("write", 448)])
def test_seven_calls_execute_their_tool_no_more_often_than_there_are_states(
    name: str, executions: int
) -> None:
    noted: list[str] = []

    def read(context: Context, name: str) -> int:
        """Read."""
        noted.append(name)
        return len(context.rows("item"))

    def write(context: Context, name: str) -> None:
        """Write."""
        noted.append(name)
        context.add("bin", {"what": name})

    counted = dataclasses.replace(world, toolset=[Tool(read), Tool(write)])
    environment = ExecutionEnvironment(counted, counted.now, {name: counted.shown()[name]})
    calls = [call(name, name=str(number)) for number in range(7)]
    _, last = environment.execute(calls, START, 0).outcomes[-1]
    assert len(noted) == executions
    assert len(last.state["bin"]) == (7 if name == "write" else 0)


@given(st.lists(st.sampled_from(["open_door", "close_door", "add_item", "list_items"]), max_size=5))
def test_the_last_state_is_what_the_calls_that_came_through_did(names: list[str]) -> None:
    calls = [call(name, **({"name": "sugar"} if name == "add_item" else {})) for name in names]
    outcomes = (
        ExecutionEnvironment(world, world.now, world.shown()).execute(calls, START, 2).outcomes
    )
    done = Counter(names[index] for index, response in outcomes if not response.failed)
    last = outcomes[-1][1].state if outcomes else START
    assert door(last) == (1 + done["open_door"] - done["close_door"] == 1)
    assert len(last["item"]) == 2 + done["add_item"]
