"""The messages of an agent as it wrote them, which go back to that agent and to nobody else.

APIs want back more of a message than a conversation has: thoughts, signatures, identifiers of any
length. ``OwnMessages`` keeps them beside the conversation.
"""

from __future__ import annotations

import marshal
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pytest_toolsandbox.models.reasoning import WRITTEN
from pytest_toolsandbox.text.formatting import replace_surrogates

from .messages import Message

ChatMessage = dict[str, Any]

MOST_KEPT: Final = 16_000_000
"""Bytes of a conversation's own messages; later ones are sent back as the conversation has them."""
_REPORTED: Final = {"usage", "model"}
"""What an agent reports beside its message."""


def own_message(reply: Any) -> ChatMessage | None:
    """Return a copy of a reply as a message of plain values; ``None`` if it has any other value.

    Of a reply of Anthropic's API only role and content are the message. Empty fields are left out,
    since client libraries fill in fields that servers refuse.
    """
    if isinstance(reply, str):
        return {"role": "assistant", "content": replace_surrogates(reply)}
    try:
        fields = _fields(reply)
        if fields.get("type") == "message":
            fields = {"content": fields.get("content")}
        plain: ChatMessage = _plain({k: v for k, v in fields.items() if k not in _REPORTED})
    except Exception:  # noqa: BLE001  # an agent's objects may raise anything
        return None
    content = plain.pop("content", None)
    fields = {name: value for name, value in plain.items() if value not in (None, "", [], {})}
    return {"role": "assistant", "content": content, **fields}


def _fields(value: Any) -> Mapping[str, Any]:
    """Return the fields of a mapping, or those of a client library's object that were set."""
    fields = value if isinstance(value, Mapping) else value.model_dump(exclude_unset=True)
    if not isinstance(fields, Mapping):
        raise TypeError
    return fields


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return replace_surrogates(value)
    if value is None or type(value) in (bool, int, float):
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return {str(name): _plain(item) for name, item in _fields(value).items()}


class _Kept(NamedTuple):
    """A packed message, and the first message of the conversation that it became."""

    packed: bytes
    first: Message


class OwnMessages:
    """An agent's own messages in one conversation."""

    def __init__(self) -> None:
        self._kept: dict[int, _Kept] = {}
        self._identifiers: dict[str, Any] = {}
        """Identifier in the conversation → the agent's own."""
        self._shown: set[str] = set()
        self._room = MOST_KEPT

    def keep(
        self,
        message: ChatMessage,
        rebuilt: Mapping[str, Any],
        became: Sequence[Message],
        taken: Collection[str],
    ) -> None:
        """Keep a message that ``became`` some messages of the conversation.

        ``rebuilt`` is what the agent would see instead. Calls for which there was no room are
        dropped. A call keeps its own identifier unless another one has it: ``taken`` are all
        identifiers in the conversation.
        """
        identifiers: dict[str, Any] = {}
        if rebuilt.get("tool_calls"):
            called = [request.call.identifier for request in became if request.call]
            identifiers = self._own_identifiers(message, called, taken)
            if len(identifiers) < len(called):
                message, identifiers = beside(message, rebuilt), {}
            else:
                message = _with_calls(message, [*identifiers.values()])
        packed = marshal.dumps(message)
        if message != rebuilt and len(packed) <= self._room:
            self._room -= len(packed)
            self._kept[id(became[0])] = _Kept(packed, became[0])
            self._identifiers |= identifiers

    def restored(
        self, view: Sequence[ChatMessage], sources: Sequence[Message]
    ) -> list[ChatMessage]:
        """Return a view with the agent's own messages; each of it stems from a source."""
        return [*map(self._restored, view, sources)]

    def _restored(self, seen: ChatMessage, source: Message) -> ChatMessage:
        if (kept := self._kept.get(id(source))) is not None:
            message: ChatMessage = marshal.loads(kept.packed)  # noqa: S302  # our own
            return message
        identifier = seen.get("tool_call_id")
        if identifier is None or identifier not in self._identifiers:
            return seen
        return {**seen, "tool_call_id": self._identifiers[identifier]}

    def _own_identifiers(
        self, message: Mapping[str, Any], identifiers: Sequence[str], taken: Collection[str]
    ) -> dict[str, Any]:
        """Return identifier → the own one, unless another call of the conversation has that."""
        shown: dict[str, Any] = {}
        for identifier, call in zip(identifiers, _calls(message), strict=False):
            written = call.get("id")
            text = str(written or "").strip()
            is_own = text == identifier or text not in taken
            shown[identifier] = (
                written if text and is_own and text not in self._shown else identifier
            )
            self._shown.add(str(shown[identifier]))
        return shown


def has_calls(message: Mapping[str, Any]) -> bool:
    """Whether a message has calls in the shape of OpenAI's or of Anthropic's API."""
    return any(True for _ in _calls(message))


def _calls(message: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the calls of a message in the shape of OpenAI's or of Anthropic's API."""
    yield from message.get("tool_calls") or filter(_is_call, message["content"] or ())


def _is_call(block: Any) -> bool:
    return isinstance(block, Mapping) and block.get("type") == "tool_use"


def _with_calls(message: ChatMessage, identifiers: Sequence[Any]) -> ChatMessage:
    """Return a message with its first calls, and their identifiers."""
    pairs = zip(_calls(message), identifiers, strict=False)
    calls = [{**call, "id": identifier} for call, identifier in pairs]
    if message.get("tool_calls"):
        return {**message, "tool_calls": [{"type": "function", **call} for call in calls]}
    blocks: list[Any] = []
    for block in message["content"]:
        if not _is_call(block):
            blocks.append(block)
        elif calls:
            blocks.append(calls.pop(0))
    return {**message, "content": blocks}


def beside(message: Mapping[str, Any], rebuilt: Mapping[str, Any]) -> ChatMessage:
    """Return a rebuilt message with the fields of the own one beside its text and calls."""
    texts = ("content", "tool_calls", WRITTEN)
    return {**{name: v for name, v in message.items() if name not in texts}, **rebuilt}
