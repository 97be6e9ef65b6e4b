from __future__ import annotations

import dataclasses
import json
import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, strategies as st
from pantry import ERRORS, world
from rows import every

from pytest_toolsandbox.calls.tool_call import MAX_DEPTH, ToolCall, ToolTrace
from pytest_toolsandbox.conversation.environment import ExecutionEnvironment
from pytest_toolsandbox.conversation.messages import Response
from pytest_toolsandbox.worlds.context import Context, WorldError
from pytest_toolsandbox.worlds.state import State
from pytest_toolsandbox.worlds.tool import Tool, tool
from pytest_toolsandbox.worlds.tool_view import ToolView
from pytest_toolsandbox.worlds.world import World

START = world.start(world.now)
OFFERED = frozenset(world.agent_tools)


def call(name: str, /, **arguments: Any) -> ToolCall:
    return ToolCall("call", name, json.dumps(arguments))


def execute(*calls: ToolCall, state: State = START, place: int = 2) -> list[Response]:
    """Return the responses in the order of the calls."""
    environment = ExecutionEnvironment(
        world, world.now, {name: world.shown()[name] for name in OFFERED}
    )
    return [response for _, response in sorted(environment.execute(calls, state, place).outcomes)]


def answer(made: ToolCall) -> Response:
    (response,) = execute(made)
    return response


def door(state: State) -> bool:
    (row,) = state["door"]
    return bool(row["open"])


def test_a_result_is_json_and_its_call_leaves_a_trace() -> None:
    response = answer(call("weigh", name="rice"))
    assert json.loads(response.content) == {"name": "rice", "kilograms": 2.46912}
    assert response.trace == ToolTrace(
        "weigh", {"name": "rice"}, {"name": "rice", "kilograms": 2.46912}
    )
    assert response.error is None
    assert not response.failed
    assert response.state is START


def test_a_trace_has_the_defaults_that_the_call_left_out() -> None:
    trace = answer(call("add_item", name="sugar")).trace
    assert trace is not None
    assert trace.arguments == {"name": "sugar", "amount": 1, "note": None}


def test_a_change_makes_a_new_state_and_shares_the_rest() -> None:
    state = answer(call("add_item", name="sugar", amount=2)).state
    assert [row["name"] for row in state["item"]] == ["rice", "salt", "sugar"]
    assert [row["name"] for row in START["item"]] == ["rice", "salt"]
    assert state["door"] is START["door"]


def test_a_change_that_leaves_everything_as_it_was_is_none() -> None:
    assert answer(call("set_amount", name="rice", amount=2)).state is START


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


@pytest.mark.parametrize(
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


def test_ctrl_c_is_no_error_of_a_call() -> None:
    assert "interrupt" in ERRORS
    with pytest.raises(KeyboardInterrupt):
        answer(call("fail", how="interrupt"))


@every(
    ("made", "error"),
    [
        (
            ToolCall("", "weigh", '{"name": NaN}'),
            "ValueError: the arguments are no JSON: NaN is not allowed",
        ),
        (
            ToolCall("", "weigh", "salt"),
            "ValueError: the arguments are no JSON: Expecting value: line 1 column 1 (char 0)",
        ),
        (ToolCall("", "weigh", '["rice"]'), "TypeError: the arguments are no JSON object"),
        (
            ToolCall("", "weigh", '{"name": ' + "[" * MAX_DEPTH + "]" * MAX_DEPTH + "}"),
            f"ValueError: the arguments are no JSON: nested deeper than {MAX_DEPTH} levels",
        ),
        (call("weigh"), "TypeError: missing a required argument: 'name'"),
        (
            call("weigh", name="rice", unit="kg"),
            "TypeError: got an unexpected keyword argument 'unit'",
        ),
        (
            call("weigh", name=1),
            "TypeError: Parameter 'name' is of type 'integer', but expected 'string'.",
        ),
        (
            call("add_item", name="sugar", amount=None),
            "TypeError: Parameter 'amount' is of type 'null', but expected 'number'.",
        ),
        (call("weigh_all"), "NameError: name 'weigh_all' is not defined: there is no such tool"),
        (
            ToolCall("", "weigh\nall", "{"),
            "NameError: name 'weigh\\nall' is not defined: there is no such tool",
        ),
        (call("leave"), "NameError: name 'leave' is not defined: there is no such tool"),
        (ToolCall("", "", "{}"), "NameError: name '' is not defined: there is no such tool"),
    ],
)
def test_a_call_that_cannot_be_carried_out_says_why_in_one_line(made: ToolCall, error: str) -> None:
    assert answer(made) == Response(error, START, error=error)


def test_a_tool_that_is_not_offered_cannot_be_called() -> None:
    environment = ExecutionEnvironment(world, world.now, {"weigh": world.shown()["weigh"]})
    ((_, response),) = environment.execute([call("close_door")], START, 0).outcomes
    assert response.error == "NameError: name 'close_door' is not defined: there is no such tool"
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


def test_a_call_without_arguments_may_have_no_text() -> None:
    assert not answer(ToolCall("", "close_door", "")).failed


def test_a_tool_may_change_its_arguments_but_not_the_trace() -> None:
    response = answer(call("spoil", values=[1, 2]))
    assert response.trace == ToolTrace("spoil", {"values": [1, 2]}, 3)


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
    first, second, third = execute(*calls)
    assert [r.error for r in (first, second, third)] == [
        None,
        "PermissionError: The door is closed.",
        None,
    ]
    assert [len(r.state["item"]) for r in (first, second, third)] == [3, 3, 3]
    assert [door(r.state) for r in (first, second, third)] == [True, False, False]


def test_calls_that_commute_happen_in_their_order() -> None:
    responses = execute(*(call("add_item", name=name) for name in "abc"), call("list_items"))
    assert [len(response.state["item"]) for response in responses] == [3, 4, 5, 5]
    trace = responses[3].trace
    assert trace is not None
    assert [row["name"] for row in trace.result] == ["rice", "salt", "a", "b", "c"]


def test_the_same_calls_make_the_same_identifiers() -> None:
    calls = [call("add_item", name="sugar"), call("add_item", name="sugar")]
    first = execute(*calls)
    assert first == execute(*calls)
    assert first[0].content != first[1].content
    assert first[0].content != execute(*calls, place=4)[0].content


def test_an_identifier_does_not_depend_on_what_is_done_beside_it() -> None:
    alone = execute(call("add_item", name="sugar"))
    beside = execute(call("add_item", name="sugar"), call("remove_item", name="rice"))
    assert alone[0].content == beside[0].content


def test_no_calls_make_no_responses() -> None:
    assert execute() == []


def counting() -> tuple[World, list[str]]:
    """Return a pantry with a tool that reads and one that writes, and what they note."""
    noted: list[str] = []

    def read(context: Context, name: str) -> int:
        """Read."""
        noted.append(name)
        return len(context.rows("item"))

    def write(context: Context, name: str) -> None:
        """Write."""
        noted.append(name)
        context.add("bin", {"what": name})

    return dataclasses.replace(world, toolset=[Tool(read), Tool(write)]), noted


@pytest.mark.parametrize(("name", "executions"), [("read", 7), ("write", 448)])
def test_seven_calls_execute_their_tool_no_more_often_than_there_are_states(
    name: str, executions: int
) -> None:
    counted, noted = counting()
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
