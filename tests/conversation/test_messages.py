"""The calls of a conversation, each with what it found and what it left."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given, strategies as st
from pantry import scenario

from pytest_toolsandbox.calls.tool_call import ToolCall
from pytest_toolsandbox.conversation import environment as parallel
from pytest_toolsandbox.conversation.messages import (
    AgentView,
    Message,
    Trajectory,
    agent_view,
    user_view,
)
from pytest_toolsandbox.conversation.play import play
from pytest_toolsandbox.language.roles import Role
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
    assert [is_open(call.before) for call in (looked, closed, added, again)] == [1, 1, 0, 0]
    assert [is_open(call.after) for call in (looked, closed, added, again)] == [1, 0, 0, 0]
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
        f"Action: {name} with Action Input: {arguments}" for name, arguments in (ADD, CLOSE)
    )
    _, seen = conversation(written, call_format="text")
    assert [message["content"] for message in seen[3:]] == [
        "Observation: PermissionError: The door is closed.",
        "Observation: null",
    ]


@pytest.mark.parametrize(
    ("identifiers", "renamed"), [("aa", {}), ("", {}), ("a", {}), ("é ", {"call-2-0": "é"})]
)
def test_every_call_has_an_identifier_of_its_own(identifiers: str, renamed: dict[str, str]) -> None:
    replies = [at_once(LIST, LIST, identifiers=identifiers) for _ in range(2)]
    trajectory, seen = conversation(*replies)
    names = [message.call.identifier for message in trajectory.messages[2:10] if message.call]
    assert names[:2] + names[4:6] == names[2:4] + names[6:]
    assert len(set(names)) == 4
    asked = [call["id"] for message in seen for call in message.get("tool_calls", ())]
    answered = [message["tool_call_id"] for message in seen if message["role"] == "tool"]
    assert asked == answered == [renamed.get(name, name) for name in names[:2] + names[4:6]]


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


SYSTEM, USER, AGENT, ENVIRONMENT = Role


def message(sender: Role, recipient: Role, content: str, *visible_to: Role) -> Message:
    return Message(sender, recipient, content, visible_to or (sender, recipient))


def request(identifier: str, name: str, content: str = "", arguments: str = "{}") -> Message:
    roles = (AGENT, ENVIRONMENT)
    return Message(*roles, content, roles, ToolCall(identifier, name, arguments))


def response(identifier: str, name: str, content: str) -> Message:
    roles = (ENVIRONMENT, AGENT)
    return Message(*roles, content, roles, ToolCall(identifier, name, "{}"))


def tool_call(identifier: str, name: str, arguments: str = "{}") -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {"id": identifier, "type": "function", "function": function}


def test_each_role_has_its_name_of_the_chat_completions_api() -> None:
    messages = [
        message(SYSTEM, AGENT, "Be good."),
        message(USER, AGENT, "Hello."),
        message(AGENT, USER, "Hi."),
    ]
    assert agent_view(messages) == [
        {"role": "system", "content": "Be good."},
        {"role": "user", "content": "Hello."},
        {"role": "assistant", "content": "Hi."},
    ]
    assert user_view(messages) == [
        {"role": "user", "content": "Hello."},
        {"role": "assistant", "content": "Hi."},
    ]


def test_calls_that_were_made_at_once_stand_in_one_message() -> None:
    messages = [
        request("a", "look", "Let me see.", '{"at": 1}'),
        request("b", "look"),
        response("a", "look", "1"),
        response("b", "look", "2"),
        request("c", "look"),
        response("c", "look", "3"),
    ]
    assert agent_view(messages) == [
        {
            "role": "assistant",
            "content": "Let me see.",
            "tool_calls": [tool_call("a", "look", '{"at": 1}'), tool_call("b", "look")],
        },
        {"role": "tool", "tool_call_id": "a", "content": "1"},
        {"role": "tool", "tool_call_id": "b", "content": "2"},
        {"role": "assistant", "content": None, "tool_calls": [tool_call("c", "look")]},
        {"role": "tool", "tool_call_id": "c", "content": "3"},
    ]
    assert user_view(messages) == []


def test_what_a_role_must_not_see_it_does_not_see() -> None:
    messages = [
        message(USER, AGENT, "for both"),
        message(USER, AGENT, "for the user", USER),
        message(AGENT, USER, "for the agent", AGENT),
        message(SYSTEM, USER, "for the user too"),
        message(USER, AGENT, "for nobody", ENVIRONMENT),
    ]
    assert [message["content"] for message in agent_view(messages)] == ["for both", "for the agent"]
    assert user_view(messages) == [
        {"role": "user", "content": "for both"},
        {"role": "user", "content": "for the user"},
        {"role": "system", "content": "for the user too"},
    ]


def test_a_message_between_that_is_not_seen_does_not_part_calls() -> None:
    messages = [request("a", "look"), message(SYSTEM, USER, "aside"), request("b", "look")]
    (only,) = agent_view(messages)
    assert [call["id"] for call in only["tool_calls"]] == ["a", "b"]


def test_an_agent_that_changes_its_view_changes_no_message() -> None:
    messages = [message(USER, AGENT, "Hello."), request("a", "look")]
    view = agent_view(messages)
    view[0]["content"] = "changed"
    view[1]["tool_calls"][0]["function"]["name"] = "changed"
    view[1]["tool_calls"].clear()
    assert agent_view(messages) == [
        {"role": "user", "content": "Hello."},
        {"role": "assistant", "content": None, "tool_calls": [tool_call("a", "look")]},
    ]


KINDS = (
    message(SYSTEM, AGENT, "Be good."),
    message(USER, AGENT, "Hello."),
    message(AGENT, USER, "Hi."),
    message(USER, ENVIRONMENT, "what the agent does not see"),
    request("a", "look", "I look."),
    request("b", "look"),
    response("b", "look", "nothing"),
    response("a", "look", "half \ud800"),
)


@given(st.lists(st.sampled_from(KINDS), max_size=12), st.lists(st.integers(0, 12), max_size=6))
def test_a_view_that_goes_on_is_that_of_all_messages(
    messages: list[Message], lengths: list[int]
) -> None:
    """Also where it goes back, as in replays, and whatever an agent does with what it is given."""
    view = AgentView()
    for length in (*range(len(messages) + 1), *lengths):
        seen = view.of(messages[:length])
        assert seen == agent_view(messages[:length])
        for message in seen:
            message.get("tool_calls", []).clear()
            message.clear()
    assert view.of(messages[::-1]) == agent_view(messages[::-1])


def test_a_view_forgets_calls_that_the_next_history_has_not() -> None:
    same = [*KINDS[1:3], request("c", "look"), response("c", "look", "red"), KINDS[2], KINDS[1]]
    view = AgentView()
    for further in ([request("b", "look"), response("b", "look", "nothing")], [KINDS[2]]):
        assert view.of([*same, *further]) == agent_view([*same, *further])
