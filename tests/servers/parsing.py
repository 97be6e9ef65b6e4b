"""Servers that parse what the model writes, or the calls of earlier messages: Groq and local ones.

Sources: vllm#43995 and vllm PR#48922 (arguments of earlier calls), and in its documentation,
features/reasoning_outputs; llama.cpp#25510 and #24644, club-3090#1195 (status 500 for either);
smolagents#1119, mastra#9688 and pydantic-ai#4350 (Groq's ``tool_use_failed``), freellmapi#1070
(fields of messages that it does not know); ollama#17638 (what it cannot parse) and farfalle#89
(arguments as text).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .chat_completions import (
    assistants,
    check_order,
    error,
    reasoning,
    replying,
    thoughts_in,
)
from .strict import Dialect, RefusedError, Turn, demand, object_in, reading

_Body = Mapping[str, Any]


def _why(arguments: str) -> str:
    """Return why arguments are not a JSON object."""
    try:
        json.loads(arguments)
    except ValueError as problem:
        return str(problem)
    return "Can only get item pairs from a mapping."


def _earlier(request: _Body) -> str | None:
    """Return the first arguments of earlier calls that are not an object."""
    calls = (call for _, message in assistants(request) for call in message["tool_calls"])
    written = (call["function"]["arguments"] for call in calls)
    return next((arguments for arguments in written if object_in(arguments) is None), None)


def _check_vllm(request: _Body) -> None:
    if (arguments := _earlier(request)) is not None:
        raise RefusedError(_why(arguments), kind="BadRequestError")


def _error_of_vllm(refusal: RefusedError) -> dict[str, Any]:
    kind = refusal.kind or "BadRequestError"
    words = {"message": str(refusal), "type": kind, "param": None, "code": refusal.status}
    return {"error": words}


VLLM = Dialect(
    model="hosted_vllm/stub",
    base="/v1",
    path="/v1/chat/completions",
    key="authorization",
    check=_check_vllm,
    reply=replying(reasoning("reasoning")),
    error=_error_of_vllm,
    thoughts=thoughts_in("reasoning", "reasoning_content"),
)
OLD_VLLM = replace(VLLM, reply=replying(reasoning("reasoning_content")))
"""vLLM before it renamed the field of thoughts."""


def _check_llama_cpp(request: _Body) -> None:
    if (arguments := _earlier(request)) is not None:
        place = len(arguments) + 1
        raise RefusedError(
            "Failed to parse tool call arguments as JSON: [json.exception.parse_error.101] parse "
            f"error at line 1, column {place}: syntax error while parsing value",
            500,
        )


def _reply_of_llama_cpp(turn: Turn, number: int, request: _Body) -> dict[str, Any]:
    if (arguments := turn.malformed()) is not None:
        raise RefusedError(f"Failed to parse input at pos 11: <tool_call>{arguments}", 500)
    return replying(reasoning("reasoning_content"))(turn, number, request)


def _error_of_llama_cpp(refusal: RefusedError) -> dict[str, Any]:
    kind = "server_error" if refusal.status == 500 else "invalid_request_error"
    return {"error": {"code": refusal.status, "message": str(refusal), "type": kind}}


LLAMA_CPP = Dialect(
    model="openai/stub",
    base="/v1",
    path="/v1/chat/completions",
    key="authorization",
    check=_check_llama_cpp,
    reply=_reply_of_llama_cpp,
    error=_error_of_llama_cpp,
    thoughts=thoughts_in("reasoning_content"),
)

_GROQ_S = {"role", "content", "name", "tool_calls", "tool_call_id", "function_call", "reasoning"}


def _check_groq(request: _Body) -> None:
    check_order(request)
    for place, message in enumerate(request["messages"]):
        for field in sorted(message.keys() - _GROQ_S):
            raise RefusedError(
                f"'messages.{place}' : for 'role:{message['role']}' the following must be satisfied"
                f"[('messages.{place}' : property '{field}' is unsupported)]"
            )


def _reply_of_groq(turn: Turn, number: int, request: _Body) -> dict[str, Any]:
    known = {tool["function"]["name"] for tool in request.get("tools") or ()}
    for name, arguments in turn.written():
        if object_in(arguments) is None:
            raise RefusedError(
                "Failed to call a function. Please adjust your prompt. See 'failed_generation' for "
                "more details.",
                kind="tool_use_failed",
                failed_generation=f"<function={name}{arguments}",
            )
        if name not in known:
            raise RefusedError(
                f"tool call validation failed: attempted to call tool '{name}' which was not in "
                "request.tools",
                kind="tool_use_failed",
                failed_generation=json.dumps({"name": name, "arguments": json.loads(arguments)}),
            )
    answer = replying(reasoning("reasoning"))(turn, number, request)
    return {**answer, "service_tier": "on_demand"}


def _error_of_groq(refusal: RefusedError) -> dict[str, Any]:
    code = {"code": refusal.kind} if refusal.kind else {}
    words = {"message": str(refusal), "type": "invalid_request_error"}
    return {"error": {**words, **code, **refusal.fields}}


GROQ = Dialect(
    model="groq/stub",
    base="/openai/v1",
    path="/openai/v1/chat/completions",
    key="authorization",
    check=_check_groq,
    reply=_reply_of_groq,
    error=_error_of_groq,
    thoughts=thoughts_in("reasoning"),
)


def _check_ollama(request: _Body) -> None:
    for _, message in assistants(request):
        for call in message["tool_calls"]:
            demand(
                isinstance(call["function"]["arguments"], dict),
                "json: cannot unmarshal string into Go struct field ChatRequest.messages."
                "tool_calls.function.arguments of type api.ToolCallFunctionArguments",
            )


def _reply_of_ollama(turn: Turn, number: int, request: _Body) -> dict[str, Any]:
    if (arguments := turn.malformed()) is not None:
        problem = f"error parsing tool call: raw='{arguments}', err=unexpected end of JSON input"
        raise RefusedError(problem, 500)
    message: dict[str, Any] = {"role": "assistant", "content": turn.text}
    message["thinking"] = reading(turn, number)
    if turn.calls:
        functions = [{"name": name, "arguments": arguments} for name, arguments in turn.calls]
        message["tool_calls"] = [{"function": function} for function in functions]
    return {
        "model": request["model"],
        "created_at": "2025-03-14T16:00:00Z",
        "message": message,
        "done": True,
        "done_reason": turn.ending or "stop",
        "prompt_eval_count": 7,
        "eval_count": 3,
    }


OLLAMA = Dialect(
    model="ollama_chat/stub",
    base="",
    path="/api/chat",
    key="authorization",
    check=_check_ollama,
    reply=_reply_of_ollama,
    error=lambda refusal: {"error": str(refusal)},
    thoughts=thoughts_in("thinking"),
)
"""Ollama by its own API."""


def _as_completion(turn: Turn, number: int, request: _Body) -> dict[str, Any]:
    _reply_of_ollama(turn, number, request)
    return replying(reasoning("reasoning"))(turn, number, request)


OPENAI_OF_OLLAMA = replace(
    LLAMA_CPP,
    check=lambda _: None,
    reply=_as_completion,
    error=error,
    thoughts=thoughts_in("reasoning"),
)
"""Ollama by its imitation of OpenAI's."""
