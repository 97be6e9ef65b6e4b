"""Circumstances of real providers, and how a scenario that is played in them is judged.

Each is played through the package's agent and a strict server; what follows it is a model that does
the right thing. The sources are named with the servers, or here beside the circumstance.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import pytest
from model_server import CLOSE, RESET, Answer, Response, body, choices, fault
from pantry import scenario
from servers.anthropic import ANTHROPIC
from servers.chat_completions import AZURE, DEEPSEEK, GEMINI_OPENAI, MOONSHOT, OPENAI
from servers.clients import THINKING
from servers.gemini import GEMINI, OPENROUTER
from servers.parsing import GROQ, LLAMA_CPP, OLD_VLLM, OLLAMA, OPENAI_OF_OLLAMA, VLLM
from servers.strict import Dialect, StrictServer, Turn, called, replied

from pytest_toolsandbox import Trial, play_trial

SHUT = scenario("""
user: {opening: Shut the door.}
milestones:
  door_shut: {state: {door: {open: false}}}
  user_told: {says: {mentions: [shut]}}
""")
CALL: tuple[str, Any] = ("close_door", {})
REST = (called(CALL), replied("It is shut."))


@dataclass(frozen=True)
class Circumstance:
    """What a provider answers before the model does the right thing."""

    dialect: Dialect
    answers: tuple[Turn | Answer, ...]
    parameters: Mapping[str, Any] = field(default_factory=dict)


def when(dialect: Dialect, *answers: Turn | Answer, **parameters: Any) -> Circumstance:
    return Circumstance(dialect, answers, parameters)


def played(circumstance: Circumstance, client: str) -> Trial:
    script = (*circumstance.answers, *REST)
    with StrictServer(circumstance.dialect, script) as server:
        return play_trial(SHUT, server.agent(client, **circumstance.parameters))


def mistakes(trial: Trial) -> list[str]:
    """Return how the world answered calls that it did not execute."""
    calls = trial.record["tool_calls"]
    answers = [trial.messages[call["answer"]].content for call in calls]
    return [answer for answer in answers if answer != "null"]


def patterns(trial: Trial) -> Any:
    """Return how often each error pattern is in a conversation."""
    return trial.record["error_patterns"]["calls"]


def refused(status: int, error: Any) -> Response:
    """Return an error as Google and others have it, with other fields than OpenAI's."""
    return Response(status, json.dumps(error).encode())


def google(status: int, name: str, message: str) -> Response:
    return refused(status, {"error": {"code": status, "message": message, "status": name}})


def anthropic(status: int, kind: str, message: str) -> Response:
    return refused(status, {"type": "error", "error": {"type": kind, "message": message}})


def choice(reason: str | None, content: str | None = None, **message: Any) -> Response:
    """Return a completion with one choice."""
    whole = {"role": "assistant", "content": content, **message}
    return choices([{"index": 0, "message": whole, "finish_reason": reason}])


def copilot() -> Response:
    """Return a text in one choice and the call in another."""
    function = {"name": "close_door", "arguments": "{}"}
    call = {"id": "c", "type": "function", "function": function}
    text = {"role": "assistant", "content": "A moment."}
    calls = {"role": "assistant", "content": None, "tool_calls": [call]}
    messages = enumerate((text, calls))
    return choices([{"index": i, "message": m, "finish_reason": "stop"} for i, m in messages])


TWICE = (called(("list_items", {}), ("list_items", {})), called(("list_items", {})))
"""Three more calls, two of them at once."""
THINKS: dict[str, Circumstance] = {
    "Anthropic": when(ANTHROPIC, *TWICE, **THINKING),
    "DeepSeek": when(DEEPSEEK, *TWICE),
    "Kimi": when(MOONSHOT, *TWICE),
    "Gemini": when(GEMINI, *TWICE),
    "Gemini's OpenAI": when(GEMINI_OPENAI, *TWICE),
    "OpenRouter": when(OPENROUTER, *TWICE),
    "vLLM": when(VLLM, *TWICE),
    "an old vLLM": when(OLD_VLLM, *TWICE),
    "llama.cpp": when(LLAMA_CPP, *TWICE),
    "Groq": when(GROQ, *TWICE),
    "Ollama": when(OLLAMA, *TWICE),
    "Ollama's OpenAI": when(OPENAI_OF_OLLAMA, *TWICE),
}
"""Models that think before each call."""
PLAYS: dict[str, Circumstance] = {
    "Anthropic that does not think": when(ANTHROPIC, *TWICE),
    "DeepSeek that does not think": when(DEEPSEEK, *TWICE, thinking={"type": "disabled"}),
    "OpenAI": when(OPENAI, *TWICE),
    "Azure": when(AZURE, *TWICE),
    "empty arguments": when(VLLM, called(("list_items", ""))),
    "blanks as arguments": when(OPENAI, called(("list_items", " "))),
    "null as arguments": when(OPENAI, called(("list_items", "null"))),
    "Copilot's two choices": when(OPENAI, copilot()),
    "thoughts before a call": when(OPENAI, Turn("<think>Hm.</think>", (("list_items", {}),))),
    "no finish reason": when(
        OPENAI,
        choice(None, tool_calls=[{"id": "c", "function": {"name": "list_items", "arguments": ""}}]),
    ),
}
"""What harms nobody."""

CUT = '{"name": "A'
REFUSED_BY_GROQ = {
    "message": "tool call validation failed: parameters for tool weigh did not match schema",
    "type": "invalid_request_error",
    "code": "tool_use_failed",
    "failed_generation": '{"name": "weigh", "arguments": {"name": 3}}',
}
MODEL: dict[str, Circumstance] = {
    **{
        f"{arguments} of {name}": when(dialect, called(("list_items", arguments)), **parameters)
        for name, dialect, parameters in (
            ("OpenAI", OPENAI, {}),
            ("DeepSeek", DEEPSEEK, {"thinking": {"type": "disabled"}}),
            ("vLLM", VLLM, {}),
        )
        for arguments in (CUT, '{}""', "[true]", "3", '{"name": "a\nb"}')
    },
    "llama.cpp cannot parse a call": when(LLAMA_CPP, called(("list_items", CUT))),
    "Groq cannot parse a call": when(GROQ, called(("list_items", CUT))),
    "Ollama cannot parse a call": when(OLLAMA, called(("list_items", CUT))),
    "Ollama's OpenAI cannot parse a call": when(OPENAI_OF_OLLAMA, called(("list_items", CUT))),
    "Gemini writes a malformed call": when(GEMINI, called(("list_items", CUT))),
    "Gemini calls what it was not given": when(GEMINI, Turn(ending="UNEXPECTED_TOOL_CALL")),
    "no such tool": when(OPENAI, called(("list_all", {}))),
    "no name": when(OPENAI, called(("", {}))),
    "another argument": when(ANTHROPIC, called(("list_items", {"name": "rice"}))),
    "a call that is announced and missing": when(OPENAI, choice("tool_calls")),
    # llama.cpp#25072 and club-3090#1195
    "llama.cpp's other words": when(
        LLAMA_CPP, fault(500, "The model produced output that does not match the expected X format")
    ),
    # ollama#14834
    "Ollama on Qwen's calls": when(
        OLLAMA, refused(500, {"error": "XML syntax error on line 8: unexpected EOF"})
    ),
}
"""Mistakes of a model that is told of them: another call in the place of a right one."""

FAILED: dict[str, Circumstance] = {
    "nothing at the token limit": when(OPENAI, Turn(ending="length")),
    "half a text at the token limit": when(ANTHROPIC, Turn("It is", ending="max_tokens")),
    "Gemini's thoughts reach the token limit": when(GEMINI, Turn(ending="MAX_TOKENS")),
    "Gemini stops without parts": when(GEMINI, Turn(ending="STOP")),
    "nothing": when(OPENAI, Turn()),
    "nothing that litellm can read": when(GROQ, choice("stop")),
    "a refusal of OpenAI's": when(OPENAI, choice("stop", refusal="I must not.")),
    "a refusal of Claude's": when(ANTHROPIC, Turn("I must not.", ending="refusal")),
    "the right words in a thought": when(OPENAI, replied("It is shut.</think>Done.")),
    "a call as text": when(VLLM, replied('<tool_call>{"name": "close_door"}</tool_call>')),
}
"""Replies of a model that end the conversation."""

WINDOW: Final = "the conversation is longer than the model's context window"
REJECTED: Final = "the provider rejects the request"
FAULT: Final = "the provider failed"
LIMIT: Final = "the rate limit or the quota is used up"
KEY: Final = "the provider refuses the API key"
POLICY: Final = "the provider's content policy"
OUTAGES: dict[str, tuple[Circumstance, str]] = {
    **{
        f"status {status}": (when(OPENAI, fault(status, "No.")), line)
        for status, line in (
            *((400, REJECTED), (422, REJECTED), (429, LIMIT), (401, KEY)),
            (402, "the provider wants to be paid"),
            (403, "the provider denies access"),
            (404, "the provider does not know the model"),
            *((status, FAULT) for status in (408, 500, 502, 503, 504, 529)),
        )
    },
    "Anthropic is overloaded": (
        when(ANTHROPIC, anthropic(529, "overloaded_error", "Overloaded")),
        f"{FAULT} (529): Overloaded",
    ),
    "Anthropic's credit": (
        when(ANTHROPIC, anthropic(400, "invalid_request_error", "Your credit balance is too low")),
        f"{REJECTED} (400): Your credit balance is too low",
    ),
    "Gemini is overloaded": (
        when(GEMINI, google(503, "UNAVAILABLE", "The model is overloaded.")),
        f"{FAULT} (503): The model is overloaded",
    ),
    "Gemini's quota": (
        when(GEMINI, google(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota.")),
        f"{LIMIT} (429): You exceeded your current quota",
    ),
    "Gemini's key": (
        when(GEMINI, google(400, "INVALID_ARGUMENT", "API key not valid.")),
        f"{KEY} (400): API key not valid",
    ),
    "Groq's tokens per minute": (
        when(GROQ, fault(413, "Request too large for model", "rate_limit_exceeded")),
        "the request is too large for the provider (413): Request too large",
    ),
    "DeepSeek's balance": (
        when(DEEPSEEK, fault(402, "Insufficient Balance")),
        "the provider wants to be paid (402): Insufficient Balance",
    ),
    "Ollama's model has no tools": (
        when(OLLAMA, refused(400, {"error": "library/llama2:13b does not support tools"})),
        f"{REJECTED} (400): library/llama2:13b does not support tools",
    ),
    "vLLM has no parser of calls": (
        when(VLLM, fault(400, '"auto" tool choice requires --enable-auto-tool-choice')),
        f'{REJECTED} (400): "auto" tool choice requires',
    ),
    "the window of OpenAI": (
        when(OPENAI, fault(400, "maximum context length is 9", "context_length_exceeded")),
        WINDOW,
    ),
    "the window of Anthropic": (
        when(
            ANTHROPIC,
            anthropic(400, "invalid_request_error", "prompt is too long: 201000 tokens > 200000"),
        ),
        WINDOW,
    ),
    "the window of Claude's newer models": (
        when(ANTHROPIC, Turn("It", ending="model_context_window_exceeded")),
        WINDOW,
    ),
    "the window of Gemini": (
        when(
            GEMINI,
            google(
                400,
                "INVALID_ARGUMENT",
                "The input token count (1200293) exceeds the maximum number of tokens allowed "
                "(1048576).",
            ),
        ),
        WINDOW,
    ),
    "the window of vLLM": (
        when(
            VLLM,
            refused(
                400,
                {
                    "object": "error",
                    "message": "This model's maximum context length is 6048 tokens. However, you "
                    "requested 6616 tokens (568 in the messages, 6048 in the completion).",
                    "type": "BadRequestError",
                    "code": 400,
                },
            ),
        ),
        WINDOW,
    ),
    "the window of llama.cpp": (
        when(
            LLAMA_CPP,
            refused(
                400,
                {
                    "error": {
                        "code": 400,
                        "message": "request (4390 tokens) exceeds the available context size "
                        "(4096 tokens), try increasing it",
                        "type": "exceed_context_size_error",
                    }
                },
            ),
        ),
        WINDOW,
    ),
    "Azure's filter": (when(AZURE, Turn(ending="content_filter")), f"{POLICY} refuses"),
    "OpenAI's usage policy": (
        when(OPENAI, fault(400, "Invalid prompt: your prompt was flagged", "invalid_prompt")),
        f"{POLICY} refuses the conversation: Invalid prompt",
    ),
    "a filter that cuts off": (when(OPENAI, Turn("It", ending="content_filter")), POLICY),
    "Gemini's filter": (when(GEMINI, Turn("It", ending="SAFETY")), POLICY),
    "Gemini recites": (when(GEMINI, Turn(ending="RECITATION")), POLICY),
    "Gemini's filter of the prompt": (
        when(GEMINI, body({"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {}})),
        POLICY,
    ),
    "an error with status 200": (when(OPENAI, body({"error": {"message": "Down."}})), FAULT),
    "an error in a choice": (
        when(
            OPENAI, choices([{"index": 0, "message": {"content": "I"}, "finish_reason": "error"}])
        ),
        FAULT,
    ),
    "a page": (when(OPENAI, Response(200, b"<html>Log in</html>")), "the reply is not"),
    "half a reply": (
        when(OPENAI, Response(200, b'{"choices": [', promised=99)),
        "the connection failed",
    ),
    "no choices": (when(OPENAI, choices([])), "the reply has no choices"),
    "a broken connection": (when(OPENAI, RESET), "the connection failed"),
    "a closed connection": (when(OPENAI, CLOSE), "the connection failed"),
    "reasoning is not given back": (
        when(DEEPSEEK, fault(400, "The `reasoning_content` must be passed back to the API.")),
        f"{REJECTED} (400): The `reasoning_content` must be passed back",
    ),
}
"""What the provider did, with the beginning of the line that says so."""


@pytest.mark.parametrize("name", THINKS)
def test_its_thoughts_come_back(client: str, name: str) -> None:
    circumstance = THINKS[name]
    with StrictServer(circumstance.dialect, (*circumstance.answers, *REST)) as server:
        trial = play_trial(SHUT, server.agent(client, **circumstance.parameters))
        assert trial.outcome == "passed", trial.reason
        assert server.thoughts() == ["Thought 1.", "Thought 2.", "Thought 3."]


@pytest.mark.parametrize("name", PLAYS)
def test_it_plays(client: str, name: str) -> None:
    trial = played(PLAYS[name], client)
    assert trial.outcome == "passed", trial.reason


SAME: dict[str, tuple[Circumstance, ...]] = {
    "no such tool": tuple(when(d, called(("list_all", {}))) for d in (OPENAI, ANTHROPIC, GROQ)),
    # ha-groq-cloud-api#20
    "an argument of a wrong type": (
        *(when(d, called(("weigh", {"name": 3}))) for d in (OPENAI, ANTHROPIC, GEMINI)),
        when(GROQ, refused(400, {"error": REFUSED_BY_GROQ})),
    ),
    "an unreadable call": (
        *(when(d, called(("list_items", CUT))) for d in (LLAMA_CPP, GROQ, OLLAMA, GEMINI)),
        when(OPENAI, choice("tool_calls")),
    ),
}
"""Mistakes that are the same with every provider."""


@pytest.mark.parametrize("name", SAME)
def test_the_mistake_is_the_same_with_every_provider(client: str, name: str) -> None:
    trials = [played(circumstance, client) for circumstance in SAME[name]]
    first, *other_trials = [(trial.outcome, mistakes(trial), patterns(trial)) for trial in trials]
    assert first[0] == "passed"
    assert other_trials == [first] * len(other_trials)


@pytest.mark.parametrize("name", MODEL)
def test_it_is_the_model_s_mistake(client: str, name: str) -> None:
    """The model is told of it, and may do better."""
    trial = played(MODEL[name], client)
    assert trial.outcome == "passed", trial.reason
    assert len(mistakes(trial)) == 1


@pytest.mark.parametrize("name", FAILED)
def test_it_is_scored(client: str, name: str) -> None:
    trial = played(FAILED[name], client)
    assert trial.outcome == "failed", trial.reason


@pytest.mark.parametrize("name", OUTAGES)
def test_it_is_an_outage(client: str, name: str) -> None:
    circumstance, line = OUTAGES[name]
    trial = played(circumstance, client)
    assert (trial.outcome, trial.cause) == ("error", "provider"), trial.reason
    assert str(trial.reason).startswith(f"{client}{circumstance.dialect.model}: {line}")
