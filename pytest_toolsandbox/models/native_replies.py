"""Replies of Anthropic and Gemini as chat completions, if litellm cannot read them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any


def as_completion(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a provider's reply in OpenAI's form, which most have already.

    Raises ``LookupError``, ``TypeError`` or ``AttributeError`` for another object.
    """
    if "choices" in body:
        return body
    if "candidates" in body:
        answers = body["candidates"]
        contents = [answer.get("content") or {} for answer in answers]
        parts = [[*_parts(content.get("parts") or ())] for content in contents]
    else:
        parts = [[*_blocks(body["content"])]]
    choices = [{"message": _message(each), "finish_reason": None} for each in parts]
    return {**body, "choices": choices}


_Part = tuple[str, Any, Any]
"""A text, or else the name and the arguments of a call, with its identifier in the first place."""


def _parts(parts: Sequence[Mapping[str, Any]]) -> Iterator[_Part]:
    """Yield the parts of a reply of Gemini, without its thoughts."""
    for place, part in enumerate(parts):
        if call := part.get("functionCall"):
            yield call.get("id") or f"call_{place}", call["name"], call.get("args")
        elif not part.get("thought"):
            yield part.get("text", ""), None, None


def _blocks(blocks: Sequence[Mapping[str, Any]]) -> Iterator[_Part]:
    """Yield the blocks of a reply of Anthropic, without its thoughts."""
    for block in blocks:
        if block["type"] == "tool_use":
            yield block["id"], block["name"], block["input"]
        elif block["type"] == "text":
            yield block["text"], None, None


def _message(parts: Sequence[_Part]) -> dict[str, Any]:
    texts = [text for text, name, _ in parts if name is None]
    calls = [
        {
            "id": identifier,
            "type": "function",
            "function": {
                "name": name,
                "arguments": json.dumps({} if arguments is None else arguments),
            },
        }
        for identifier, name, arguments in parts
        if name is not None
    ]
    return {"role": "assistant", "content": "".join(texts), "tool_calls": calls or None}
