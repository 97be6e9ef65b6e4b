"""The table of the documentation that says which replies of models are scored, row by row."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from model_server import KEY, Answer, ModelServer, Response, body, calls, choices, fault, text

from pytest_toolsandbox.models.errors import ProviderError
from pytest_toolsandbox.models.model_agent import ModelAgent
from pytest_toolsandbox.models.providers import is_known
from pytest_toolsandbox.models.requests import RequestContext, asked_by, requests_in

PAGE = (Path(__file__).parents[2] / "docs" / "agents.md").read_text(encoding="utf-8")
OPENAI, ANTHROPIC, GEMINI = "openai/stub", "anthropic/stub", "gemini/stub"
CALL = {"id": "c", "type": "function", "function": {"name": "find", "arguments": "{}"}}
TOOL: dict[str, Any] = {"name": "find", "parameters": {"type": "object", "properties": {}}}
EXPLAINED = "Malformed function call: print(default_api.find("

Sent = tuple[str, Answer]
"""A model, and what its provider answers."""


def choice(reason: str | None, content: str | None = None, **message: Any) -> dict[str, Any]:
    """Return a choice of a chat completion."""
    reply = {"role": "assistant", "content": content, **message}
    return {"index": 0, "message": reply, "finish_reason": reason}


def openai(*each: dict[str, Any]) -> Sent:
    return OPENAI, choices([*each])


def usage(value: Any) -> Sent:
    whole = {**json.loads(text("Done.").body), "usage": value}
    return OPENAI, body(whole)


def anthropic(reason: str, *blocks: dict[str, Any], **fields: Any) -> Sent:
    used = {"input_tokens": 7, "output_tokens": 3}
    reply = {"type": "message", "id": "m", "role": "assistant", "model": "stub", "usage": used}
    return ANTHROPIC, body({**reply, "content": [*blocks], "stop_reason": reason, **fields})


def gemini(reason: str, *parts: dict[str, Any], **fields: Any) -> Sent:
    answer = {"content": {"role": "model", "parts": [*parts]}, "finishReason": reason, **fields}
    used = {"promptTokenCount": 7, "candidatesTokenCount": 3, "totalTokenCount": 10}
    return GEMINI, body({"candidates": [answer], "usageMetadata": used})


def instead(sent: Sent, **usage: Any) -> Sent:
    """Return what is sent with another usage; ``None`` is missing."""
    model, answer = sent
    assert isinstance(answer, Response)
    fields = {**json.loads(answer.body), **usage}
    return model, body({name: value for name, value in fields.items() if value is not None})


SAID = {"type": "text", "text": "Done."}
BLOCK = {"type": "tool_use", "id": "c", "name": "find", "input": {}}
FUNCTION = {"functionCall": {"name": "find", "args": {}}}
DONE = ("Done.",)
CALLED = ("", "find", "{}")
BOTH = ("Done.", "find", "{}")


def unreadable(written: str) -> tuple[str, ...]:
    return ("", "", written)


SCORED: dict[str, list[tuple[Sent, tuple[str, ...], str | None]]] = {
    "a text, calls, or both, from any provider": [
        (openai(choice("stop", "Done.")), DONE, "stop"),
        (openai(choice(None, "Done.")), DONE, "stop"),
        (openai(choice("stop", tool_calls=[CALL])), CALLED, "tool_calls"),
        (
            openai(choice("tool_calls", "Done.", tool_calls=[CALL])),
            (*DONE, *CALLED[1:]),
            "tool_calls",
        ),
        (anthropic("end_turn", SAID), DONE, "stop"),
        (anthropic("tool_use", BLOCK), CALLED, "tool_calls"),
        (gemini("STOP", {"text": "Done."}), DONE, "stop"),
        (gemini("STOP", FUNCTION), CALLED, "tool_calls"),
    ],
    "a reply that the token limit cut off": [
        (openai(choice("length", "Done.")), DONE, "length"),
        (openai(choice("length")), ("",), "length"),
        (anthropic("max_tokens", SAID), DONE, "length"),
        (gemini("MAX_TOKENS", {"text": "Done."}), DONE, "length"),
        (gemini("MAX_TOKENS"), ("",), "length"),
    ],
    "a reply without a text and calls": [
        (openai(choice("stop")), ("",), "stop"),
        (anthropic("end_turn"), ("",), "stop"),
        (gemini("STOP"), ("",), "stop"),
        (gemini("MALFORMED_RESPONSE"), ("",), "malformed_response"),
    ],
    "a refusal of the model (`refusal` of OpenAI, the stop reason `refusal` of Anthropic)": [
        (openai(choice("stop", refusal="I must not.")), ("I must not.",), "stop"),
        (anthropic("refusal", SAID), DONE, "refusal"),
        (anthropic("refusal", stop_details={"explanation": "No."}), ("No.",), "refusal"),
        (anthropic("refusal"), ("",), "refusal"),
    ],
    "thoughts in the content (`<think>`, `[THINK]`, the channels of gpt-oss)": [
        (openai(choice("stop", "<think>Hm.</think>Done.")), DONE, "stop"),
        (openai(choice("stop", "Hm.</think>Done.")), DONE, "stop"),
    ],
    "blanks or `null` as arguments": [
        ((OPENAI, calls(("find", written))), ("", "find", written), "tool_calls")
        for written in ("", " ", "null")
    ],
    '`{}""` and any other arguments that are not a JSON object': [
        ((OPENAI, calls(("find", written))), ("", "find", written), "tool_calls")
        for written in ('{}""', "[]")
    ],
    "`140.0` for an integer, and any other value of a wrong type": [
        ((OPENAI, calls(("find", '{"n": 140.0}'))), ("", "find", '{"n": 140.0}'), "tool_calls")
    ],
    "a call that the server cannot parse (`tool_use_failed` of Groq, `failed_generation` of "
    "Cerebras, `failed to parse …` and `does not match the expected … format` of llama.cpp, "
    "`error parsing tool call` and XML errors of Ollama, `invalid sequence as part of ToolUse` of "
    "Amazon Bedrock)": [
        ((OPENAI, fault(500, "Failed to parse input at pos 1: {on")), unreadable("{on"), None)
    ],
    "Gemini's `MALFORMED_FUNCTION_CALL` and `UNEXPECTED_TOOL_CALL`, also over its OpenAI "
    "endpoint and OpenRouter": [
        (
            gemini("MALFORMED_FUNCTION_CALL", finishMessage=EXPLAINED),
            unreadable(EXPLAINED),
            "malformed_function_call",
        ),
        (
            gemini("UNEXPECTED_TOOL_CALL", finishMessage=EXPLAINED),
            unreadable(EXPLAINED),
            "unexpected_tool_call",
        ),
        (
            openai(choice("error") | {"native_finish_reason": "MALFORMED_FUNCTION_CALL"}),
            unreadable(""),
            "malformed_function_call",
        ),
        (
            openai(choice("function_call_filter: MALFORMED_FUNCTION_CALL")),
            unreadable(""),
            "malformed_function_call",
        ),
    ],
    "the finish reason `tool_calls` without a call": [
        (openai(choice("tool_calls", "find()")), unreadable("find()"), "tool_calls"),
        (openai(choice("tool_calls")), unreadable(""), "tool_calls"),
    ],
    "a text in one choice and calls in another, as of GitHub Copilot": [
        (
            openai(choice("stop", "Done."), choice("tool_calls", tool_calls=[CALL])),
            BOTH,
            "tool_calls",
        )
    ],
    "a usage that is missing or cannot be read": [
        *(
            (usage(value), DONE, "stop")
            for value in (None, "x", 7, {"prompt_tokens": "many"}, {"prompt_tokens": 10**400})
        ),
        *(
            (usage({"prompt_tokens": 7.5, "completion_tokens": value}), DONE, "stop")
            for value in (2.5, -1)
        ),
        (instead(anthropic("end_turn", SAID), usage=None), DONE, "stop"),
        (instead(anthropic("tool_use", BLOCK), usage="x"), CALLED, "tool_calls"),
        (instead(gemini("STOP", {"text": "Done."}), usageMetadata=None), DONE, "stop"),
        (instead(gemini("STOP", FUNCTION), usageMetadata=[]), CALLED, "tool_calls"),
    ],
}
ERRORS: dict[str, list[Sent]] = {
    "several choices that are replies of their own": [
        openai(choice("stop", "Done."), choice("stop", "No.")),
        openai(choice("stop", tool_calls=[CALL]), choice("stop", tool_calls=[CALL])),
        openai(choice("stop", "Done."), choice("stop", "Oh.", tool_calls=[CALL])),
        openai(choice("content_filter"), choice("stop", tool_calls=[CALL])),
    ],
    "an error with status 200, also beside `choices`": [
        (OPENAI, body({"error": {"message": "Overloaded"}})),
        (OPENAI, body({**json.loads(text("Done.").body), "error": {"message": "Overloaded"}})),
        (OPENAI, body({**json.loads(text("Done.").body), "error": "Overloaded"})),
    ],
    "the finish reasons `error`, `model_error`, `network_error`, `abort`, `cancelled`, `timeout`, "
    "`unknown`, `repetition_truncation`": [
        *(
            openai(choice(reason, "Do"))
            for reason in ("error", "model_error", "network_error", "abort", "cancelled")
        ),
        *(
            openai(choice(reason, "Do"))
            for reason in ("timeout", "unknown", "repetition_truncation")
        ),
        gemini("OTHER", {"text": "Do"}),
    ],
    "a reply that a content filter withheld or cut off": [
        openai(choice("content_filter", "Do")),
        openai(choice("content_filter: SAFETY")),
        gemini("SAFETY", {"text": "Do"}),
        gemini("LANGUAGE"),
        (GEMINI, body({"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {}})),
    ],
    "a conversation longer than the context window": [
        anthropic("model_context_window_exceeded"),
        (OPENAI, fault(400, "At most 9 tokens", "context_length_exceeded")),
    ],
    "the stop reason `pause_turn` of Anthropic, which comes of its own tools": [
        anthropic("pause_turn", SAID)
    ],
    "an empty message, no choices, the old `function_call`": [
        (OPENAI, choices([{"index": 0, "message": {}, "finish_reason": "stop"}])),
        (OPENAI, choices([])),
        openai(choice("function_call", function_call={"name": "find", "arguments": "{}"})),
    ],
    "any other refusal of the request": [
        (OPENAI, fault(status, "No such value")) for status in (400, 401, 429, 500)
    ],
}


def table() -> list[tuple[str, str]]:
    rows = PAGE.partition("| what comes back | what it is |\n")[2].partition("\n\n")[0]
    cells = [row.strip("| ").split(" | ") for row in rows.splitlines()[1:]]
    return [(name, outcome) for name, outcome in cells]


def test_each_row_is_tested() -> None:
    assert [name for name, outcome in table() if outcome.startswith("scored")] == [*SCORED]
    assert [name for name, outcome in table() if outcome == "an error"] == [*ERRORS]


def ask(sent: Sent, server: ModelServer, monkeypatch: pytest.MonkeyPatch, client: str) -> Any:
    """Return the reply of the agent."""
    model, answer = sent
    if not (client or is_known(model) or find_spec("litellm")):
        pytest.skip("needs litellm")
    server.replace_openai(monkeypatch)
    server.will(answer)
    parameters = {"api_key": KEY, "api_base": server.url.removesuffix("/v1")}
    agent = ModelAgent(f"{client}{model}", 30, {} if model == OPENAI else parameters)
    return agent([{"role": "user", "content": "Hi"}], [{"type": "function", "function": TOOL}])


@pytest.mark.parametrize("name", SCORED)
def test_what_is_scored(
    model_server: ModelServer, monkeypatch: pytest.MonkeyPatch, client: str, name: str
) -> None:
    for sent, expected, reason in SCORED[name]:
        with requests_in(RequestContext(retries=0)) as context, asked_by("agent"):
            reply = ask(sent, model_server, monkeypatch, client)
        assert context.meter.finish_reasons() == ({"agent": [reason]} if reason else {}), sent
        functions = [call["function"] for call in reply.get("tool_calls", ())]
        written = [text for each in functions for text in (each["name"], each["arguments"])]
        assert (reply["content"] or "", *written) == expected, sent


@pytest.mark.parametrize("name", ERRORS)
def test_what_is_an_error(
    model_server: ModelServer, monkeypatch: pytest.MonkeyPatch, client: str, name: str
) -> None:
    for sent in ERRORS[name]:
        with pytest.raises(ProviderError):
            pytest.fail(f"{sent}: {ask(sent, model_server, monkeypatch, client)}")
