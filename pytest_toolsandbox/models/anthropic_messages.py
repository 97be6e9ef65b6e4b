"""The messages API of Anthropic, from and to chat completions."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from .reasoning import answered_calls

Json = dict[str, Any]

_MAX_TOKENS: Final = 32_000
"""The default of the parameter that the API requires; all models from Claude 4 on accept it."""
_SYSTEM: Final = ("system", "developer")
_THOUGHTS: Final = ("thinking", "redacted_thinking")
_TRANSLATED: Final = (*_THOUGHTS, "text", "tool_use")
"""The types of blocks, in the order in which a chat completion has them."""
_CONTENT: Final = "content"
"""The key of blocks that it would lose or put into another order, among the
``provider_specific_fields`` of a message."""
_EMPTY: Final = "(empty)"
"""The API rejects texts without a word."""
_READ_OF_CALL: Final = {"id", "type", "function", "index"}
_READ_OF_BLOCK: Final = {"id", "type", "name", "input"}
_RENAMED: Final = {"max_completion_tokens": "max_tokens", "stop": "stop_sequences"}
_CHOICES: Final = {"auto": "auto", "none": "none", "required": "any"}


def message_request(request: Mapping[str, Any]) -> Json:
    """Return the body for a chat completion's request; further parameters pass as they are."""
    body = {_RENAMED.get(name, name): value for name, value in request.items()}
    messages = body.pop("messages")
    budget = (body.get("thinking") or {}).get("budget_tokens") or 0
    body.setdefault("max_tokens", _MAX_TOKENS + budget)
    body["messages"] = list(_turns(messages))
    if system := [b for m in messages if m["role"] in _SYSTEM for b in _blocks(m)]:
        body["system"] = system
    if "tools" in body:
        body["tools"] = [_tool(tool) for tool in body["tools"]]
    if choice := _tool_choice(body.pop("tool_choice", None), body.pop("parallel_tool_calls", None)):
        body["tool_choice"] = choice
    if isinstance(stop := body.get("stop_sequences"), str):
        body["stop_sequences"] = [stop]
    if user := body.pop("user", None):
        body["metadata"] = {"user_id": user}
    if effort := body.pop("reasoning_effort", None):
        body |= _thinking(effort)
    return body


def _thinking(effort: str) -> Json:
    if effort == "none":
        return {"thinking": {"type": "disabled"}}
    shown = {"type": "adaptive", "display": "summarized"}
    return {"thinking": shown, "output_config": {"effort": effort}}


def _turns(messages: Sequence[Mapping[str, Any]]) -> Iterator[Json]:
    """Yield the messages of the user and the assistant in turn; tool results are the user's."""
    turns: list[Json] = []
    for message in messages:
        if message["role"] in _SYSTEM:
            continue
        is_assistant = message["role"] == "assistant"
        role = "assistant" if is_assistant else "user"
        content = list(_assistant_blocks(message) if is_assistant else _blocks(message))
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] += content
        else:
            turns.append({"role": role, "content": content})
    for turn in turns:
        yield {**turn, "content": turn["content"] or [{"type": "text", "text": _EMPTY}]}


def _blocks(message: Mapping[str, Any]) -> Iterator[Json]:
    """Yield the content of a message that is not the model's."""
    content, cache_control = message.get("content"), _cache_control(message)
    if message["role"] == "tool":
        result = {"type": "tool_result", "tool_use_id": _identifier(message["tool_call_id"])}
        yield {**result, **({"content": content} if content else {}), **cache_control}
    elif isinstance(content, str):
        if content.strip():
            yield {"type": "text", "text": content, **cache_control}
    else:
        yield from content or ()  # blocks of this API


def _assistant_blocks(message: Mapping[str, Any]) -> Iterator[Json]:
    """Yield the content of a message of the model, as it wrote it: thoughts are signed."""
    uses = [*map(_tool_use, message.get("tool_calls") or ())]
    blocks = (message.get("provider_specific_fields") or {}).get(_CONTENT) or ()
    if blocks and _text(blocks) == (message.get("content") or ""):  # else a part was taken out
        yield from _own_blocks(blocks, uses)
        return
    texts = list(_blocks({**message, "role": "user"}))
    if texts or uses:
        yield from message.get("thinking_blocks") or ()
    yield from texts
    yield from uses


def _own_blocks(content: Sequence[Json], uses: Sequence[Json]) -> Iterator[Json]:
    """Yield the blocks of a message with the calls that were answered, in their places."""
    written = [_identifier(block["id"]) for block in content if block["type"] == "tool_use"]
    answered = iter(answered_calls(written, uses))
    for block in content:
        if block["type"] == "tool_use":
            yield from filter(None, (next(answered),))
        elif block["type"] != "text" or block["text"].strip():
            yield block


def _tool_use(call: Mapping[str, Any]) -> Json:
    """Return the block of a call, with the further fields that it had."""
    function = call["function"]
    arguments = json.loads(function["arguments"] or "{}")
    use = {"type": "tool_use", "id": _identifier(call["id"]), "name": function["name"]}
    further = {name: value for name, value in call.items() if name not in _READ_OF_CALL and value}
    return {**further, **use, "input": arguments}


def _identifier(text: str) -> str:
    """Return an id of a call with the characters that the API accepts."""
    return re.sub(r"[^a-zA-Z0-9_-]", "_", text) or "_"


def _cache_control(part: Mapping[str, Any]) -> Json:
    return {"cache_control": control} if (control := part.get("cache_control")) else {}


def _tool(tool: Mapping[str, Any]) -> Mapping[str, Any]:
    if "function" not in tool:  # one of the provider's own tools
        return tool
    function = tool["function"]
    schema = function.get("parameters") or {"type": "object", "properties": {}}
    described = {"description": function["description"]} if function.get("description") else {}
    cache_control = _cache_control(tool) or _cache_control(function)
    return {"name": function["name"], "input_schema": schema, **described, **cache_control}


def _tool_choice(choice: Any, parallel: bool | None) -> Json:
    if isinstance(choice, Mapping) and "function" in choice:
        chosen: Json = {"type": "tool", "name": choice["function"]["name"]}
    elif isinstance(choice, str):
        chosen = {"type": _CHOICES.get(choice, choice)}
    else:
        chosen = dict(choice or {})
    if parallel is not None and chosen.get("type") != "none":
        chosen = {"type": "auto", **chosen, "disable_parallel_tool_use": not parallel}
    return chosen


def chat_completion(body: Any) -> Json:
    """Return a reply as a chat completion, with its thoughts as ``thinking_blocks``."""
    content = body["content"]
    message: Json = {"role": "assistant", "content": _text(content) or None}
    if calls := [_call(block) for block in content if block["type"] == "tool_use"]:
        message["tool_calls"] = calls
    if thoughts := [block for block in content if block["type"] in _THOUGHTS]:
        message["thinking_blocks"] = thoughts
        message["reasoning_content"] = "".join(b.get("thinking") or "" for b in thoughts)
    if not _is_translated(content):
        message["provider_specific_fields"] = {_CONTENT: content}
    if details := body.get("stop_details"):
        message["refusal"] = details.get("explanation")
    choice = {"message": message, "finish_reason": body.get("stop_reason")}
    return {"choices": [choice], "usage": body.get("usage")}


def _text(content: Sequence[Json]) -> str:
    return "".join(block["text"] for block in content if block["type"] == "text")


def _is_translated(content: Sequence[Json]) -> bool:
    """Return whether a chat completion has all blocks, in their order."""
    kinds = [block["type"] for block in content]
    if not {*kinds} <= {*_TRANSLATED}:
        return False
    places = [max(_TRANSLATED.index(kind), len(_THOUGHTS) - 1) for kind in kinds]
    return places == sorted(places)


def _call(block: Mapping[str, Any]) -> Json:
    arguments = json.dumps(block["input"], ensure_ascii=False)
    function = {"name": block["name"], "arguments": arguments}
    further = {name: value for name, value in block.items() if name not in _READ_OF_BLOCK}
    return {**further, "id": block["id"], "type": "function", "function": function}
