"""An agent gets its own messages back as it returned them; nobody else sees more than before."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

import pytest
from model_server import ModelServer, message
from pantry import scenario
from replayed import ALARMS, recorded
from rows import every
from servers.anthropic import ANTHROPIC
from servers.chat_completions import DEEPSEEK, GEMINI_OPENAI, MOONSHOT
from servers.gemini import GEMINI, OPENROUTER
from servers.strict import Dialect, StrictServer, Turn

from pytest_toolsandbox.agents.agent import AgentCaller
from pytest_toolsandbox.conversation import own_messages
from pytest_toolsandbox.conversation.agent_session import AgentSession
from pytest_toolsandbox.conversation.messages import Reasoning, Trajectory, message_to
from pytest_toolsandbox.conversation.own_messages import own_message
from pytest_toolsandbox.conversation.play import PlayError, converse, opening_messages
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.models.model_agent import ModelAgent
from pytest_toolsandbox.models.requests import Limits, RequestContext, requests_in
from pytest_toolsandbox.users.user import scripted_user

needs_litellm = pytest.mark.skipif(find_spec("litellm") is None, reason="needs litellm")
needs_httpx = pytest.mark.skipif(find_spec("httpx") is None, reason="needs httpx")

TALK = "tools: [list_items, weigh]\nmax_messages: 100"
RICE = {"name": "rice"}
THINKING = {"max_tokens": 4000, "thinking": {"type": "enabled", "budget_tokens": 1024}}
WRITTEN = {
    "native": Turn(calls=(("weigh", RICE), ("list_items", {}))),
    "text": Turn(f"So.\n**Action:** weigh with Action Input: {json.dumps(RICE)}"),
    "react": Turn(f"Thought: So.\nAction: weigh\nAction Input:   {json.dumps(RICE)}"),
}


def played(text: str, agent: Any, *, keeps: bool = False) -> Trajectory:
    scene = scenario(text)
    context = RequestContext(retries=0, limits=Limits(), keeps_reasoning=keeps)
    with requests_in(context):
        return converse(scene, agent, scripted_user(scene))


@needs_httpx
@pytest.mark.parametrize("call_format", ["native", "text", "react"])
@pytest.mark.parametrize(
    ("dialect", "parameters"),
    [(ANTHROPIC, THINKING), (DEEPSEEK, {}), (MOONSHOT, {}), (GEMINI_OPENAI, {})],
)
def test_thoughts_and_signatures_go_back(
    dialect: Dialect, parameters: Mapping[str, Any], call_format: str
) -> None:
    turns = [WRITTEN[call_format]] * 12
    with StrictServer(dialect, [*turns, Turn("Final Answer: Two.")]) as server:
        talk = f"{TALK}\ncall_format: {call_format}"
        trajectory = played(talk, server.agent(**parameters), keeps=True)
        assert server.refusals == []
        signs_calls = dialect is GEMINI_OPENAI
        thoughts = [f"Thought {number}." for number in range(1, 13)]
        assert server.thoughts() == ([] if signs_calls and call_format != "native" else thoughts)
        texts = [reasoning.text for reasoning in trajectory.reasoning]
        assert texts == (
            [""] * 12 * (call_format == "native") if signs_calls else [*thoughts, "Thought 13."]
        )
        if call_format != "native":
            last = server.requests[-1].body["messages"][-2]["content"]
            text = last if isinstance(last, str) else last[-1]["text"]
            assert text == WRITTEN[call_format].text


@needs_httpx
@pytest.mark.parametrize(
    "dialect",
    [
        pytest.param(GEMINI, marks=needs_litellm),  # litellm has its signatures in identifiers
        OPENROUTER,
    ],
)
def test_signatures_of_calls_go_back(dialect: Dialect) -> None:
    with StrictServer(dialect, [WRITTEN["native"]] * 2 + [Turn("Two.")]) as server:
        trajectory = played(TALK, server.agent())
        assert server.refusals == []
        assert server.thoughts() == ["Thought 1.", "Thought 2."]
    calls = [message.call for message in trajectory.messages if message.call]
    assert calls
    assert all(len(call.identifier) <= 40 for call in calls)


ENCRYPTED = {
    "reasoning": "Hm.",
    "reasoning_details": [{"type": "reasoning.encrypted", "data": "abc", "index": 0}],
}


@needs_httpx
@every(
    ("model", "extras", "content"),
    [
        ("openrouter/x/y", ENCRYPTED, None),
        ("hosted_vllm/x", {"reasoning_content": "Hm."}, None),
        ("openai/x", {"reasoning": "Hm."}, None),
        ("openai/x", {}, "<think>Hm.</think>\n\nI look."),
        ("openai/x", {"provider_specific_fields": {"thought_signatures": ["abc"]}}, "So."),
    ],
)
def test_other_fields_of_a_message_go_back(
    model: str, extras: Mapping[str, Any], content: str | None
) -> None:
    function = {"name": "weigh", "arguments": json.dumps(RICE)}
    call = {"id": "call_1", "type": "function", "function": function}
    calling = {"role": "assistant", "content": content, "tool_calls": [call], **extras}
    with ModelServer([message(calling), message({"role": "assistant", "content": "Two."})]) as s:
        trajectory = played(TALK, ModelAgent(model, 30, {"api_base": s.url, "api_key": "k"}))
    sent = s.requests[-1].body["messages"][2]
    assert {"content": None, **sent} == {**calling, "content": content}
    assert trajectory.reasoning == (Reasoning(2),)


@needs_httpx
def test_no_thought_is_in_the_conversation() -> None:
    with StrictServer(
        DEEPSEEK, [Turn(calls=(("weigh", RICE),), thought="Secretly."), Turn("2")]
    ) as s:
        trajectory = played(TALK, s.agent())
    assert trajectory.reasoning == (Reasoning(2), Reasoning(4))
    assert "Secretly" not in repr(trajectory)
    assert "Thought" not in repr(trajectory)


# agents of one's own


class Recorded:
    """Returns replies one after the other, and keeps what it is shown."""

    def __init__(self, *replies: Any) -> None:
        self.replies = list(replies)
        self.shown: list[list[dict[str, Any]]] = []

    def __call__(self, messages: list[dict[str, Any]], tools: object) -> Any:
        del tools
        self.shown.append(json.loads(json.dumps(messages)))
        for seen in messages:
            seen.clear()  # what an agent does with its messages changes no later ones
        return self.replies.pop(0)


def chat_call(identifier: Any = "c1", **fields: Any) -> dict[str, Any]:
    function = {"name": "weigh", "arguments": json.dumps(RICE)}
    return {"id": identifier, "type": "function", "function": function, **fields}


def block(identifier: str = "toolu_1") -> dict[str, Any]:
    return {"type": "tool_use", "id": identifier, "name": "weigh", "input": RICE}


THOUGHT = {"type": "thinking", "thinking": "Hm.", "signature": "abc"}


def test_a_message_of_anthropic_s_api_goes_back_in_its_shape() -> None:
    content = [THOUGHT, {"type": "text", "text": "I look."}, block("toolu_1"), block("toolu_2")]
    reply = {"type": "message", "id": "msg_1", "role": "assistant", "model": "m", "usage": {}}
    agent = Recorded({**reply, "content": content}, "Two.")
    trajectory = played(TALK, agent, keeps=True)
    sent_back, *answers = agent.shown[-1][2:]
    assert sent_back == {"role": "assistant", "content": content}
    assert [answer["tool_call_id"] for answer in answers] == ["toolu_1", "toolu_2"]
    assert trajectory.reasoning == (Reasoning(2, "Hm."),)


class Library:
    """A message object of a client library, with fields that no server has sent."""

    content = None

    def model_dump(self, *, exclude_unset: bool = False) -> dict[str, Any]:
        unset = {} if exclude_unset else {"audio": None, "extra": "unset"}
        return {"content": None, "tool_calls": [chat_call()], "reasoning": "Hm.", **unset}


LONG = "x" * 500


@every(
    ("replies", "as_written", "answered"),
    [
        # as it came, reports and empty fields left out
        *(
            ([{"content": None, "tool_calls": [chat_call()], **further}], [kept_fields], ["c1"])
            for further, kept_fields in (
                ({"reasoning_content": "Hm."}, {"reasoning_content": "Hm."}),
                ({"mood": "good", "usage": SimpleNamespace(), "model": "m"}, {"mood": "good"}),
                ({"audio": None, "annotations": []}, {}),
            )
        ),
        ([Library()], [{"reasoning": "Hm."}], ["c1"]),
        # identifiers: own ones, unless they are missing or taken
        ([{"tool_calls": [chat_call(LONG)]}], [{"tool_calls": [chat_call(LONG)]}], [LONG]),
        ([{"tool_calls": [chat_call("a/b=")]}], [{"tool_calls": [chat_call("a/b=")]}], ["a/b="]),
        (
            [{"tool_calls": [chat_call(None)]}],
            [{"tool_calls": [chat_call("call-2-0")]}],
            ["call-2-0"],
        ),
        (
            [{"tool_calls": [chat_call("a"), chat_call("a")]}],
            [{"tool_calls": [chat_call("a"), chat_call("call-2-1")]}],
            ["a", "call-2-1"],
        ),
        (
            [{"tool_calls": [chat_call(LONG, mood=1)]}, {"tool_calls": [chat_call(LONG, mood=2)]}],
            [
                {"tool_calls": [chat_call(LONG, mood=1)]},
                {"tool_calls": [chat_call("call-4-0", mood=2)]},
            ],
            [LONG, "call-4-0"],
        ),
        # what cannot be copied is shown as the conversation has it
        ([{"tool_calls": [chat_call()], "mood": object()}], [{}], ["c1"]),
    ],
)
def test_what_an_agent_is_shown_of_its_replies(
    replies: list[Any], as_written: list[dict[str, Any]], answered: list[str]
) -> None:
    agent = Recorded(*replies, "Two.")
    played(TALK, agent)
    rebuilt = {"role": "assistant", "content": None, "tool_calls": [chat_call()]}
    shown = [seen for seen in agent.shown[-1][2:] if seen["role"] == "assistant"]
    assert shown == [{**rebuilt, **fields} for fields in as_written]
    answers = [seen for seen in agent.shown[-1] if seen["role"] == "tool"]
    assert [answer["tool_call_id"] for answer in answers] == answered


@every(
    ("reply", "kept_fields"),
    [
        (
            {"tool_calls": [chat_call(name) for name in "abc"], "reasoning": "Hm."},
            {"tool_calls": [chat_call(name) for name in "ab"], "reasoning": "Hm."},
        ),
        (
            {"content": [THOUGHT, block("a"), block("b"), block("c")]},
            {"content": [THOUGHT, block("a"), block("b")]},
        ),
    ],
)
def test_calls_without_room_are_not_in_the_own_message(
    reply: dict[str, Any], kept_fields: dict[str, Any]
) -> None:
    scene, agent = scenario(TALK), Recorded(reply, "Two.")
    session, caller, history = (
        AgentSession(scene),
        AgentCaller(agent, None),
        opening_messages(scene),
    )
    requests = session.ask(caller, history, 2, room=5)
    roles = (Role.EXECUTION_ENVIRONMENT, Role.AGENT)
    answers = [message_to(*roles, "null", request.call) for request in requests]
    session.ask(caller, [*history, *requests, *answers], 6, room=5)
    assert agent.shown[-1][2] == {"role": "assistant", "content": None, **kept_fields}
    assert [seen["tool_call_id"] for seen in agent.shown[-1][3:]] == ["a", "b"]


@pytest.mark.parametrize(
    "reply",
    [
        {"content": None, "tool_calls": [chat_call()], "reasoning": "Hm."},
        {"content": f"{WRITTEN['text'].text}\nObservation: 3", "reasoning": "Hm."},
    ],
)
def test_results_that_a_text_cannot_have_do_not_go_back(reply: dict[str, Any]) -> None:
    """Calls in the API's form have no answers there; an invented result would contradict ours."""
    agent = Recorded(reply, "Two.")
    played(f"{TALK}\ncall_format: text", agent)
    sent_back = agent.shown[-1][2]
    assert sent_back.keys() == {"role", "content", "reasoning"}
    assert sent_back["content"].endswith(f"Action: weigh with Action Input: {json.dumps(RICE)}")


def test_a_recorded_conversation_has_only_what_the_agent_did_in_its_turn() -> None:
    scene = recorded(ALARMS)
    thoughts: list[tuple[str, int]] = []

    def agent(messages: list[dict[str, Any]], tools: object) -> dict[str, Any]:
        del tools
        role = messages[-1]["role"]
        thoughts.append((role, json.dumps(messages).count("reasoning")))
        acts = {"content": "Done."} if role == "tool" else {"tool_calls": [chat_call()]}
        return {**acts, "reasoning": "Hm."}

    converse(scene, agent, scripted_user(scene))
    assert thoughts
    assert set(thoughts) == {("user", 0), ("tool", 1)}


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_messages, "MOST_KEPT", 1000)
    replies = [{"tool_calls": [chat_call(f"c{i}")], "reasoning": "x" * 400} for i in range(4)]
    agent = Recorded(*replies, "Two.")
    played(TALK, agent)
    kept = ["reasoning" in seen for seen in agent.shown[-1] if seen["role"] == "assistant"]
    assert kept == [True, False, False, False]


def test_an_error_ends_no_own_message() -> None:
    with pytest.raises(PlayError):
        played(TALK, Recorded({"content": 3}))
    assert own_message(3) is None
