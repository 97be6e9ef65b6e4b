"""What goes between an agent and everybody else, in both forms of calls."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from types import MappingProxyType
from typing import Any

import pytest
from pantry import scenario
from replayed import ALARMS, call, recorded
from rows import every

from pytest_toolsandbox.agents.agent import Agent, AgentCaller
from pytest_toolsandbox.calls.tool_call import ToolCall
from pytest_toolsandbox.conversation import agent_session as replies, messages
from pytest_toolsandbox.conversation.agent_session import AgentSession, read_reply, with_identifiers
from pytest_toolsandbox.conversation.messages import Message
from pytest_toolsandbox.conversation.play import converse, opening_messages
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.variants import variant
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.records.writing import ran_out
from pytest_toolsandbox.scoring.judging import judge
from pytest_toolsandbox.users.user import scripted_user

TALK = "tools: [list_items, weigh]"
WRITTEN = f"{TALK}\ncall_format: text"
QUERY = f"{WRITTEN}\nquery: How much rice is there?\nanswer: 2.0"
WEIGH = 'Action: weigh with Action Input: {"name": "rice"}'


def asked(scene: Scenario, reply: Any) -> tuple[list[Message], list[Any]]:
    """Return the messages that a reply becomes, and what the agent was given."""
    sent: list[Any] = []

    def agent(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        sent.extend((messages, tools))
        return reply

    return AgentSession(scene).ask(AgentCaller(agent, None), opening_messages(scene), 2, 30), sent


def native(*calls: tuple[str, str], content: str | None = None) -> dict[str, Any]:
    functions = [{"name": name, "arguments": arguments} for name, arguments in calls]
    return {
        "content": content,
        "tool_calls": [{"id": "1", "function": function} for function in functions],
    }


def routes_and_contents(messages: list[Message]) -> list[tuple[Role, str, Any]]:
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
        (WRITTEN, f"So. {WEIGH} {WEIGH}", [(ENVIRONMENT, "So.", RICE), (ENVIRONMENT, "", RICE)]),
        (QUERY, "Two.", [(ENVIRONMENT, "Two.", None)]),
        (QUERY, "", [(ENVIRONMENT, "", None)]),
        (QUERY, WEIGH, [(ENVIRONMENT, "", RICE)]),
    ],
)
def test_what_a_reply_becomes(text: str, reply: Any, messages: list[Any]) -> None:
    assert routes_and_contents(asked(scenario(text), reply)[0]) == messages


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
    shown_name = next(name for name, tool in scene.tool_views.items() if tool.tool.name == "weigh")
    _, (messages, _) = asked(scene, "Two.")
    assert f'"name": "{shown_name}"' in messages[0]["content"]
    (message,) = asked(scene, f'Action: {shown_name} with Action Input: {{"name": "rice"}}')[0]
    assert message.call is not None
    assert message.call.name == "weigh"
    assert message.call.written == (shown_name, '{"name": "rice"}')


# identifiers


@every(
    ("identifiers", "taken", "kept"),
    [
        *(
            ([identifier], [], [identifier])
            for identifier in ("a", "call_A-1", "toolu_01A09q90qw90lq917835", "x" * 40)
        ),
        # what chat APIs do not accept
        *(
            ([identifier], [], ["call-3-0"])
            for identifier in ("", "a b", "a.b", "é", "a\n", "x" * 41)
        ),
        # no two calls have the same
        (["a", "a", "b"], [], ["a", "call-3-1", "b"]),
        (["a", "b"], ["b", "c"], ["a", "call-3-1"]),
        # one that is made up is no other call's
        (["call-3-1", "call-3-1", ""], [], ["call-3-1", "call-3-1-2", "call-3-2"]),
        (["", ""], ["call-3-0", "call-3-0-2"], ["call-3-0-3", "call-3-1"]),
    ],
)
def test_identifiers(identifiers: Sequence[str], taken: Sequence[str], kept: list[str]) -> None:
    calls = [ToolCall(identifier, "look", "{}") for identifier in identifiers]
    assert [call.identifier for call in with_identifiers(calls, 3, taken)] == kept


class ClientObject:
    """A message, or a part of one, as the libraries of providers have it."""

    def __init__(self, **fields: Any) -> None:
        self._fields = fields

    def model_dump(self) -> dict[str, Any]:
        return self._fields


def message(*functions: Any) -> dict[str, Any]:
    calls = [{"id": f"id-{i}", "type": "function", "function": f} for i, f in enumerate(functions)]
    return {"role": "assistant", "content": None, "tool_calls": calls}


@every(
    ("reply", "text"),
    [
        ("Done.", "Done."),
        ("", ""),
        ({"content": "Done."}, "Done."),
        ({"role": "assistant", "content": "Done.", "tool_calls": None}, "Done."),
        ({"content": "Done.", "tool_calls": []}, "Done."),
        ({"content": None}, ""),
        ({"content": None, "function_call": None, "refusal": "No."}, "No."),
        ({"content": "Done.", "refusal": None}, "Done."),
        (MappingProxyType({"content": "Done."}), "Done."),
        (ClientObject(role="assistant", content="Done.", tool_calls=None), "Done."),
        ({"content": [{"type": "text", "text": "Do"}, {"type": "text", "text": "ne."}]}, "Done."),
        ({"content": ["Do", {"type": "thinking"}, {"text": None}, {"text": "ne."}]}, "Done."),
        ("half a face: \ud83d", "half a face: �"),
        ("a face in two halves: \ud83d\ude00", "a face in two halves: 😀"),
        ({"content": [{"text": "\ud83d"}, {"text": "\ude00"}]}, "😀"),
    ],
)
def test_text_is_what_the_agent_says(reply: Any, text: str) -> None:
    assert read_reply(reply, 3) == (text, [])


def test_calls_are_what_the_agent_does() -> None:
    functions = [{"name": "look", "arguments": '{"at": 1}'}, {"name": "sit", "arguments": ""}]
    calls = [ToolCall("id-0", "look", '{"at": 1}'), ToolCall("id-1", "sit", "")]
    words = "Let me see."
    assert read_reply({**message(*functions), "content": words}, 3) == (words, calls)
    # A call without an identifier gets one from its place.
    function = {"name": "look", "arguments": "{}"}
    reply: Any = {"tool_calls": ({"function": function}, {"id": "", "function": function})}
    assert [call.identifier for call in read_reply(reply, 3)[1]] == ["call-3-0", "call-3-1"]
    made = [message.call for message in asked(scenario(WRITTEN), f"{WEIGH}\n{WEIGH}")[0]]
    assert [call and call.identifier for call in made] == ["call-2-0", "call-2-1"]
    # Calls may be objects of a client's library.
    reply = ClientObject(content=None, tool_calls=[ClientObject(id=12, function=function)])
    assert read_reply(reply, 3) == ("", [ToolCall("12", "look", "{}")])


@every(
    ("function", "call"),
    [
        ({"name": "look", "arguments": {"at": "café"}}, ToolCall("id-0", "look", '{"at": "café"}')),
        ({"name": "look", "arguments": {"at": {1}}}, ToolCall("id-0", "look", '{"at": "{1}"}')),
        ({"name": "look", "arguments": None}, ToolCall("id-0", "look", "{}")),
        ({"name": "look"}, ToolCall("id-0", "look", "{}")),
        ({"name": "look", "arguments": [1]}, ToolCall("id-0", "look", "[1]")),
        ({"name": "look", "arguments": "no JSON"}, ToolCall("id-0", "look", "no JSON")),
        ({"name": None, "arguments": "{}"}, ToolCall("id-0", "", "{}")),
        ({"arguments": "{}"}, ToolCall("id-0", "", "{}")),
        ({"name": 7, "arguments": "\ud83d"}, ToolCall("id-0", "7", "�")),
        (ClientObject(name="look", arguments="{}"), ToolCall("id-0", "look", "{}")),
    ],
)
def test_what_stands_in_a_call_is_for_the_environment_to_judge(
    function: Any, call: ToolCall
) -> None:
    assert read_reply(message(function), 3) == ("", [call])


def test_blocks_of_anthropic_s_messages_are_text_and_calls() -> None:
    content = [
        {"type": "thinking", "thinking": "Where is it?", "signature": "…"},
        {"type": "text", "text": "Let me see."},
        {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"at": "café"}},
        ClientObject(type="tool_use", id="toolu_2", name="sit", input={}),
    ]
    read = (
        "Let me see.",
        [ToolCall("toolu_1", "look", '{"at": "café"}'), ToolCall("toolu_2", "sit", "{}")],
    )
    reply = {"role": "assistant", "content": content, "stop_reason": "tool_use"}
    assert read_reply(reply, 3) == read
    assert read_reply(ClientObject(**reply), 3) == read


def cyclic() -> dict[str, Any]:
    value: dict[str, Any] = {}
    value["itself"] = value
    return value


def deep() -> list[Any]:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]
    return value


@pytest.mark.parametrize("value", [cyclic(), deep()], ids=["cyclic", "deep"])
@pytest.mark.parametrize(
    "reply",
    [
        lambda value: value,
        lambda value: [value],
        lambda value: {"content": value},
        lambda value: {"content": [value]},
        lambda value: {"tool_calls": value},
        message,
        lambda value: message({"name": "look", "arguments": value}),
        lambda value: message({"name": value}),
        lambda value: {"content": [{"type": "tool_use", "name": "look", "input": value}]},
    ],
)
def test_cyclic_and_deep_values_are_an_error_of_one_line(reply: Any, value: Any) -> None:
    try:
        read_reply(reply(value), 3)
    except AgentError as error:
        assert str(error).splitlines() == [str(error)]  # noqa: PT017
    problem = "^the agent's reply cannot be read: ValueError: Circular reference detected$"
    with pytest.raises(AgentError, match=problem):
        read_reply(message({"name": "look", "arguments": cyclic()}), 3)


async def stream() -> AsyncIterator[str]:
    yield "Hi."


EXPECTED = "expected text or an assistant message with tool_calls or tool_use blocks"
YIELDS = "it yields; collect what it yields, and return the whole reply"
NO_FUNCTION = "a tool call of the agent has no function with name and arguments"
LEGACY = (
    "the agent's reply has the old function_call; "
    "return each call in tool_calls, as {id, type, function}"
)
BOTH = "the agent's reply has tool_use blocks and tool_calls; return each call once, as one of them"
HALF = r"\ud83d"


@every(
    ("reply", "problem"),
    [
        (None, f"the agent returned None; {EXPECTED}"),
        (b"Done.", f"the agent returned bytes; {EXPECTED}"),
        (["Done."], f'the agent returned ["Done."] (list); {EXPECTED}'),
        ({}, f"the agent returned {{}} (dict); {EXPECTED}"),
        ({"text": b"?"}, f'the agent returned {{"text": "bytes"}} (dict); {EXPECTED}'),
        ({(1, 2): "no JSON"}, f"the agent returned dict; {EXPECTED}"),
        (["\ud83d" * 99], f'the agent returned ["{HALF * 12}\\ud83… (list); {EXPECTED}'),
        (ClientObject(choices=[]), f"the agent returned ClientObject; {EXPECTED}"),
        ({"content": 7}, f"the agent's content is 7 (int); {EXPECTED}"),
        ({"content": "Hi.", "function_call": {"name": "look"}}, LEGACY),
        ({"content": None, "function_call": {"name": "look"}, "tool_calls": None}, LEGACY),
        ({"function_call": {"name": "look"}}, LEGACY),
        (
            {**message({"name": "x"}), "content": [{"type": "tool_use", "name": "x", "input": {}}]},
            BOTH,
        ),
        ({"content": {"text": "Done."}},
         f'the agent\'s content is {{"text": "Done."}} (dict); {EXPECTED}'),
        ({"content": [{"type": "image"}]},
         ('the agent\'s content has {"type": "image"} (dict); '
         "expected blocks of the types text and tool_use")),
        ({"content": [{"type": "tool_use", "name": "look"}]},
         ('the agent\'s content has the tool_use block '
             '{"type": "tool_use", "name": "look"} (dict); '
         "such a block needs id, name and input")),
        (stream(), f"the agent returned async_generator; {YIELDS}"),
        ((part for part in "Hi"), f"the agent returned generator; {YIELDS}"),
        ({"tool_calls": {"id": 1}},
         'the agent\'s tool_calls are {"id": 1} (dict); expected a list'),
        ({"tool_calls": "look()"}, 'the agent\'s tool_calls are "look()" (str); expected a list'),
        ({"tool_calls": [{"id": "a"}]}, f'{NO_FUNCTION}: {{"id": "a"}} (dict)'),
        ({"tool_calls": ["look()"]}, f'{NO_FUNCTION}: "look()" (str)'),
        ({"tool_calls": [{"function": "look"}]}, f'{NO_FUNCTION}: {{"function": "look"}} (dict)'),
    ],
)  # fmt: skip
def test_anything_else_is_an_error_of_the_agent(reply: Any, problem: str) -> None:
    with pytest.raises(AgentError) as caught:
        read_reply(reply, 3)
    assert str(caught.value) == problem


def test_a_key_is_hidden_before_what_was_returned_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "zebra-lily-37" * 5)
    with pytest.raises(AgentError) as caught:
        read_reply({"error": f"{'no ' * 15}{'zebra-lily-37' * 5}"}, 3)
    assert str(caught.value) == (
        f'the agent returned {{"error": "{"no " * 15}***"}} (dict); {EXPECTED}'
    )


def test_what_is_beyond_the_most_of_a_conversation_is_cut_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(messages, "MOST_WRITTEN", 5)
    monkeypatch.setattr(replies, "LONGEST_NAME", 4)
    calls = message(
        {"name": "finders", "arguments": "{}"}, {"name": "find", "arguments": "{     }"}
    )
    more = "… (and {} characters more)".format
    assert read_reply("Done and done.", 0) == (f"Done {more(9)}", [])
    assert read_reply(calls, 0)[1] == [
        ToolCall("id-0", f"find{more(3)}", "{}"),
        ToolCall("id-1", "find", f"{{  {more(4)}"),
    ]


TOOLS = {"user": "list_items", "query": "list_items", "recorded": "FindAlarms"}


def scenes(limit: int) -> dict[str, Scenario]:
    messages = f"max_messages: {limit}\n"
    return {
        "user": scenario(messages),
        "query": scenario(f"query: What is there?\nanswer: rice\nmax_calls: 500\n{messages}"),
        "recorded": recorded(ALARMS + messages),
    }


def calling_much(tool: str) -> Agent:
    """Return an agent that calls a tool a thousand times at once, and then is done."""

    def agent(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        del tools
        if messages[-1]["role"] == "tool":
            return "Done."
        return {"content": None, "tool_calls": [call(tool)] * 1000}

    return agent


@pytest.mark.parametrize("protocol", TOOLS)
@pytest.mark.parametrize(("limit", "made"), [(1, 1), (2, 1), (3, 1), (30, 15), (31, 15)])
def test_a_thousand_calls_in_one_reply(protocol: str, limit: int, made: int) -> None:
    scene = scenes(limit)[protocol]
    trajectory = converse(scene, calling_much(TOOLS[protocol]), scripted_user(scene))
    turns = 3 if protocol == "recorded" else 1
    assert trajectory.tool_call_count == made * turns
    if protocol != "recorded":
        assert len(trajectory.messages) == 2 + min(2 * made, limit)  # and nobody speaks after it
    assert ran_out(scene, trajectory, judge(scene, trajectory).result) == ["max_messages"]
