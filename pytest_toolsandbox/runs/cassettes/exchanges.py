"""Requests and replies of a trial, and how they are written without repeating what was said.

A request stands there as what is new in it: the messages behind those of the last request to the
same person and its reply. What goes with every request, such as the prompt and the tools, is a
setting, which stands once in a cassette.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from .chats import Message, cleaned, written_message

Setting = dict[str, Any]

ERROR: Final = "error"
"""The key of a reply that was an outage, after which the conversation went on."""
_EARLIER: Final = "earlier"
_WORTHWHILE: Final = 3
"""Lines of a text that have to stand in another one to be left out."""


@dataclass(frozen=True)
class Request:
    """What ``who`` (``agent``, ``user``, ``reviewer``) is asked: a setting, and messages."""

    who: str
    setting: Setting
    messages: list[Message]


@dataclass(frozen=True)
class Exchange:
    """A request and its reply; ``measured`` has ``usage`` and ``latency``, where they are known."""

    request: Request
    reply: Message
    measured: Mapping[str, Any] = field(default_factory=dict)

    @property
    def said(self) -> list[Message]:
        """The messages that a next request goes on from."""
        return (
            self.request.messages if ERROR in self.reply else [*self.request.messages, self.reply]
        )


class Requests:
    """Makes requests of what agents and users are asked, as a cassette has them.

    A conversation repeats its messages in each of them: what was written already is taken over.
    """

    def __init__(self) -> None:
        self._last: dict[str, tuple[list[Any], list[Message]]] = {}
        self._settings: dict[str, tuple[Mapping[str, Any], Setting]] = {}

    def made(
        self, who: str, setting: Mapping[str, Any], messages: Sequence[Mapping[str, Any]]
    ) -> Request:
        """Return a request; the prompt, which is its first system message, is in the setting."""
        raw, written = self._last.get(who, ([], []))
        same = len(raw) if [*messages[: len(raw)]] == raw else 0
        written = [*written[:same], *map(written_message, messages[same:])]
        self._last[who] = [*messages], written
        made = self._setting(who, setting)
        if written and written[0].keys() == {"system"}:
            prompt, *others = written
            return Request(who, {"prompt": prompt["system"], **made}, others)
        return Request(who, made, written)

    def _setting(self, who: str, setting: Mapping[str, Any]) -> Setting:
        last, written = self._settings.get(who, ({}, {}))
        if setting == last:
            return written
        written = {name: cleaned(one) for name, one in setting.items() if one not in (None, {}, [])}
        if "tools" in written:
            written["tools"] = [one.get("function", one) for one in written["tools"]]
        self._settings[who] = setting, written
        return written


def written_exchanges(
    exchanges: Iterable[Exchange], settings: dict[str, Setting]
) -> Iterator[dict[str, Any]]:
    """Yield exchanges as a cassette has them; their ``settings``, by name, are added to."""
    before: dict[str, list[Message]] = {}
    for one in exchanges:
        request = one.request
        yield {
            "to": _name_of(request, settings),
            "messages": [*_new(before.get(request.who, []), request.messages)],
            "reply": one.reply,
            **one.measured,
        }
        before[request.who] = one.said


def read_exchanges(written: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, Exchange]]:
    """Yield exchanges with the names of their settings, which are not read yet."""
    before: dict[str, list[Message]] = {}
    for one in written:
        name = one["to"]
        who = name.partition("-")[0]
        messages = [*_whole(before.get(who, []), one["messages"])]
        measured = {key: one[key] for key in ("usage", "latency") if key in one}
        exchange = Exchange(Request(who, {}, messages), one["reply"], measured)
        yield name, exchange
        before[who] = exchange.said


def _name_of(request: Request, settings: dict[str, Setting]) -> str:
    """Return the name of a request's setting: ``user``, and ``user-2`` for another one."""
    numbered = (f"{request.who}-{number}" for number in itertools.count(2))
    for name in itertools.chain([request.who], numbered):
        if settings.setdefault(name, request.setting) == request.setting:
            return name
    raise AssertionError("there is always another name")


def _new(before: Sequence[Message], messages: Sequence[Message]) -> Iterator[dict[str, Any]]:
    same = _count_same(before, messages)
    if same < len(before):
        yield {_EARLIER: same}
    others = itertools.chain(before[same:], itertools.repeat({}))
    for message, other in zip(messages[same:], others, strict=False):
        yield _without_same_lines(message, other)


def _whole(before: Sequence[Message], new: Sequence[Mapping[str, Any]]) -> Iterator[Message]:
    same = new[0][_EARLIER] if new and _EARLIER in new[0] else len(before)
    yield from before[:same]
    others = itertools.chain(before[same:], itertools.repeat({}))
    for message, other in zip((one for one in new if _EARLIER not in one), others, strict=False):
        yield _with_same_lines(message, other)


def _without_same_lines(message: Message, other: Message) -> dict[str, Any]:
    """Write a text of many lines that has most of them from the message that stood in its place."""
    [(role, text), *more], [(_, old), *_] = message.items(), other.items() or [("", "")]
    if more or role not in other or not isinstance(text, str) or not isinstance(old, str):
        return message
    lines, earlier = text.split("\n"), old.split("\n")
    first = _count_same(earlier, lines)
    last = _count_same(earlier[first:][::-1], lines[first:][::-1])
    if first + last < _WORTHWHILE:
        return message
    new = lines[first : len(lines) - last]
    then = {"then": "\n".join(new)} if new else {}
    return {role: {"first_lines": first, **then, "last_lines": last}}


def _with_same_lines(message: Mapping[str, Any], other: Message) -> Message:
    match [*message.items()]:
        case [(role, {"first_lines": int() as first, "last_lines": int() as last, **new})]:
            lines = other[role].split("\n")
            then = map(str, new.values())
            return {role: "\n".join([*lines[:first], *then, *lines[len(lines) - last :]])}
    return dict(message)


def _count_same(one: Sequence[Any], other: Sequence[Any]) -> int:
    pairs = zip(one, other, strict=False)
    return len([*itertools.takewhile(lambda pair: pair[0] == pair[1], pairs)])
