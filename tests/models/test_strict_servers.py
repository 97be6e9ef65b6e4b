"""Strict servers accept all from a client that gives all back, and refuse what providers refuse."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from servers.anthropic import ANTHROPIC
from servers.chat_completions import DEEPSEEK
from servers.clients import API, CHAT, HIDDEN, SCRIPT, Request, play_client, post
from servers.strict import StrictServer, sealed


@pytest.mark.parametrize("name", API)
def test_a_client_that_gives_all_back_is_never_refused(name: str) -> None:
    with StrictServer(API[name][0], SCRIPT) as server:
        play_client(name, server, len(SCRIPT))
        assert server.refusals == []
        assert len(server.requests) == len(SCRIPT)
        thoughts = [f"Thought {number}." for number in range(1, len(SCRIPT))]
        assert server.thoughts() == ([] if name in HIDDEN else thoughts)


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


def with_part(number: int, **fields: Any) -> Callable[[Request], None]:
    """Return what sets fields of a part of the model's first content."""
    return lambda request: request["contents"][1]["parts"][number].update(fields)


def with_arguments(written: Any) -> Callable[[Request], None]:
    """Return what sets the arguments of the first call."""

    def change(request: Request) -> None:
        request["messages"][1]["tool_calls"][0]["function"]["arguments"] = written

    return change


def long_identifier(request: Request) -> None:
    request["messages"][1]["tool_calls"][0]["id"] = "x" * 41
    request["messages"][2]["tool_call_id"] = "x" * 41


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
        "Corrupted thought signature.",
    ),
    "no signature of a part": (
        "Gemini",
        with_part(0, thoughtSignature=None),
        "Function call is missing a thought_signature in functionCall parts.",
    ),
    "one response too many": (
        "Gemini",
        lambda r: r["contents"][2]["parts"].append(r["contents"][2]["parts"][0]),
        "Please ensure that the number of function response parts is equal to the number of",
    ),
    "no parts": (
        "Gemini",
        lambda r: r["contents"].append({"role": "model", "parts": []}),
        "* GenerateContentRequest.contents[3].parts: contents.parts must not be empty.",
    ),
    "a field that schemas have not": (
        "Gemini",
        lambda r: r["tools"][0]["functionDeclarations"][0]["parameters"].update(oneOf=[]),
        'Invalid JSON payload received. Unknown name "oneOf" at',
    ),
    "no reasoning details": (
        "OpenRouter",
        without(1, "reasoning_details"),
        "Function call is missing a thought_signature in functionCall parts.",
    ),
    "no reasoning for Kimi": (
        "Kimi",
        without(1, "reasoning_content"),
        "thinking is enabled but reasoning_content is missing in assistant tool call message",
    ),
    "a long identifier": (
        "OpenAI",
        long_identifier,
        "Invalid 'messages[1].tool_calls[0].id': string too long.",
    ),
    "arguments that are cut off": (
        "vLLM",
        with_arguments('{"name": "A'),
        "Unterminated string starting at: line 1 column 10 (char 9)",
    ),
    "arguments that are a list": (
        "vLLM",
        with_arguments("[]"),
        "Can only get item pairs from a mapping.",
    ),
    "a field that Groq has not": (
        "Groq",
        with_message(1, reasoning_content="Hm."),
        "'messages.1' : for 'role:assistant' the following must be satisfied",
    ),
    "arguments as text": (
        "Ollama",
        with_arguments("{}"),
        "json: cannot unmarshal string into Go struct field",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusal(case: str) -> None:
    name, change, message = REFUSED[case]
    with StrictServer(API[name][0], SCRIPT) as server:
        request = play_client(name, server, 1)
        change(request)
        status, answer = post(server, API[name][1], request)
        assert status == 400
        assert server.refusals[0].startswith(message)
        assert re.split("['\"`]", message)[0] in str(answer)


def test_a_wrong_key_and_a_wrong_path() -> None:
    with StrictServer(ANTHROPIC, SCRIPT) as server:
        assert post(server, "/messages", dict(CHAT))[0] == 404
        server.dialect = DEEPSEEK
        assert post(server, "/v1/messages", dict(CHAT))[0] == 404
