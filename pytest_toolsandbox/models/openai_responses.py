"""The responses API of OpenAI, from and to chat completions.

Its newer models take no tools over chat completions while they reason, which some always do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from .reasoning import answered_calls

Json = dict[str, Any]

_RENAMED: Final = {
    "max_tokens": "max_output_tokens",
    "max_completion_tokens": "max_output_tokens",
}
_REASONING: Final = "reasoning"
_OUTPUT: Final = "output"
"""The key of the provider's own items, among the ``provider_specific_fields`` of a message."""


def response_request(request: Mapping[str, Any]) -> Json:
    """Return the body for a chat completion's request; further parameters pass as they are."""
    body = {_RENAMED.get(name, name): value for name, value in request.items()}
    body.pop("seed", None)  # this API has none
    items = [item for message in body.pop("messages") for item in _items(message)]
    # Reasoning comes back encrypted with each request, as nothing is stored.
    body |= {"input": items, "store": False, "include": ["reasoning.encrypted_content"]}
    if "tools" in body:
        body["tools"] = [_tool(tool) for tool in body["tools"]]
    choice = body.get("tool_choice")
    if isinstance(choice, Mapping) and "function" in choice:
        body["tool_choice"] = {"type": "function", "name": choice["function"]["name"]}
    if effort := body.pop("reasoning_effort", None):
        body["reasoning"] = {"effort": effort, **body.get("reasoning", {})}
    return body


def _tool(tool: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a tool; strict ones, the default of this API, may not have optional arguments."""
    if "function" not in tool:
        return tool
    return {"type": "function", "strict": False, **tool["function"]}


def _items(message: Mapping[str, Any]) -> Iterator[Json]:
    """Yield the items of a message: of the model's own message those that it consists of."""
    role, content = message["role"], message.get("content")
    calls = message.get("tool_calls") or ()
    if role == "tool":
        call = message["tool_call_id"]
        yield {"type": "function_call_output", "call_id": call, "output": content or ""}
    elif items := _followed((message.get("provider_specific_fields") or {}).get(_OUTPUT), calls):
        yield from items
    else:
        if content or not calls:
            yield {"role": role, "content": content or ""}
        for call in calls:
            yield {"type": "function_call", "call_id": call["id"], **call["function"]}


def _followed(output: Sequence[Json] | None, calls: Sequence[Json]) -> list[Json]:
    """Return the items of a message that go back, without calls that were not answered.

    The API refuses reasoning that nothing follows, as it is in a reply that was cut off.
    """
    output = output or ()
    answered = iter(answered_calls([i["call_id"] for i in output if "call_id" in i], calls))
    items = []
    for item in output:
        known = {name: value for name, value in item.items() if value is not None}
        if "call_id" not in item:
            items.append(known)
        elif call := next(answered):
            items.append({**known, "call_id": call["id"], **call["function"]})
    while items and items[-1].get("type") == _REASONING:
        items.pop()
    return items


def chat_completion(body: Any) -> Json:
    """Return a reply as a chat completion, with its items for the next request."""
    output = body["output"]
    parts = [part for item in output if item["type"] == "message" for part in item["content"]]
    text = "".join(part["text"] for part in parts if part["type"] == "output_text")
    refusal = "".join(part["refusal"] for part in parts if part["type"] == "refusal")
    message: Json = {"role": "assistant", "content": text or None, "refusal": refusal or None}
    calls = [_call(item) for item in output if item["type"] == "function_call"]
    if calls:
        message["tool_calls"] = calls
    message["provider_specific_fields"] = {_OUTPUT: output}
    reason = (body.get("incomplete_details") or {}).get("reason")
    choice = {"message": message, "finish_reason": reason or body.get("status")}
    return {"choices": [choice], "usage": body.get("usage")}


def _call(item: Mapping[str, Any]) -> Json:
    function = {"name": item["name"], "arguments": item["arguments"]}
    return {"id": item["call_id"], "type": "function", "function": function}
