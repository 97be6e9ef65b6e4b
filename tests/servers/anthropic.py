"""The messages API of Anthropic.

Sources: https://docs.claude.com/en/docs/build-with-claude/extended-thinking,
https://docs.claude.com/en/docs/agents-and-tools/tool-use/implement-tool-use, and the refusals in
pydantic-ai#2040, openai-agents-python#1704, claude-code#2697, #8210 and #63284, cai#182,
Antigravity-Manager#498 and anthropic-sdk-python#1598 (a signature is of its block's very text).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .strict import Dialect, RefusedError, Turn, demand, opened, reading, sealed

_LAST = (
    "Expected `thinking` or `redacted_thinking`, but found `{kind}`. When `thinking` is enabled, a "
    "final `assistant` message must start with a thinking block (preceeding the lastmost set of "
    "`tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous "
    "turns. To avoid this requirement, disable `thinking`. Please consult our documentation at "
    "https://docs.claude.com/en/docs/build-with-claude/extended-thinking"
)
_THOUGHTS = ("thinking", "redacted_thinking")


def _check(request: Mapping[str, Any]) -> None:
    demand(isinstance(request.get("max_tokens"), int), "max_tokens: Field required")
    messages: Sequence[Any] = request.get("messages") or ()
    demand(messages, "messages: at least one message is required")
    demand(messages[0]["role"] == "user", 'messages: first message must use the "user" role')
    contents = [_blocks(place, message) for place, message in enumerate(messages)]
    for place, content in enumerate(contents):
        for number, block in enumerate(content):
            _check_block(f"messages.{place}.content.{number}", block)
        _check_results(place, content, contents[place - 1] if place else [])
        _check_uses(place, content, contents[place + 1] if place + 1 < len(contents) else [])
    _check_settings(request)
    if _thinks(request):
        _check_last_thoughts(messages, contents)


def _blocks(place: int, message: Mapping[str, Any]) -> list[Any]:
    role, content = message["role"], message["content"]
    demand(
        role in ("user", "assistant"),
        f'messages: Unexpected role "{role}". The Messages API accepts a top-level `system` '
        'parameter, not "system" as an input message role.',
    )
    demand(content, f"messages.{place}: all messages must have non-empty content")
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def _check_block(place: str, block: Mapping[str, Any]) -> None:
    match block["type"]:
        case "text":
            demand(block["text"], "messages: text content blocks must be non-empty")
            demand(
                block["text"].strip(),
                "messages: text content blocks must contain non-whitespace text",
            )
        case "tool_use":
            is_object = isinstance(block.get("input"), dict)
            demand(is_object, f"{place}.tool_use.input: Input should be a valid dictionary")
            name = re.fullmatch(r"[a-zA-Z0-9_-]{1,128}", block["name"])
            demand(
                name,
                f"{place}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'",
            )
            identifier = re.fullmatch(r"[a-zA-Z0-9_-]+", block["id"])
            demand(
                identifier,
                f"{place}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
            )
        case "thinking":
            is_sealed = opened(block.get("signature")) == block["thinking"]
            demand(is_sealed, f"{place}: Invalid `signature` in `thinking` block")


def _check_uses(place: int, content: Sequence[Any], following: Sequence[Any]) -> None:
    """Each use has its result at the beginning of the next message."""
    results = set()
    for block in following:
        if block["type"] != "tool_result":
            break
        results.add(block["tool_use_id"])
    missing = [b["id"] for b in content if b["type"] == "tool_use" and b["id"] not in results]
    demand(
        not missing,
        f"messages.{place}: `tool_use` ids were found without `tool_result` blocks immediately "
        f"after: {', '.join(missing)}. Each `tool_use` block must have a corresponding "
        "`tool_result` block in the next message.",
    )


def _check_results(place: int, content: Sequence[Any], before: Sequence[Any]) -> None:
    uses = {block["id"] for block in before if block["type"] == "tool_use"}
    for number, block in enumerate(content):
        if block["type"] == "tool_result":
            demand(
                block["tool_use_id"] in uses,
                f"messages.{place}.content.{number}: unexpected `tool_use_id` found in "
                f"`tool_result` blocks: {block['tool_use_id']}. Each `tool_result` block must have "
                "a corresponding `tool_use` block in the previous message.",
            )


def _thinks(request: Mapping[str, Any]) -> bool:
    return (request.get("thinking") or {}).get("type") == "enabled"


def _check_settings(request: Mapping[str, Any]) -> None:
    if _thinks(request):
        budget = request["thinking"]["budget_tokens"]
        demand(
            request["max_tokens"] > budget,
            "`max_tokens` must be greater than `thinking.budget_tokens`",
        )
        demand(
            request.get("temperature", 1) == 1,
            "`temperature` may only be set to 1 when thinking is enabled.",
        )
        demand(
            (request.get("tool_choice") or {}).get("type") not in ("any", "tool"),
            "Thinking may not be enabled when tool_choice forces tool use.",
        )


def _check_last_thoughts(messages: Sequence[Any], contents: Sequence[Any]) -> None:
    """The last message that called tools begins with its thought."""
    if not any(block["type"] == "tool_result" for block in contents[-1]):
        return
    place = max(i for i, message in enumerate(messages) if message["role"] == "assistant")
    kind = contents[place][0]["type"]
    demand(kind in _THOUGHTS, f"messages.{place}.content.0.type: {_LAST.format(kind=kind)}")


def _reply(turn: Turn, number: int, request: Mapping[str, Any]) -> dict[str, Any]:
    content: list[dict[str, Any]] = []
    if _thinks(request) or turn.thought:
        thought = reading(turn, number)
        content.append({"type": "thinking", "thinking": thought, "signature": sealed(thought)})
    if turn.text:
        content.append({"type": "text", "text": turn.text})
    for place, (name, arguments) in enumerate(turn.calls):
        identifier = f"toolu_{number:02}_{place}"
        content.append({"type": "tool_use", "id": identifier, "name": name, "input": arguments})
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": "claude-stub",
        "content": content,
        "stop_reason": turn.ending or ("tool_use" if turn.calls else "end_turn"),
        "stop_sequence": None,
        "usage": {"input_tokens": 7, "output_tokens": 3},
    }


def _error(refusal: RefusedError) -> dict[str, Any]:
    kind = refusal.kind or "invalid_request_error"
    return {
        "type": "error",
        "error": {"type": kind, "message": str(refusal)},
        "request_id": "req_1",
    }


def _thoughts(request: Mapping[str, Any]) -> Iterator[str]:
    for message in request["messages"]:
        for block in message["content"] if isinstance(message["content"], list) else ():
            if block["type"] == "thinking":
                yield block["thinking"]


ANTHROPIC = Dialect(
    model="anthropic/claude-sonnet-4-5",
    base="",
    path="/v1/messages",
    key="x-api-key",
    check=_check,
    reply=_reply,
    error=_error,
    thoughts=_thoughts,
)
