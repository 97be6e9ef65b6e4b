"""The strict servers themselves, and the package's agent in conversations with them."""

from __future__ import annotations

import copy
import json
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any

import pytest
from model_server import KEY
from servers.anthropic import ANTHROPIC
from servers.chat_completions import DEEPSEEK, GEMINI_OPENAI
from servers.strict import Dialect, StrictServer, Turn, called, said, sealed

needs_litellm = pytest.mark.skipif(find_spec("litellm") is None, reason="needs litellm")

_PARAMETERS = {"type": "object", "properties": {"name": {"type": "string"}}, "required": []}
TOOLS = [{"type": "function", "function": {"name": "find", "parameters": _PARAMETERS}}]
SCRIPT = [
    called(("find", {"name": "Ada"})),
    Turn("Two more.", (("find", {"name": "Bo"}), ("find", {}))),
    *[called(("find", {"name": str(number)})) for number in range(8)],
    said("Done."),
]
"""A conversation with eleven calls, two of them at once."""
THINKING = {"thinking": {"type": "enabled", "budget_tokens": 1024}, "max_tokens": 2048}

Request = dict[str, Any]


def post(server: StrictServer, path: str, request: Request) -> tuple[int, Any]:
    """Return the status and the body of a server's answer."""
    key = {server.dialect.key: f"Bearer {KEY}" if server.dialect.key == "authorization" else KEY}
    headers = {"Content-Type": "application/json", **key}
    content = json.dumps(request).encode()
    try:
        with urllib.request.urlopen(
            urllib.request.Request(f"{server.base_url}{path}", content, headers)
        ) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def add_completion(request: Request, answer: Any) -> bool:
    """Add a message as it came, and the results of its calls; return whether there are calls."""
    message = answer["choices"][0]["message"]
    calls = message.get("tool_calls", [])
    results = [{"role": "tool", "tool_call_id": call["id"], "content": "ok"} for call in calls]
    request["messages"] += [message, *results]
    return bool(calls)


def add_blocks(request: Request, answer: Any) -> bool:
    """Do the same for Anthropic's messages."""
    uses = [block for block in answer["content"] if block["type"] == "tool_use"]
    results = [{"type": "tool_result", "tool_use_id": use["id"], "content": "ok"} for use in uses]
    request["messages"].append({"role": "assistant", "content": answer["content"]})
    if results:
        request["messages"].append({"role": "user", "content": results})
    return bool(uses)


CHAT: Request = {"model": "stub", "messages": [{"role": "user", "content": "Go."}], "tools": TOOLS}
API = {
    "Anthropic": (ANTHROPIC, "/v1/messages", {**CHAT, **THINKING}, add_blocks),
    "DeepSeek": (DEEPSEEK, "/chat/completions", CHAT, add_completion),
    "Gemini's OpenAI": (GEMINI_OPENAI, "/chat/completions", CHAT, add_completion),
}
"""A dialect with the path, the first request and the rest of a client that gives all back."""


def play(name: str, server: StrictServer, turns: int) -> Request:
    """Return the next request after so many turns of a client that gives all back."""
    _, path, begin, add = API[name]
    request = copy.deepcopy(begin)
    for _ in range(turns):
        status, answer = post(server, path, request)
        assert status == 200, answer
        if not add(request, answer):
            break
    return request


@pytest.mark.parametrize("name", API)
def test_a_client_that_gives_all_back_is_never_refused(name: str) -> None:
    with StrictServer(API[name][0], SCRIPT) as server:
        play(name, server, len(SCRIPT))
        assert server.refusals == []
        assert len(server.requests) == len(SCRIPT)
        assert server.thoughts() == [f"Thought {number}." for number in range(1, len(SCRIPT))]


def without(place: int, *names: str) -> Callable[[Request], None]:
    """Return what takes fields out of a message."""

    def change(request: Request) -> None:
        for name in names:
            del request["messages"][place][name]

    return change


def with_message(place: int, **fields: Any) -> Callable[[Request], None]:
    """Return what sets fields of a message."""
    return lambda request: request["messages"][place].update(fields)


def with_block(number: int, **fields: Any) -> Callable[[Request], None]:
    """Return what sets fields of a block of the model's first message."""
    return lambda request: request["messages"][1]["content"][number].update(fields)


def without_signature(request: Request) -> None:
    del request["messages"][1]["tool_calls"][0]["extra_content"]


def with_signature(request: Request) -> None:
    google = {"thought_signature": sealed("Thought 1.")[:40]}
    request["messages"][1]["tool_calls"][0]["extra_content"] = {"google": google}


REFUSED: dict[str, tuple[str, Callable[[Request], Any], str]] = {
    "no thinking": (
        "Anthropic",
        lambda r: r["messages"][1]["content"].pop(0),
        "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found",
    ),
    "a changed thought": (
        "Anthropic",
        with_block(0, thinking="Another."),
        "messages.1.content.0: Invalid `signature` in `thinking` block",
    ),
    "no signature": (
        "Anthropic",
        with_block(0, signature=None),
        "messages.1.content.0: Invalid `signature` in `thinking` block",
    ),
    "input as text": (
        "Anthropic",
        with_block(1, input="{}"),
        "messages.1.content.1.tool_use.input: Input should be a valid dictionary",
    ),
    "no result": (
        "Anthropic",
        lambda r: r["messages"].pop(),
        "messages.1: `tool_use` ids were found without `tool_result` blocks immediately",
    ),
    "a result too late": (
        "Anthropic",
        lambda r: r["messages"][2]["content"].insert(0, {"type": "text", "text": "So."}),
        "messages.1: `tool_use` ids were found without `tool_result` blocks immediately",
    ),
    "another result": (
        "Anthropic",
        lambda r: r["messages"][2]["content"].append(
            {"type": "tool_result", "tool_use_id": "x", "content": "ok"}
        ),
        "messages.2.content.1: unexpected `tool_use_id` found in `tool_result` blocks: x.",
    ),
    "an empty text": (
        "Anthropic",
        lambda r: r["messages"][1]["content"].insert(1, {"type": "text", "text": ""}),
        "messages: text content blocks must be non-empty",
    ),
    "no max_tokens": (
        "Anthropic",
        lambda r: r.pop("max_tokens"),
        "max_tokens: Field required",
    ),
    "few max_tokens": (
        "Anthropic",
        lambda r: r.update(max_tokens=1024),
        "`max_tokens` must be greater than `thinking.budget_tokens`",
    ),
    "a system message": (
        "Anthropic",
        lambda r: r["messages"].insert(1, {"role": "system", "content": "Be brief."}),
        'messages: Unexpected role "system".',
    ),
    "no reasoning": (
        "DeepSeek",
        without(1, "reasoning_content"),
        "The `reasoning_content` in the thinking mode must be passed back to the API.",
    ),
    "empty reasoning": (
        "DeepSeek",
        with_message(1, reasoning_content=""),
        "The `reasoning_content` in the thinking mode must be passed back to the API.",
    ),
    "no reasoning with the answer": (
        "DeepSeek",
        lambda r: r["messages"].append({"role": "assistant", "content": "Done."}),
        "The `reasoning_content` in the thinking mode must be passed back to the API.",
    ),
    "no answer": (
        "DeepSeek",
        lambda r: r["messages"].pop(),
        "An assistant message with 'tool_calls' must be followed by tool messages",
    ),
    "an answer to nothing": (
        "DeepSeek",
        with_message(2, tool_call_id="x"),
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message",
    ),
    "no thought signature": (
        "Gemini's OpenAI",
        without_signature,
        "Function call is missing a thought_signature in functionCall parts.",
    ),
    "half a thought signature": (
        "Gemini's OpenAI",
        with_signature,
        "Thought signature is not valid",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusal(case: str) -> None:
    name, change, message = REFUSED[case]
    with StrictServer(API[name][0], SCRIPT) as server:
        request = play(name, server, 1)
        change(request)
        status, answer = post(server, API[name][1], request)
        assert status == 400
        assert server.refusals[0].startswith(message)
        error = (answer[0] if isinstance(answer, list) else answer)["error"]
        assert error["message"] == server.refusals[0]


def test_a_wrong_key_and_a_wrong_path() -> None:
    with StrictServer(ANTHROPIC, SCRIPT) as server:
        assert post(server, "/messages", dict(CHAT))[0] == 404
        server.dialect = DEEPSEEK
        assert post(server, "/v1/messages", dict(CHAT))[0] == 404


AGENTS: dict[str, tuple[Dialect, Mapping[str, Any]]] = {
    "Anthropic": (ANTHROPIC, {}),
    "DeepSeek that does not think": (DEEPSEEK, {"thinking": {"type": "disabled"}}),
}


@needs_litellm
@pytest.mark.parametrize("name", AGENTS)
def test_agent(name: str) -> None:
    dialect, parameters = AGENTS[name]
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Go."},
    ]
    with StrictServer(dialect, SCRIPT) as server:
        agent = server.agent(**parameters)
        for _ in SCRIPT:
            reply = agent(messages, TOOLS)
            calls = reply.get("tool_calls", [])
            results = [{"role": "tool", "tool_call_id": c["id"], "content": "ok"} for c in calls]
            messages += [reply, *results]
        assert server.refusals == []
    assert messages[-1]["content"] == "Done."
