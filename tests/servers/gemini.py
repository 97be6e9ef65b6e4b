"""Gemini by its own API, ``generateContent``, and through OpenRouter.

Sources: https://ai.google.dev/gemini-api/docs/thought-signatures, https://ai.google.dev/api/caching
(the fields of a schema, the reasons to finish), gemini-cli#16984 and #26486 (order and number of
responses), GeminiDotnet#62, hermes-agent#83886 (malformed calls); for OpenRouter
https://openrouter.ai/docs/use-cases/reasoning-tokens, LibreChat-AI/agents#37 (the refusal) and
openrouter-examples#67 (a malformed call).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .chat_completions import assistants, check_signature, check_signatures, google_error, replying
from .strict import Dialect, RefusedError, Turn, demand, opened, reading, sealed

_Body = Mapping[str, Any]
_SCHEMA = {
    *(
        "type",
        "format",
        "title",
        "description",
        "nullable",
        "enum",
        "items",
        "maxItems",
        "minItems",
    ),
    *(
        "properties",
        "required",
        "minProperties",
        "maxProperties",
        "minLength",
        "maxLength",
        "pattern",
    ),
    *("example", "anyOf", "propertyOrdering", "default", "minimum", "maximum"),
}
"""The fields of a schema of parameters."""


def _check(request: _Body) -> None:
    contents: Sequence[Any] = request.get("contents") or ()
    demand(contents, "* GenerateContentRequest.contents: contents is not specified")
    for place, content in enumerate(contents):
        demand(
            content.get("parts"),
            f"* GenerateContentRequest.contents[{place}].parts: contents.parts must not be empty.",
        )
        demand(content["role"] in ("user", "model"), "Please use a valid role: user, model.")
    begin = max((i for i, c in enumerate(contents) if c["role"] == "user" and _says(c)), default=0)
    for place, content in enumerate(contents):
        calls = _named(content, "functionCall")
        if calls:
            _check_turn(contents, place)
        if calls and place > begin:  # Google checks the current turn
            signature = calls[0].get("thoughtSignature")
            check_signature(signature, calls[0]["functionCall"]["name"], place + 1)
    for tool in request.get("tools") or ():
        for function in tool.get("functionDeclarations") or tool.get("function_declarations") or ():
            _check_schema(function.get("parameters") or {}, function["name"])


def _says(content: _Body) -> bool:
    return any("text" in part for part in content["parts"])


def _named(content: _Body, kind: str) -> list[_Body]:
    return [part for part in content["parts"] if kind in part]


def _check_turn(contents: Sequence[_Body], place: int) -> None:
    """Calls stand behind the user's message or earlier responses, and before their own."""
    demand(
        place and contents[place - 1]["role"] == "user",
        "Please ensure that function call turn comes immediately after a user turn or after a "
        "function response turn.",
    )
    calls = [part["functionCall"] for part in _named(contents[place], "functionCall")]
    following = contents[place + 1] if place + 1 < len(contents) else {"parts": ()}
    names = [p["functionResponse"]["name"] for p in _named(following, "functionResponse")]
    demand(
        [call["name"] for call in calls] == names,
        "Please ensure that the number of function response parts is equal to the number of "
        "function call parts of the function call turn.",
    )
    for call in calls:
        is_object = isinstance(call.get("args", {}), dict)
        demand(is_object, "Invalid value at 'function_call.args' (type.googleapis.com/…/Struct)")


def _check_schema(schema: _Body, name: str) -> None:
    for field in schema.keys() - _SCHEMA:
        raise RefusedError(
            f'Invalid JSON payload received. Unknown name "{field}" at \'tools[0].'
            f"function_declarations[{name}].parameters': Cannot find field."
        )
    items = [schema["items"]] if "items" in schema else []
    for part in (*schema.get("properties", {}).values(), *items, *schema.get("anyOf", ())):
        _check_schema(part, name)


def _reply(turn: Turn, number: int, _: _Body) -> dict[str, Any]:
    parts: list[dict[str, Any]] = [{"text": turn.text}] if turn.text else []
    candidate: dict[str, Any] = {"index": 0, "finishReason": turn.ending or "STOP"}
    if turn.malformed() is not None:
        written = ", ".join(f"{name}({arguments})" for name, arguments in turn.written())
        message = f"Malformed function call: print(default_api.{written})"
        candidate |= {"finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": message}
    else:
        for place, (name, arguments) in enumerate(turn.calls):
            signed = {} if place else {"thoughtSignature": sealed(reading(turn, number))}
            parts.append({"functionCall": {"name": name, "args": arguments}, **signed})
    content = {"parts": parts, "role": "model"} if parts else {"role": "model"}
    usage = {"promptTokenCount": 7, "candidatesTokenCount": 3, "totalTokenCount": 10}
    return {
        "candidates": [{"content": content, **candidate}],
        "usageMetadata": usage,
        "modelVersion": "gemini-stub",
        "responseId": f"reply-{number}",
    }


def _thoughts(request: _Body) -> Iterator[str]:
    for content in request["contents"]:
        for part in content["parts"]:
            if (thought := opened(part.get("thoughtSignature"))) is not None:
                yield thought


GEMINI = Dialect(
    model="gemini/gemini-3-stub",
    base="/v1beta",
    path=r"/v1beta/models/gemini-3-stub:generateContent(\?key=.*)?",
    key="x-goog-api-key",
    check=_check,
    reply=_reply,
    error=google_error,
    thoughts=_thoughts,
)


def _detail(turn: Turn, number: int, message: dict[str, Any]) -> list[dict[str, Any]]:
    thought = reading(turn, number)
    common_fields = {"format": "google-gemini-v1", "index": 0}
    words = {"type": "reasoning.text", "text": thought, **common_fields}
    identifiers = [call["id"] for call in message.get("tool_calls", ())[:1]]
    return [
        words,
        *(
            {
                "type": "reasoning.encrypted",
                "data": sealed(thought),
                "id": identifier,
                **common_fields,
            }
            for identifier in identifiers
        ),
    ]


def _extend(message: dict[str, Any], turn: Turn, number: int) -> None:
    message |= {
        "reasoning": reading(turn, number),
        "reasoning_details": _detail(turn, number, message),
    }


def _reply_of_openrouter(turn: Turn, number: int, request: _Body) -> dict[str, Any]:
    if turn.malformed() is None:
        return replying(_extend)(turn, number, request)
    answer = replying(_extend)(Turn(ending="error"), number, request)
    answer["choices"][0]["native_finish_reason"] = "MALFORMED_FUNCTION_CALL"
    return answer


def _encrypted(message: _Body) -> dict[str, Any]:
    """Return the signatures of a message by the identifiers of its calls."""
    details = message.get("reasoning_details") or ()
    return {d["id"]: d["data"] for d in details if d["type"] == "reasoning.encrypted"}


def _check_openrouter(request: _Body) -> None:
    check_signatures(request, lambda m: _encrypted(m).get(m["tool_calls"][0]["id"]))


def _error_of_openrouter(refusal: RefusedError) -> dict[str, Any]:
    if refusal.status != 400:
        return {"error": {"message": str(refusal), "code": refusal.status}}
    raw = (
        "Gemini models require OpenRouter reasoning details to be preserved in each request. "
        "Please refer to our docs: https://openrouter.ai/docs/use-cases/reasoning-tokens"
        f"#preserving-reasoning-blocks. Upstream error: {json.dumps(google_error(refusal))}"
    )
    metadata = {"raw": raw, "provider_name": "Google AI Studio"}
    return {"error": {"message": "Provider returned error", "code": 400, "metadata": metadata}}


def _thoughts_of_openrouter(request: _Body) -> Iterator[str]:
    for _, message in assistants(request):
        yield from filter(None, map(opened, _encrypted(message).values()))


OPENROUTER = Dialect(
    model="openrouter/google/gemini-3-stub",
    base="/api/v1",
    path="/api/v1/chat/completions",
    key="authorization",
    check=_check_openrouter,
    reply=_reply_of_openrouter,
    error=_error_of_openrouter,
    thoughts=_thoughts_of_openrouter,
)
