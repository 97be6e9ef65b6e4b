"""Clients that give back all that the strict servers sent, by nothing but HTTP."""

from __future__ import annotations

import copy
import json
import urllib.error
import urllib.request
from typing import Any

from model_server import KEY

from .anthropic import ANTHROPIC
from .chat_completions import AZURE, DEEPSEEK, GEMINI_OPENAI, MOONSHOT, OPENAI
from .gemini import GEMINI, OPENROUTER
from .parsing import GROQ, LLAMA_CPP, OLD_VLLM, OLLAMA, OPENAI_OF_OLLAMA, VLLM
from .strict import StrictServer, Turn, called, replied

_PARAMETERS = {"type": "object", "properties": {"name": {"type": "string"}}, "required": []}
TOOLS = [{"type": "function", "function": {"name": "find", "parameters": _PARAMETERS}}]
SCRIPT = [
    called(("find", {"name": "Ada"})),
    Turn("Two more.", (("find", {"name": "Bo"}), ("find", {}))),
    *[called(("find", {"name": str(number)})) for number in range(8)],
    replied("Done."),
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
    results = [{"role": "tool", "tool_call_id": call.get("id"), "content": "ok"} for call in calls]
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


def add_contents(request: Request, answer: Any) -> bool:
    """Do the same for Gemini's contents."""
    content = answer["candidates"][0]["content"]
    names = [part["functionCall"]["name"] for part in content["parts"] if "functionCall" in part]
    responses = [{"functionResponse": {"name": name, "response": {"ok": 1}}} for name in names]
    request["contents"] += [content, {"role": "user", "parts": responses}]
    return bool(names)


def add_message(request: Request, answer: Any) -> bool:
    """Do the same for Ollama's messages."""
    return add_completion(request, {"choices": [answer]})


CHAT: Request = {"model": "stub", "messages": [{"role": "user", "content": "Go."}], "tools": TOOLS}
CONTENTS: Request = {
    "contents": [{"role": "user", "parts": [{"text": "Go."}]}],
    "tools": [{"functionDeclarations": [TOOLS[0]["function"]]}],
}
API = {
    "Anthropic": (ANTHROPIC, "/v1/messages", {**CHAT, **THINKING}, add_blocks),
    "DeepSeek": (DEEPSEEK, "/chat/completions", CHAT, add_completion),
    "Kimi": (MOONSHOT, "/chat/completions", CHAT, add_completion),
    "Gemini": (GEMINI, "/models/gemini-3-stub:generateContent", CONTENTS, add_contents),
    "Gemini's OpenAI": (GEMINI_OPENAI, "/chat/completions", CHAT, add_completion),
    "OpenRouter": (OPENROUTER, "/chat/completions", CHAT, add_completion),
    "OpenAI": (OPENAI, "/chat/completions", CHAT, add_completion),
    "Azure": (
        AZURE,
        "/openai/deployments/stub/chat/completions?api-version=2024-10-21",
        CHAT,
        add_completion,
    ),
    "vLLM": (VLLM, "/chat/completions", CHAT, add_completion),
    "an old vLLM": (OLD_VLLM, "/chat/completions", CHAT, add_completion),
    "llama.cpp": (LLAMA_CPP, "/chat/completions", CHAT, add_completion),
    "Groq": (GROQ, "/chat/completions", CHAT, add_completion),
    "Ollama": (OLLAMA, "/api/chat", CHAT, add_message),
    "Ollama's OpenAI": (OPENAI_OF_OLLAMA, "/chat/completions", CHAT, add_completion),
}
"""A dialect with the path, the first request and the rest of a client that gives all back."""
HIDDEN = ("OpenAI", "Azure")
"""Those that keep the thoughts to themselves."""


def play_client(name: str, server: StrictServer, turns: int) -> Request:
    """Return the next request after so many turns of a client that gives all back."""
    _, path, begin, add = API[name]
    request = copy.deepcopy(begin)
    for _ in range(turns):
        status, answer = post(server, path, request)
        assert status == 200, answer
        if not add(request, answer):
            break
    return request
