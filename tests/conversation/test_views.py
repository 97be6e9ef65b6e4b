from __future__ import annotations

from typing import Any

from hypothesis import given, strategies as st

from pytest_toolsandbox.calls.tool_call import ToolCall
from pytest_toolsandbox.conversation.messages import AgentView, Message, agent_view, user_view
from pytest_toolsandbox.language.roles import Role

SYSTEM, USER, AGENT, ENVIRONMENT = Role


def said(sender: Role, recipient: Role, content: str, *visible_to: Role) -> Message:
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
        said(SYSTEM, AGENT, "Be good."),
        said(USER, AGENT, "Hello."),
        said(AGENT, USER, "Hi."),
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
        said(USER, AGENT, "for both"),
        said(USER, AGENT, "for the user", USER),
        said(AGENT, USER, "for the agent", AGENT),
        said(SYSTEM, USER, "for the user too"),
        said(USER, AGENT, "for nobody", ENVIRONMENT),
    ]
    assert [message["content"] for message in agent_view(messages)] == ["for both", "for the agent"]
    assert user_view(messages) == [
        {"role": "user", "content": "for both"},
        {"role": "user", "content": "for the user"},
        {"role": "system", "content": "for the user too"},
    ]


def test_a_message_between_that_is_not_seen_does_not_part_calls() -> None:
    messages = [request("a", "look"), said(SYSTEM, USER, "aside"), request("b", "look")]
    (only,) = agent_view(messages)
    assert [call["id"] for call in only["tool_calls"]] == ["a", "b"]


def test_an_agent_that_changes_its_view_changes_no_message() -> None:
    messages = [said(USER, AGENT, "Hello."), request("a", "look")]
    view = agent_view(messages)
    view[0]["content"] = "changed"
    view[1]["tool_calls"][0]["function"]["name"] = "changed"
    view[1]["tool_calls"].clear()
    assert agent_view(messages) == [
        {"role": "user", "content": "Hello."},
        {"role": "assistant", "content": None, "tool_calls": [tool_call("a", "look")]},
    ]


KINDS = (
    said(SYSTEM, AGENT, "Be good."),
    said(USER, AGENT, "Hello."),
    said(AGENT, USER, "Hi."),
    said(USER, ENVIRONMENT, "what the agent does not see"),
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
