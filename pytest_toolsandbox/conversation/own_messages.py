"""The messages of an agent as it wrote them, which go back to that agent and to nobody else.

APIs want back more of a message than a conversation has: thoughts, signatures, identifiers of any
length. ``OwnMessages`` keeps them beside the conversation.
"""

from __future__ import annotations

import marshal
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

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
    content = {"content": plain.pop("content", None)}
    others = {name: value for name, value in plain.items() if value not in (None, "", [], {})}
    return {"role": "assistant", **content, **others}


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
        self._room = MOST_KEPT

    def keep(
        self,
        own: ChatMessage,
        rebuilt: Mapping[str, Any],
        became: Sequence[Message],
        taken: Collection[str],
    ) -> None:
        """Keep a message that ``became`` some messages of the conversation.

        ``rebuilt`` is what the agent sees without its own message. Calls for which there was no
        room are dropped. A call keeps its own identifier unless it is ``taken``.
        """
        identifiers: dict[str, Any] = {}
        if rebuilt.get("tool_calls"):
            called = [message.call.identifier for message in became if message.call]
            identifiers = self._own_identifiers(own, called, taken)
            if (kept := _with_calls(own, [*identifiers.values()])) is None:
                kept, identifiers = beside(own, rebuilt), {}
            own = kept
        packed = marshal.dumps(own)
        if own != rebuilt and len(packed) <= self._room:
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
            own: ChatMessage = marshal.loads(kept.packed)  # noqa: S302  # our own
            return own
        identifier = seen.get("tool_call_id")
        if identifier is None or identifier not in self._identifiers:
            return seen
        return {**seen, "tool_call_id": self._identifiers[identifier]}

    def _own_identifiers(
        self, own: Mapping[str, Any], identifiers: Sequence[str], taken: Collection[str]
    ) -> dict[str, Any]:
        """Return identifier → the own one, unless another call of the conversation has that."""
        used = {*taken, *map(str, self._identifiers.values())}
        own_calls = [*_calls(own)]
        shown: dict[str, Any] = {}
        for place, identifier in enumerate(identifiers):
            mine = own_calls[place].get("id") if place < len(own_calls) else None
            is_free = str(mine or "").strip() and str(mine) not in used
            shown[identifier] = mine if is_free else identifier
            used.add(str(shown[identifier]))
        return shown


def _calls(own: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the calls of a message in the shape of OpenAI's or of Anthropic's API."""
    yield from own.get("tool_calls") or filter(_is_call, own["content"] or ())


def _is_call(block: Any) -> bool:
    return isinstance(block, Mapping) and block.get("type") == "tool_use"


def _with_calls(own: ChatMessage, identifiers: Sequence[Any]) -> ChatMessage | None:
    """Return a message with its first calls, and their identifiers; ``None`` if it has fewer."""
    calls = [{**call, "id": mine} for call, mine in zip(_calls(own), identifiers, strict=False)]
    if len(calls) < len(identifiers):
        return None
    if own.get("tool_calls"):
        return {**own, "tool_calls": [{"type": "function", **call} for call in calls]}
    rest = iter(calls)
    blocks = (next(rest, None) if _is_call(block) else block for block in own["content"])
    return {**own, "content": [block for block in blocks if block is not None]}


def beside(own: Mapping[str, Any], rebuilt: Mapping[str, Any]) -> ChatMessage:
    """Return a rebuilt message with the fields of the own one beside its text and calls."""
    others = {k: v for k, v in own.items() if k not in ("content", "tool_calls", "written")}
    return {**others, **rebuilt}
