"""Chat completions as OpenAI has them, and as its imitators differ from it.

Sources: agno#5382 (identifiers of 40 characters), semantic-kernel#4428 (Azure's filter);
https://api-docs.deepseek.com/guides/thinking_mode (if a tool was called between two messages of the
user, the reasoning of all messages between them must come back in all later requests), with the
refusal in Newelle#404, openclaw#73417 (also of a last answer without calls) and hermes-agent#18263
(an empty text is refused, a blank is not), DeepSeek-V3#1376 (forced tools); continue#11600 and
oh-my-pi#1077 (Kimi);
https://ai.google.dev/gemini-api/docs/thought-signatures (the first of parallel calls, in all of the
current turn) and autogen#7136 (errors in a list).
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .strict import Dialect, RefusedError, Turn, demand, opened, reading, sealed

_Body = Mapping[str, Any]
_Message = dict[str, Any]


def check_order(request: _Body) -> None:
    """Refuse calls without their answers, and answers without their call, as OpenAI does."""
    open_calls: list[str] = []
    for message in request["messages"]:
        if message["role"] == "tool":
            demand(
                message["tool_call_id"] in open_calls,
                "Invalid parameter: messages with role 'tool' must be a response to a preceeding "
                "message with 'tool_calls'.",
            )
            open_calls.remove(message["tool_call_id"])
            continue
        _demand_answers(open_calls)
        open_calls = [call["id"] for call in message.get("tool_calls") or ()]
        for call in message.get("tool_calls") or ():
            demand(
                isinstance(call["function"]["arguments"], str),
                "Invalid type for 'function.arguments': expected a string, but got another one.",
            )
    _demand_answers(open_calls)


def _demand_answers(open_calls: Sequence[str]) -> None:
    demand(
        not open_calls,
        "An assistant message with 'tool_calls' must be followed by tool messages responding to "
        "each 'tool_call_id'. The following tool_call_ids did not have response messages: "
        f"{', '.join(open_calls)}",
    )


def replying(extend: Callable[[_Message, Turn, int], None]) -> Callable[..., dict[str, Any]]:
    """Return what writes a completion, whose message ``extend`` adds the provider's own to."""

    def reply(turn: Turn, number: int, request: _Body) -> dict[str, Any]:
        message: _Message = {"role": "assistant", "content": turn.text or None}
        if turn.calls:
            message["tool_calls"] = [
                {
                    "id": f"call_{number:02}_{place}",
                    "type": "function",
                    "function": {"name": name, "arguments": arguments},
                }
                for place, (name, arguments) in enumerate(turn.written())
            ]
        extend(message, turn, number)
        usual = "tool_calls" if turn.calls else "stop"
        choice = {"index": 0, "message": message, "finish_reason": turn.ending or usual}
        return {
            "id": f"chatcmpl-{number}",
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": request.get("model", "stub"),
            "choices": [choice],
            "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
        }

    return reply


def error(refusal: RefusedError) -> dict[str, Any]:
    """Return an error in OpenAI's shape."""
    kind = refusal.kind or "invalid_request_error"
    return {"error": {"message": str(refusal), "type": kind, "param": None, "code": kind}}


def reasoning(name: str) -> Callable[[_Message, Turn, int], None]:
    """Return what puts the thought into a field of the message."""

    def extend(message: _Message, turn: Turn, number: int) -> None:
        message[name] = reading(turn, number)

    return extend


def assistants(request: _Body) -> Iterator[tuple[int, _Body]]:
    """Yield the messages of the model with calls, and their places."""
    for place, message in enumerate(request["messages"]):
        if message["role"] == "assistant" and message.get("tool_calls"):
            yield place, message


def thoughts_in(*names: str) -> Callable[[_Body], Iterator[str]]:
    """Return what reads the thoughts in a field of the messages."""

    def thoughts(request: _Body) -> Iterator[str]:
        for message in request["messages"]:
            yield from filter(None, map(message.get, names))

    return thoughts


def _check_openai(request: _Body) -> None:
    check_order(request)
    for place, message in assistants(request):
        for number, call in enumerate(message["tool_calls"]):
            where = f"Invalid 'messages[{place}].tool_calls[{number}]"
            length = len(call["id"])
            demand(
                length <= 40,
                f"{where}.id': string too long. Expected a string with maximum length 40, but got "
                f"a string with length {length} instead.",
            )
            demand(
                re.fullmatch("[a-zA-Z0-9_-]{1,64}", call["function"]["name"]),
                f"{where}.function.name': string does not match pattern. Expected a string that "
                "matches the pattern '^[a-zA-Z0-9_-]+$'.",
            )


def _nothing(message: _Message, turn: Turn, number: int) -> None:
    """Add nothing: OpenAI keeps the thoughts to itself."""


OPENAI = Dialect(
    model="openai/stub",
    base="/v1",
    path="/v1/chat/completions",
    key="authorization",
    check=_check_openai,
    reply=replying(_nothing),
    error=error,
    thoughts=thoughts_in(),
)


def _reply_of_azure(turn: Turn, number: int, request: _Body) -> dict[str, Any]:
    if turn.ending != "content_filter":
        return replying(_nothing)(turn, number, request)
    raise RefusedError(
        "The response was filtered due to the prompt triggering Azure OpenAI's content management "
        "policy. Please modify your prompt and retry. To learn more about our content filtering "
        "policies please read our documentation: https://go.microsoft.com/fwlink/?linkid=2198766",
        kind="content_filter",
    )


def _error_of_azure(refusal: RefusedError) -> dict[str, Any]:
    if refusal.kind != "content_filter":
        return {"error": {"code": str(refusal.status), "message": str(refusal)}}
    results = {"violence": {"filtered": True, "severity": "medium"}}
    inner = {"code": "ResponsibleAIPolicyViolation", "content_filter_result": results}
    words = {"message": str(refusal), "code": refusal.kind, "status": refusal.status}
    return {"error": {**words, "type": None, "param": "prompt", "innererror": inner}}


AZURE = Dialect(
    model="azure/stub",
    base="",
    path=r"/openai/deployments/stub/chat/completions\?api-version=2024-10-21",
    key="api-key",
    check=_check_openai,
    reply=_reply_of_azure,
    error=_error_of_azure,
    thoughts=thoughts_in(),
    parameters={"api_version": "2024-10-21"},
)

_MISSING_REASONING = "The `reasoning_content` in the thinking mode must be passed back to the API."


def _forces_a_tool(request: _Body) -> bool:
    return request.get("tool_choice") not in (None, "auto", "none")


def _check_deepseek(request: _Body) -> None:
    check_order(request)
    if (request.get("thinking") or {}).get("type") == "disabled":
        return
    demand(not _forces_a_tool(request), "Thinking mode does not support this tool_choice")
    for turn in _between_users(request["messages"]):
        if any(message.get("tool_calls") for message in turn):
            complete = all(m.get("reasoning_content") for m in turn if m["role"] == "assistant")
            demand(complete, _MISSING_REASONING)


def _between_users(messages: Sequence[_Body]) -> Iterator[list[_Body]]:
    """Yield the messages between those of the user."""
    turn: list[_Body] = []
    for message in messages:
        if message["role"] == "user":
            yield turn
            turn = []
        else:
            turn.append(message)
    yield turn


DEEPSEEK = Dialect(
    model="deepseek/deepseek-reasoner",
    base="",
    path="(/beta|/v1)?/chat/completions",
    key="authorization",
    check=_check_deepseek,
    reply=replying(reasoning("reasoning_content")),
    error=error,
    thoughts=thoughts_in("reasoning_content"),
)


def _check_moonshot(request: _Body) -> None:
    check_order(request)
    demand(
        not _forces_a_tool(request),
        "tool_choice 'specified' is incompatible with thinking enabled",
    )
    for place, message in assistants(request):
        demand(
            message.get("reasoning_content"),
            "thinking is enabled but reasoning_content is missing in assistant tool call message "
            f"at index {place}",
        )


MOONSHOT = Dialect(
    model="moonshot/kimi-k2-thinking",
    base="/v1",
    path="/v1/chat/completions",
    key="authorization",
    check=_check_moonshot,
    reply=replying(reasoning("reasoning_content")),
    error=error,
    thoughts=thoughts_in("reasoning_content"),
)

MISSING_SIGNATURE = (
    "Function call is missing a thought_signature in functionCall parts. This is required for "
    "tools to work correctly, and missing thought_signature may lead to degraded model "
    "performance. Additional data, function call `default_api:{name}` , position {place}. Please "
    "refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details."
)
UNCHECKED = ("skip_thought_signature_validator", "context_engineering_is_the_way_to_go")
"""What Google's documentation lets others put in a signature's place, in base64 or not."""


def check_signature(signature: Any, name: str, place: int) -> None:
    """Refuse a call whose signature is missing or not one of the server's."""
    demand(signature, MISSING_SIGNATURE.format(name=name, place=place))
    is_unchecked = signature in (*UNCHECKED, *map(_base64, UNCHECKED))
    is_own = is_unchecked or opened(signature) is not None
    demand(is_own, "Corrupted thought signature.")


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _sign(message: _Message, turn: Turn, number: int) -> None:
    for call in message.get("tool_calls", ())[:1]:  # Google signs the first of parallel calls alone
        signature = {"google": {"thought_signature": sealed(reading(turn, number))}}
        call["extra_content"] = signature


def _signature(call: _Body) -> Any:
    return ((call.get("extra_content") or {}).get("google") or {}).get("thought_signature")


def check_signatures(request: _Body, signature: Callable[[_Body], Any]) -> None:
    """Refuse a call of the current turn, the first of parallel ones, without its signature."""
    check_order(request)
    messages = [message for message in request["messages"] if message["role"] != "system"]
    begin = max((i for i, m in enumerate(messages) if m["role"] == "user"), default=0)
    for place, message in assistants({"messages": messages}):
        if place > begin:
            call = message["tool_calls"][0]
            check_signature(signature(message), call["function"]["name"], place + 1)


def _check_gemini(request: _Body) -> None:
    check_signatures(request, lambda message: _signature(message["tool_calls"][0]))


def google_error(refusal: RefusedError) -> dict[str, Any]:
    """Return an error in Google's shape."""
    status = {401: "UNAUTHENTICATED", 404: "NOT_FOUND"}.get(refusal.status, "INVALID_ARGUMENT")
    return {"error": {"code": refusal.status, "message": str(refusal), "status": status}}


def _signatures(request: _Body) -> Iterator[str]:
    for _, message in assistants(request):
        yield from filter(None, map(opened, map(_signature, message["tool_calls"])))


GEMINI_OPENAI = Dialect(
    model="openai/gemini-stub",
    base="/v1beta/openai",
    path="/v1beta/openai/chat/completions",
    key="authorization",
    check=_check_gemini,
    reply=replying(_sign),
    error=lambda refusal: [google_error(refusal)],
    thoughts=_signatures,
)
