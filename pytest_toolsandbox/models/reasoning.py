"""What a model wants back with its messages: its thoughts, signatures and other fields of its API.

``whole_message`` keeps them beside the text and the calls; ``as_sent`` is the message that goes
back. ``reasoning_in`` says whether an agent thought before its message, and what, if it is legible.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from .chat_replies import without_thoughts

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
"""How deep the fields of a message are searched for marks."""


def whole_message(answer: Mapping[str, Any], response: Any, reply: str) -> dict[str, Any]:
    """Return the ``answer`` of a model with the further fields of its message.

    They are those of the provider's own ``reply`` if it is a chat completion, else those of the
    client's ``response``, from which it makes a request of the provider's API again.
    """
    raw = _message_in(reply)
    if not isinstance(raw.get("content"), str | None) or not raw:  # blocks, or another API
        translated = _plain_fields(response.choices[0].message)
        raw = raw if raw and reasoning_in(translated) is None else translated
    whole = {**answer, **_further(raw, _READ)}
    if _is_written(raw.get("content"), answer["content"] or ""):
        whole[WRITTEN] = raw["content"]
    if calls := answer.get("tool_calls"):
        fields = fields_of_calls(raw)
        fields += [{}] * (len(calls) - len(fields))
        whole["tool_calls"] = [*map(with_fields, calls, fields)]
    return whole


def _is_written(content: Any, kept: str) -> bool:
    """Whether a content says the same as a text, beside thoughts that can be sent back."""
    if not isinstance(content, str):
        return bool(_thinking_blocks(content))
    is_same = without_thoughts(content).strip() == kept.strip()
    return is_same and content != kept and _CHANNEL not in content


def as_sent(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a message with its content as the model wrote it, thoughts included."""
    if WRITTEN not in message:
        return message
    fields = {name: value for name, value in message.items() if name != WRITTEN}
    return {**fields, "content": message[WRITTEN]}


def fields_of_calls(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the fields of each call beside its identifier, name and arguments."""
    calls = message.get("tool_calls")
    return [*map(_fields_of_call, calls if isinstance(calls, list) else ())]


def with_fields(call: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return a call with the fields of :func:`fields_of_calls`."""
    function = {**fields.get("function", {}), **call["function"]}
    return {**fields, **call, "function": function}


def answered_calls(
    written: Sequence[str], calls: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any] | None]:
    """Return for each identifier that a model wrote the call that goes back in its place.

    ``None`` is a call that was not answered. If all were, the order tells which is which, as an
    identifier that occurs twice or is malformed has become another.
    """
    if len(written) == len(calls):
        return [dict(call) for call in calls]
    known = {call["id"]: dict(call) for call in calls}
    return [known.pop(identifier, None) for identifier in written]


def reasoning_in(message: Any) -> str | None:
    """Return the thoughts of an agent in its message; empty if illegible, ``None`` without any."""
    if not isinstance(message, Mapping):
        return None
    content, written = message.get("content"), message.get(WRITTEN)
    marked_lists = [value for name, value in message.items() if _is_mark(name)]
    blocks = _thinking_blocks(content) + _thinking_blocks(written)
    texts = [
        message.get("reasoning_content"),
        message.get("reasoning"),
        *("\n".join(_legible(value)) for value in (*marked_lists, blocks)),
        written.removesuffix(str(content or "")) if isinstance(written, str) else None,
    ]
    text = next((text.strip() for text in texts if isinstance(text, str) and text.strip()), None)
    has_marks = blocks or _has_marks([_further(message, _READ), *fields_of_calls(message)])
    return text or ("" if has_marks else None)


def _message_in(reply: str) -> Mapping[str, Any]:
    """Return the only message of a chat completion in JSON, empty if there is none."""
    with contextlib.suppress(ValueError, LookupError, TypeError, RecursionError):
        (choice,) = json.loads(reply)["choices"]
        return dict(choice["message"])
    return {}


def _plain_fields(part: Any) -> dict[str, Any]:
    """Return the fields of a message of litellm, or of a plain object, as JSON values."""
    plain: dict[str, Any] = json.loads(json.dumps(_fields(part), default=_fields))
    return plain


def _fields(part: Any) -> Any:
    return part.model_dump() if hasattr(part, "model_dump") else vars(part)


def _further(fields: Mapping[str, Any], read: set[str]) -> dict[str, Any]:
    """Return the fields that nobody else reads, without empty and repeated ones."""
    further = {name: value for name, value in fields.items() if name not in read}
    if isinstance(hidden := further.get("provider_specific_fields"), Mapping):
        unrepeated = {name: value for name, value in hidden.items() if value != further.get(name)}
        further["provider_specific_fields"] = unrepeated
    return {name: value for name, value in further.items() if not _is_empty(value)}


def _is_empty(value: Any) -> bool:
    return value in (None, "", [], {})


def _fields_of_call(call: Any) -> dict[str, Any]:
    """Return the fields of a call that nobody else reads, those of its function as ``function``."""
    if not isinstance(call, Mapping):
        return {}
    function = call.get("function")
    of_function = _further(function, _READ_OF_FUNCTION) if isinstance(function, Mapping) else {}
    return {**_further(call, _READ_OF_CALL), **({"function": of_function} if of_function else {})}


def _is_mark(text: Any) -> bool:
    return isinstance(text, str) and any(mark in text for mark in _MARKS)


def _has_marks(value: Any, depth: int = _DEEPEST) -> bool:
    """Whether an API's own fields say, at any depth, that the model has thought."""
    if depth and isinstance(value, Mapping):
        marked = (_is_mark(name) and not _is_empty(item) for name, item in value.items())
        return any(marked) or _has_marks([*value.values()], depth - 1)
    if depth and isinstance(value, list):
        return any(_has_marks(item, depth - 1) for item in value)
    return False


def _thinking_blocks(content: Any) -> list[Mapping[str, Any]]:
    blocks = content if isinstance(content, list) else ()
    return [block for block in blocks if isinstance(block, Mapping) and _is_mark(block.get("type"))]


def _legible(value: Any) -> Iterator[str]:
    """Yield the texts in blocks of thoughts; what else is in them is encrypted or signed."""
    for block in value if isinstance(value, list) else ():
        if isinstance(block, Mapping):
            texts = (block.get(name) for name in ("thinking", "text", "summary"))
            text = next((text for text in texts if text), None)
            yield from (text,) if isinstance(text, str) else _legible(text)
