"""The calls of a conversation, each with what it found and what it left."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from pantry import scenario

from pytest_toolsandbox.conversation import environment as parallel
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import play
from pytest_toolsandbox.worlds.state import State

Replies = list[dict[str, Any]]


def at_once(*named: tuple[str, str], identifiers: str = "") -> dict[str, Any]:
    """Return a reply with calls, whose identifiers are one letter each, if they have any."""
    return {
        "tool_calls": [
            {"id": identifiers[i : i + 1], "function": {"name": name, "arguments": arguments}}
            for i, (name, arguments) in enumerate(named)
        ]
    }


ADD, CLOSE, LIST = ("add_item", '{"name": "tea"}'), ("close_door", "{}"), ("list_items", "{}")


def conversation(*replies: dict[str, Any] | str, **more: Any) -> tuple[Trajectory, Replies]:
    """Return a conversation, and the last messages that its agent saw."""
    left: list[dict[str, Any] | str] = [*replies, "Done."]
    seen: Replies = []

    def agent(messages: Any, tools: Any) -> Any:
        del tools
        seen[:] = messages
        return left.pop(0)

    scene = dataclasses.replace(scenario(""), **more)
    return play(scene, agent, lambda _: None), seen


def is_open(state: State) -> bool:
    (door,) = state["door"]
    return bool(door["open"])


def test_calls_are_answered_in_the_order_in_which_they_happened() -> None:
    """What fails is what adds to a pantry that was closed first."""
    trajectory, _ = conversation(at_once(LIST, ADD, CLOSE))
    answers = [message.call.name for message in trajectory.messages[5:8] if message.call]
    assert answers == ["list_items", "close_door", "add_item"]
    assert [is_open(state) for state in trajectory.states[4:8]] == [True, True, False, False]


def test_each_call_has_its_request_its_answer_and_the_states_around_it() -> None:
    trajectory, _ = conversation(at_once(LIST, ADD, CLOSE), at_once(LIST))
    looked, added, closed, again = trajectory.calls
    assert [(c.request, c.answer, c.batch, c.order) for c in trajectory.calls] == [
        (2, 5, 0, 0),
        (3, 7, 0, 2),
        (4, 6, 0, 1),
        (8, 9, 1, 0),
    ]
    assert added.failed
    assert added.error == "PermissionError: The door is closed."
    assert added.trace is None
    assert not added.changed_the_world
    assert closed.changed_the_world
    assert [is_open(one.before) for one in (looked, closed, added, again)] == [1, 1, 0, 0]
    assert [is_open(one.after) for one in (looked, closed, added, again)] == [1, 0, 0, 0]
    assert again.trace is not None
    assert again.call.name == again.trace.tool_name == "list_items"


def test_a_call_that_was_cut_off_has_no_answer_and_changed_nothing() -> None:
    trajectory, _ = conversation(at_once(CLOSE, ADD), max_messages=1)
    assert [(c.request, c.answer, c.order) for c in trajectory.calls] == [(2, None, 0)]
    assert all(call.failed and not call.changed_the_world for call in trajectory.calls)


def test_the_agent_sees_results_in_the_order_of_its_calls() -> None:
    trajectory, seen = conversation(at_once(ADD, CLOSE, identifiers="ab"))
    assert [message.call.identifier for message in trajectory.messages[4:6] if message.call] == [
        "b",
        "a",
    ]
    assert seen[3:] == [
        {"role": "tool", "tool_call_id": "a", "content": "PermissionError: The door is closed."},
        {"role": "tool", "tool_call_id": "b", "content": "null"},
    ]


def test_observations_are_in_the_order_of_the_calls() -> None:
    written = "\n".join(
        f"Action: {name} with Action Input: {given}" for name, given in (ADD, CLOSE)
    )
    _, seen = conversation(written, call_format="text")
    assert [message["content"] for message in seen[3:]] == [
        "Observation: PermissionError: The door is closed.",
        "Observation: null",
    ]


@pytest.mark.parametrize("identifiers", ["aa", "", "a", "é "])
def test_every_call_has_an_identifier_of_its_own(identifiers: str) -> None:
    replies = [at_once(LIST, LIST, identifiers=identifiers) for _ in range(2)]
    trajectory, seen = conversation(*replies)
    names = [message.call.identifier for message in trajectory.messages[2:10] if message.call]
    assert names[:2] + names[4:6] == names[2:4] + names[6:]
    assert len(set(names)) == 4
    asked = [call["id"] for message in seen for call in message.get("tool_calls", ())]
    told = [message["tool_call_id"] for message in seen if message["role"] == "tool"]
    assert asked == told == names[:2] + names[4:6]


def test_equal_calls_of_a_foreign_trajectory_are_answered_one_after_the_other() -> None:
    """One that was put together elsewhere may use an identifier twice."""
    trajectory, _ = conversation(at_once(LIST, LIST, identifiers="ab"))

    def renamed(message: Any) -> Any:
        call = message.call and dataclasses.replace(message.call, identifier="same")
        return dataclasses.replace(message, call=call)

    foreign = dataclasses.replace(trajectory, messages=tuple(map(renamed, trajectory.messages)))
    assert [call.answer for call in foreign.calls] == [call.answer for call in trajectory.calls]


def test_it_is_known_where_not_all_orders_could_be_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    replies = at_once(LIST), at_once(ADD, CLOSE)
    assert conversation(*replies)[0].untried_orders == ()
    monkeypatch.setattr(parallel, "MOST_EXECUTIONS", 1)
    trajectory, _ = conversation(*replies)
    assert trajectory.untried_orders == (4,)
    assert [call.order for call in trajectory.calls] == [0, 0, 1]
