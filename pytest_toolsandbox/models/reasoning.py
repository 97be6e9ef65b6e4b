"""What a model wants back with its messages: its thoughts, signatures and other fields of its API.

``whole_message`` keeps them beside the text and the calls; ``as_sent`` is the message that goes
back. ``reasoning_in`` says whether an agent thought before its message, and what, if it is legible.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

WRITTEN: Final = "written"
"""The key of a message's content with the thoughts that are no part of what it says."""
_CHANNEL: Final = "<|channel|>"
"""gpt-oss's mark of thoughts, whose own template refuses it in earlier messages."""
_READ: Final = {"role", "content", "tool_calls", "function_call", "refusal"}
_READ_OF_CALL: Final = {"id", "type", "function"}
_READ_OF_FUNCTION: Final = {"name", "arguments"}
_MARKS: Final = ("reasoning", "thinking", "thought")
"""Every API names its thoughts with one of these words."""
_DEEPEST: Final = 20


def whole_message(answer: Mapping[str, Any], response: Any, reply: str) -> dict[str, Any]:
    """Return the ``answer`` of a model with the other fields of its message.

    They are those of the provider's own ``reply`` if it is a chat completion, else those of
    litellm's ``response``, from which litellm makes a request of the provider's API again.
    """
    own = _message_in(reply) or _fields(response.choices[0].message)
    whole = {**answer, **_others(own, _READ)}
    content = own.get("content")
    if isinstance(content, str) and content != answer["content"] and _CHANNEL not in content:
        whole[WRITTEN] = content
    if calls := answer.get("tool_calls"):
        own_calls = map(_fields, own.get("tool_calls") or ())
        pairs = zip(calls, own_calls, strict=False)
        whole["tool_calls"] = [_whole_call(*pair) for pair in pairs]
        whole["tool_calls"] += calls[len(whole["tool_calls"]) :]
    return whole


def as_sent(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a message with its content as the model wrote it, thoughts included."""
    if WRITTEN not in message:
        return message
    others = {name: value for name, value in message.items() if name != WRITTEN}
    return {**others, "content": message[WRITTEN]}


def reasoning_in(message: Any) -> str | None:
    """Return the thoughts of an agent in its message; empty if illegible, ``None`` without any."""
    if not isinstance(message, Mapping):
        return None
    content, written = message.get("content"), message.get(WRITTEN)
    texts = [message.get("reasoning_content"), message.get("reasoning")]
    blocks = [value for name, value in message.items() if _is_mark(name)]
    texts += ["\n".join(_legible(block)) for block in (*blocks, _thinking_blocks(content))]
    if isinstance(written, str):
        texts.append(written.removesuffix(content) if isinstance(content, str) else written)
    text = next((text.strip() for text in texts if isinstance(text, str) and text.strip()), "")
    calls = message.get("tool_calls")
    parts = [
        _others(message, _READ),
        *map(_others_of_call, calls if isinstance(calls, list) else ()),
    ]
    has_marks = _has_marks(parts) or bool(_thinking_blocks(content))
    return text if text or has_marks else None


def fields_of_calls(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the fields of each call beside its identifier, name and arguments."""
    return [*map(_others_of_call, message.get("tool_calls") or ())]


def with_fields(call: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return a call with the fields of :func:`fields_of_calls`."""
    function = {**fields.get("function", {}), **call["function"]}
    return {**fields, **call, "function": function}


def _message_in(reply: str) -> Mapping[str, Any]:
    """Return the message of a chat completion in JSON, empty if it has no text for a content."""
    with contextlib.suppress(ValueError, LookupError, TypeError, RecursionError):
        message = json.loads(reply)["choices"][0]["message"]
        if isinstance(message, dict) and isinstance(message.get("content"), str | None):
            return message
    return {}


def _fields(part: Any) -> dict[str, Any]:
    """Return the fields of a message or call: of JSON, of litellm, or as a plain object."""
    if isinstance(part, Mapping):
        return dict(part)
    values = part.model_dump() if hasattr(part, "model_dump") else vars(part)
    plain: dict[str, Any] = json.loads(json.dumps(values, default=_plain))
    return plain


def _plain(value: Any) -> Any:
    return value.model_dump() if hasattr(value, "model_dump") else vars(value)


def _others(fields: Mapping[str, Any], read: set[str]) -> dict[str, Any]:
    """Return the fields that nobody else reads, without empty and repeated ones."""
    others = {name: value for name, value in fields.items() if name not in read}
    if isinstance(hidden := others.get("provider_specific_fields"), Mapping):
        own = {name: value for name, value in hidden.items() if value != others.get(name)}
        others["provider_specific_fields"] = own
    return {name: value for name, value in others.items() if value not in (None, "", [], {})}


def _others_of_call(call: Any) -> dict[str, Any]:
    """Return the fields of a call that nobody else reads, those of its function as ``function``."""
    if not isinstance(call, Mapping):
        return {}
    function = call.get("function")
    others = _others(function, _READ_OF_FUNCTION) if isinstance(function, Mapping) else {}
    return {**_others(call, _READ_OF_CALL), **({"function": others} if others else {})}


def _whole_call(call: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    return with_fields(call, _others_of_call(own))


def _is_mark(text: Any) -> bool:
    return isinstance(text, str) and any(mark in text for mark in _MARKS)


def _has_marks(value: Any, depth: int = _DEEPEST) -> bool:
    """Whether an API's own fields say, at any depth, that the model has thought."""
    if depth and isinstance(value, Mapping):
        marked = (_is_mark(name) and item not in (None, "", [], {}) for name, item in value.items())
        return any(marked) or _has_marks([*value.values()], depth - 1)
    if depth and isinstance(value, list):
        return any(_has_marks(item, depth - 1) for item in value)
    return False


def _thinking_blocks(content: Any) -> list[Mapping[str, Any]]:
    blocks: Sequence[Any] = content if isinstance(content, list) else ()
    return [b for b in blocks if isinstance(b, Mapping) and _is_mark(b.get("type"))]


def _legible(value: Any) -> Iterator[str]:
    """Yield the texts in blocks of thoughts; what else is in them is encrypted or signed."""
    blocks: Iterable[Any] = value if isinstance(value, list) else ()
    for block in blocks:
        if isinstance(block, Mapping):
            texts = (block.get(name) for name in ("thinking", "text", "summary"))
            text = next((text for text in texts if text), None)
            yield from (text,) if isinstance(text, str) else _legible(text)
