"""Chat completions as OpenAI has them, and as its imitators differ from it.

Sources: https://api-docs.deepseek.com/guides/thinking_mode (if a tool was called between two
messages of the user, the reasoning of all messages between them must come back in all later
requests), with the refusal in Newelle#404, openclaw#73417 (also of a last answer without calls) and
hermes-agent#18263 (an empty text is refused, a blank is not);
https://ai.google.dev/gemini-api/docs/thought-signatures (the first of parallel calls, in all of the
current turn) and autogen#7136 (errors in a list).
"""

from __future__ import annotations

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


_MISSING_REASONING = "The `reasoning_content` in the thinking mode must be passed back to the API."


def _check_deepseek(request: _Body) -> None:
    check_order(request)
    if (request.get("thinking") or {}).get("type") == "disabled":
        return
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

MISSING_SIGNATURE = (
    "Function call is missing a thought_signature in functionCall parts. This is required for "
    "tools to work correctly, and missing thought_signature may lead to degraded model "
    "performance. Additional data, function call `default_api:{name}` , position {place}. Please "
    "refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details."
)
UNCHECKED = ("skip_thought_signature_validator", "context_engineering_is_the_way_to_go")
"""What Google's documentation lets others put in a signature's place."""


def check_signature(signature: Any, name: str, place: int) -> None:
    """Refuse a call whose signature is missing or not one of the server's."""
    demand(signature, MISSING_SIGNATURE.format(name=name, place=place))
    is_own = signature in UNCHECKED or opened(signature) is not None
    demand(is_own, "Thought signature is not valid")


def _sign(message: _Message, turn: Turn, number: int) -> None:
    for call in message.get("tool_calls", ())[:1]:  # Google signs the first of parallel calls alone
        own = {"google": {"thought_signature": sealed(reading(turn, number))}}
        call["extra_content"] = own


def _signature(call: _Body) -> Any:
    return ((call.get("extra_content") or {}).get("google") or {}).get("thought_signature")


def _check_gemini(request: _Body) -> None:
    check_order(request)
    messages = request["messages"]
    begin = max((i for i, m in enumerate(messages) if m["role"] == "user"), default=0)
    for place, message in assistants(request):
        call = message["tool_calls"][0]
        if place > begin:  # Google checks the current turn
            systems = sum(message["role"] == "system" for message in messages[:place])
            check_signature(_signature(call), call["function"]["name"], place + 1 - systems)


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
