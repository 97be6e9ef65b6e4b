"""The responses API of OpenAI, and its refusal of tools over chat completions.

Sources: https://platform.openai.com/docs/guides/reasoning (reasoning items come back before the
calls that follow them, encrypted if nothing is stored); the refusals in crush#2913,
LibreChat#14355, pgadmin4#9795 and openai-agents-python#1704.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .chat_completions import error
from .strict import Dialect, Turn, demand, opened, reading, sealed

_ELSEWHERE = (
    "Function tools with reasoning_effort are not supported for gpt-stub in /v1/chat/completions. "
    "To use function tools, use /v1/responses or set reasoning_effort to 'none'."
)
_KNOWN = {
    *("model", "input", "tools", "tool_choice", "store", "include", "reasoning"),
    *("max_output_tokens", "parallel_tool_calls"),
}


def _check(request: Mapping[str, Any]) -> None:
    demand("messages" not in request, _ELSEWHERE)
    for name in request:
        demand(name in _KNOWN, f"Unknown parameter: '{name}'.")
    for place, tool in enumerate(request.get("tools", ())):
        demand(tool.get("name"), f"Missing required parameter: 'tools[{place}].name'.")
        demand(tool["strict"] is False, f"Invalid schema for function '{tool['name']}'")
    _check_items(request["input"])


def _check_items(items: Sequence[Mapping[str, Any]]) -> None:
    answered = {item["call_id"] for item in items if item.get("type") == "function_call_output"}
    for place, item in enumerate(items):
        if item.get("type") != "function_call":
            continue
        call = item["call_id"]
        demand(re.fullmatch(r"[a-zA-Z0-9_-]+", item["name"]), f"Invalid 'input[{place}].name'")
        demand(call in answered, f"No tool output found for function call {call}.")
        before: Mapping[str, Any] = next(
            (i for i in reversed(items[:place]) if i.get("type") != "function_call"), {}
        )
        demand(
            before.get("type") in ("reasoning", "message") and _thought_before(items[:place]),
            f"Item '{call}' of type 'function_call' was provided without its required 'reasoning' "
            "item.",
        )


def _thought_before(items: Sequence[Mapping[str, Any]]) -> str | None:
    thoughts = [item for item in items if item.get("type") == "reasoning"]
    return opened(thoughts[-1].get("encrypted_content")) if thoughts else None


def _reply(turn: Turn, number: int, request: Mapping[str, Any]) -> dict[str, Any]:
    demand(request["include"] == ["reasoning.encrypted_content"], "nothing is included")
    thought: dict[str, Any] = {
        "type": "reasoning",
        "id": f"rs_{number}",
        "summary": [],
        "encrypted_content": sealed(reading(turn, number)),
        "status": None,
    }
    text = {"type": "output_text", "text": turn.text, "annotations": []}
    message = {"type": "message", "id": f"msg_{number}", "role": "assistant", "content": [text]}
    calls = [
        {
            "type": "function_call",
            "id": f"fc_{number}_{place}",
            "call_id": f"call_{number}_{place}",
            "name": name,
            "arguments": arguments,
        }
        for place, (name, arguments) in enumerate(turn.written())
    ]
    usage = {"input_tokens": 7, "output_tokens": 3, "total_tokens": 10}
    is_cut = turn.ending == "length"
    return {
        "id": f"resp_{number}",
        "object": "response",
        "status": "incomplete" if is_cut else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if is_cut else None,
        "error": None,
        "output": [thought, *([message] if turn.text else []), *calls],
        "usage": usage,
    }


def _thoughts(request: Mapping[str, Any]) -> Iterator[str]:
    for item in request.get("input", ()):
        if item.get("type") == "reasoning":
            yield opened(item["encrypted_content"]) or ""


RESPONSES = Dialect(
    model="openai/gpt-stub",
    base="/v1",
    path="/v1/(chat/completions|responses)",
    key="authorization",
    check=_check,
    reply=_reply,
    error=error,
    thoughts=_thoughts,
)
