"""The package's agent in conversations with strict servers."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import pytest
from pantry import scenario
from servers.anthropic import ANTHROPIC
from servers.chat_completions import AZURE, DEEPSEEK, GEMINI_OPENAI, MOONSHOT, OPENAI
from servers.clients import SCRIPT, THINKING, TOOLS
from servers.gemini import GEMINI, OPENROUTER
from servers.parsing import GROQ, LLAMA_CPP, OLD_VLLM, OLLAMA, OPENAI_OF_OLLAMA, VLLM
from servers.strict import Dialect, StrictServer, Turn, called, replied

from pytest_toolsandbox import play_trial
from pytest_toolsandbox.models.errors import ProviderError

BEGIN: list[dict[str, Any]] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Go."},
]


def talk(server: StrictServer, client: str, turns: int, **parameters: Any) -> list[dict[str, Any]]:
    """Return the messages of so many replies of the agent, whose calls are all answered."""
    agent = server.agent(client, **parameters)
    messages = copy.deepcopy(BEGIN)
    for _ in range(turns):
        reply = agent(messages, TOOLS)
        calls = reply.get("tool_calls", [])
        results = [{"role": "tool", "tool_call_id": c["id"], "content": "ok"} for c in calls]
        messages += [reply, *results]
    return messages


PLAYED: dict[str, tuple[Dialect, Mapping[str, Any]]] = {
    "Anthropic that does not think": (ANTHROPIC, {}),
    "DeepSeek that does not think": (DEEPSEEK, {"thinking": {"type": "disabled"}}),
    "Gemini": (GEMINI, {}),
    "OpenAI": (OPENAI, {}),
    "Azure": (AZURE, {}),
    "vLLM": (VLLM, {}),
    "an old vLLM": (OLD_VLLM, {}),
    "llama.cpp": (LLAMA_CPP, {}),
    "Groq": (GROQ, {}),
    "Ollama": (OLLAMA, {}),
    "Ollama's OpenAI": (OPENAI_OF_OLLAMA, {}),
}


@pytest.mark.parametrize("name", PLAYED)
def test_eleven_calls(client: str, name: str) -> None:
    dialect, parameters = PLAYED[name]
    with StrictServer(dialect, SCRIPT) as server:
        messages = talk(server, client, len(SCRIPT), **parameters)
        assert server.refusals == []
    assert messages[-1]["content"] == "Done."
    assert sum(message["role"] == "tool" for message in messages) == 11


NINE_TURNS = scenario("""
user:
  opening: Shut the door.
  replies: [{when: ".*", say: Go on.}, {when: ".*", say: Go on.}, {when: ".*", say: Is it shut?}]
milestones: {door_shut: {state: {door: {open: false}}}}
""")
LIST: tuple[str, Any] = ("list_items", {})
EVERYTHING = (
    called(LIST),
    replied("I have looked."),
    replied(""),
    replied("  "),
    Turn("A moment.", (LIST, LIST)),
    called(("list items!", {})),
    called(("x" * 200, {})),
    called(("", {})),
    called(LIST, ("close_door", {})),
    *[replied("It is shut.")] * 3,
)
"""What models do that servers may not want back: nothing, blanks, names that they refuse."""
EVERY: dict[str, tuple[Dialect, Mapping[str, Any]]] = {
    **PLAYED,
    "Anthropic": (ANTHROPIC, THINKING),
    "DeepSeek": (DEEPSEEK, {}),
    "Kimi": (MOONSHOT, {}),
    "Gemini's OpenAI": (GEMINI_OPENAI, {}),
    "OpenRouter": (OPENROUTER, {}),
}


@pytest.mark.parametrize("name", EVERY)
def test_a_conversation_with_everything(client: str, name: str) -> None:
    dialect, parameters = EVERY[name]
    with StrictServer(dialect, EVERYTHING) as server:
        trial = play_trial(NINE_TURNS, server.agent(client, **parameters))
        assert trial.outcome == "passed", trial.reason
        mistakes = 3 if dialect is GROQ else 0  # which it refuses itself
        assert len(server.refusals) == mistakes


CUT = '{"name": "A'
MALFORMED: dict[str, tuple[Dialect, str]] = {
    "OpenAI": (OPENAI, CUT),
    "vLLM": (VLLM, CUT),
    "llama.cpp": (LLAMA_CPP, f"<tool_call>{CUT}"),
    "Groq": (GROQ, f"<function=find{CUT}"),
    "Ollama": (OLLAMA, CUT),
    "Ollama's OpenAI": (OPENAI_OF_OLLAMA, CUT),
    "Gemini": (GEMINI, f"Malformed function call: print(default_api.find({CUT}))"),
}
"""What a model's malformed call is written as, in each dialect."""


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_call_is_the_model_s(client: str, name: str) -> None:
    dialect, written = MALFORMED[name]
    with StrictServer(dialect, [called(("find", CUT)), replied("Done.")]) as server:
        messages = talk(server, client, 2)
    assert messages[2]["tool_calls"][0]["function"]["arguments"] == written
    assert messages[-1]["content"] == "Done."


def test_gemini_gets_its_malformed_call_back_over_its_openai_endpoint(client: str) -> None:
    """Its text is not sent there, and a call without a signature would be refused."""
    ending = Turn(ending="function_call_filter: MALFORMED_FUNCTION_CALL")
    with StrictServer(GEMINI_OPENAI, [called(("find", {})), ending, replied("Done.")]) as server:
        messages = talk(server, client, 3)
        assert server.refusals == []
    assert messages[4]["tool_calls"][0]["function"]["arguments"] == ""
    assert messages[-1]["content"] == "Done."


def test_a_filter_of_azure_is_the_provider_s(client: str) -> None:
    with (
        StrictServer(AZURE, [Turn(ending="content_filter")]) as server,
        pytest.raises(ProviderError, match="content policy refuses the conversation: The resp"),
    ):
        talk(server, client, 1)
