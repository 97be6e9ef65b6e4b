"""What goes between an agent and everybody else, in both forms of calls."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from pantry import scenario
from rows import every

from pytest_toolsandbox.agents.agent import AgentCaller
from pytest_toolsandbox.calls.tool_call import ToolCall
from pytest_toolsandbox.conversation.agent_session import AgentSession, with_identifiers
from pytest_toolsandbox.conversation.messages import Message
from pytest_toolsandbox.conversation.play import opening_messages
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.variants import variant

TALK = "tools: [list_items, weigh]"
WRITTEN = f"{TALK}\ncall_format: text"
QUERY = f"{WRITTEN}\nquery: How much rice is there?\nanswer: 2.0"
WEIGH = 'Action: weigh with Action Input: {"name": "rice"}'


def asked(scene: Scenario, reply: Any) -> tuple[list[Message], list[Any]]:
    """Return the messages that a reply becomes, and what the agent was given."""
    given: list[Any] = []

    def agent(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        given.extend((messages, tools))
        return reply

    return AgentSession(scene).ask(AgentCaller(agent, None), opening_messages(scene), 2, 30), given


def native(*calls: tuple[str, str], content: str | None = None) -> dict[str, Any]:
    functions = [{"name": name, "arguments": arguments} for name, arguments in calls]
    return {"content": content, "tool_calls": [{"id": "1", "function": one} for one in functions]}


def told(messages: list[Message]) -> list[tuple[Role, str, Any]]:
    return [(m.recipient, m.content, m.call and (m.call.name, m.call.arguments)) for m in messages]


USER, ENVIRONMENT = Role.USER, Role.EXECUTION_ENVIRONMENT
RICE = ("weigh", '{"name": "rice"}')


@every(
    ("text", "reply", "messages"),
    [
        (TALK, "Two.", [(USER, "Two.", None)]),
        (TALK, WEIGH, [(USER, WEIGH, None)]),
        (TALK, native(RICE, content="So."), [(ENVIRONMENT, "So.", RICE)]),
        (WRITTEN, "Two.", [(USER, "Two.", None)]),
        (WRITTEN, f"So.\n{WEIGH}", [(ENVIRONMENT, "So.", RICE)]),
        (WRITTEN, "Action: weigh rice", [(ENVIRONMENT, "Action: weigh rice", None)]),
        (WRITTEN, native(RICE), [(ENVIRONMENT, "", RICE)]),
        (
            WRITTEN,
            f"So. {WEIGH} {WEIGH}",
            [(ENVIRONMENT, "So.", RICE), (ENVIRONMENT, "", RICE)],
        ),
        (QUERY, "Two.", [(ENVIRONMENT, "Two.", None)]),
        (QUERY, "", [(ENVIRONMENT, "", None)]),
        (QUERY, WEIGH, [(ENVIRONMENT, "", RICE)]),
    ],
)
def test_what_a_reply_becomes(text: str, reply: Any, messages: list[Any]) -> None:
    assert told(asked(scenario(text), reply)[0]) == messages


def test_calls_of_one_reply_can_be_told_apart() -> None:
    calls = [message.call for message in asked(scenario(WRITTEN), f"{WEIGH}\n{WEIGH}")[0]]
    assert [call and call.identifier for call in calls] == ["call-2-0", "call-2-1"]


def test_tools_are_given_or_told() -> None:
    _, (messages, tools) = asked(scenario(TALK), "Two.")
    assert [tool["function"]["name"] for tool in tools] == ["list_items", "weigh"]
    assert "Action Input" not in messages[0]["content"]
    _, (messages, tools) = asked(scenario(QUERY), "Two.")
    assert tools == []
    lines = messages[0]["content"].splitlines()[-3:]
    assert [json.loads(line)["name"] for line in lines] == ["list_items", "weigh", "finish"]


def test_written_calls_are_meant_in_the_world_s_terms() -> None:
    solution = "solutions: {one: [{weigh: {name: rice}}, say: '2.0']}"
    scene = variant(scenario(f"{QUERY}\n{solution}"), "tool_name_scrambled")
    own = next(name for name, tool in scene.tool_views.items() if tool.tool.name == "weigh")
    _, (messages, _) = asked(scene, "Two.")
    assert f'"name": "{own}"' in messages[0]["content"]
    (message,) = asked(scene, f'Action: {own} with Action Input: {{"name": "rice"}}')[0]
    assert message.call is not None
    assert message.call.name == "weigh"
    assert message.call.written == (own, '{"name": "rice"}')


# identifiers


def identified(own: Sequence[str], taken: Sequence[str] = ()) -> list[str]:
    calls = [ToolCall(identifier, "look", "{}") for identifier in own]
    return [call.identifier for call in with_identifiers(calls, 3, taken)]


@pytest.mark.parametrize("own", ["a", "call_A-1", "toolu_01A09q90qw90lq917835lq9", "x" * 40])
def test_one_that_chat_apis_accept_is_kept(own: str) -> None:
    assert identified([own]) == [own]


@pytest.mark.parametrize("own", ["", "a b", "a.b", "é", "a\n", "x" * 41])
def test_one_that_they_do_not_accept_is_replaced(own: str) -> None:
    assert identified([own]) == ["call-3-0"]


def test_no_two_calls_have_the_same() -> None:
    assert identified(["a", "a", "b"]) == ["a", "call-3-1", "b"]
    assert identified(["a", "b"], taken=["b", "c"]) == ["a", "call-3-1"]


def test_one_that_is_made_up_is_no_other_calls() -> None:
    assert identified(["call-3-1", "call-3-1", ""]) == ["call-3-1", "call-3-1-2", "call-3-2"]
    assert identified(["", ""], taken=["call-3-0", "call-3-0-2"]) == ["call-3-0-3", "call-3-1"]
