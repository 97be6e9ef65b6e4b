"""The format of requests and replies in a cassette, without repetitions of earlier messages.

A request has only its new messages: those after the previous request to the same model and its
reply. The prompt and the tools, which all requests share, are a setting.

Messages are short, without provider-generated ids: ``{user: …}``, ``{tool: …}``,
``{assistant: …, calls: [{TOOL: {ARGUMENT: VALUE}}]}``. Results are in the order of the calls. What
a model wants back with its message, such as its thoughts, is below ``assistant`` and ``calls``, and
below ``call_fields`` what it wants back with each call.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_toolsandbox.calls.tool_call import readable_arguments
from pytest_toolsandbox.models.reasoning import fields_of_calls, with_fields
from pytest_toolsandbox.text.formatting import replace_surrogates
from pytest_toolsandbox.text.redaction import redacted, redacted_values

Message = dict[str, Any]

CALLS: Final = "calls"
_CALL_FIELDS: Final = "call_fields"
_LONGEST_IDENTIFIER: Final = 40
"""Longer identifiers of calls have a signature, which the model wants back."""
END: Final = "ends"
"""The key of a user's reply that ends the conversation."""
_READ: Final = {"role", "content", "tool_calls", "tool_call_id"}
_OF_REPLY: Final = {"role", "assistant", "user", END, "error", CALLS, _CALL_FIELDS}


def written_message(message: Mapping[str, Any]) -> Message:
    """Return a message of a chat-completions API in the format of a cassette."""
    written: Message = {}
    calls = message.get("tool_calls") or ()
    if message.get("content") or not calls:
        written[str(message.get("role", "assistant"))] = cleaned(message.get("content"))
    if calls:
        written[CALLS] = [_written_call(call["function"]) for call in calls]
        if any(fields := [*map(_signed_fields, calls, fields_of_calls(message))]):
            written[_CALL_FIELDS] = cleaned(fields)
    further_fields = {
        name: value for name, value in message.items() if name not in _READ and value is not None
    }
    return {**written, **cleaned(further_fields)}


def read_reply(written: Message, number: int) -> dict[str, Any]:
    """Return a reply as an assistant message; ``number`` counts those of the conversation."""
    calls = [
        {
            "id": f"call-{number}-{index}",
            "type": "function",
            "function": {"name": name, "arguments": _argument_text(arguments)},
        }
        for index, call in enumerate(written.get(CALLS, ()))
        for name, arguments in call.items()
    ]
    if (fields := written.get(_CALL_FIELDS)) is not None:
        calls = [*map(_with_signed_fields, calls, fields)]
    further_fields = {name: value for name, value in written.items() if name not in _OF_REPLY}
    reply = {"role": "assistant", "content": written.get("assistant"), **further_fields}
    return {**reply, "tool_calls": calls} if calls else reply


def is_reply(written: Message) -> bool:
    """Return whether a value has the format of a reply."""
    text, calls, user = written.get("assistant"), written.get(CALLS, []), written.get("user", "")
    is_text = text is None or isinstance(text, str) or _are_mappings(text)
    if not (is_text and isinstance(user, str) and _are_mappings(calls)):
        return False
    fields = written.get(_CALL_FIELDS)
    if fields is not None and not (_are_call_fields(fields) and len(fields) == len(calls)):
        return False
    return all(
        isinstance(arguments, str | Mapping) for call in calls for arguments in call.values()
    )


def _are_call_fields(value: Any) -> bool:
    return _are_mappings(value) and all(
        isinstance(fields.get("function", {}), Mapping) and isinstance(fields.get("id", ""), str)
        for fields in value
    )


def _are_mappings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, Mapping) for item in value)


def as_message(written: Message) -> dict[str, Any]:
    """Return the reply of an agent or a user as a message."""
    user = next(((role, written[role]) for role in ("user", END) if role in written), None)
    return {"role": user[0], "content": user[1]} if user else read_reply(written, 0)


def cleaned(value: Any) -> Any:
    """Return a JSON value without secrets and lone surrogates."""
    if isinstance(value, str):
        return redacted(replace_surrogates(value))
    if value is None or isinstance(value, (bool, int, float)):
        return value
    text = json.dumps(value, ensure_ascii=False, default=str)
    return redacted_values(json.loads(replace_surrogates(text)), (), ())


def _signed_fields(call: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a model wants back with a call."""
    identifier = str(call.get("id") or "")
    return {**fields, "id": identifier} if len(identifier) > _LONGEST_IDENTIFIER else {**fields}


def _with_signed_fields(call: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    identifier = {"id": fields["id"]} if "id" in fields else {}
    return {**with_fields(call, fields), **identifier}


def _written_call(function: Mapping[str, Any]) -> Message:
    text = cleaned(function.get("arguments") or "")
    arguments = readable_arguments(text)
    compact = json.dumps(arguments, ensure_ascii=False, separators=(",", ":"))
    is_same = arguments is not None and text.strip() in (_argument_text(arguments), compact)
    return {cleaned(function["name"]): arguments if is_same else text}


def _argument_text(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


Setting = dict[str, Any]

ERROR: Final = "error"
"""The key of a reply that was an outage after which the conversation continued."""
MEASURED: Final = ("usage", "finish_reasons", "latency")
"""The keys of an exchange with figures of its requests to a model."""
_EARLIER: Final = "earlier"
_WORTHWHILE: Final = 3
"""The minimum number of lines that two texts must share to leave them out."""


@dataclass(frozen=True)
class Request:
    """A request to ``who`` (``agent``, ``user``, ``reviewer``): a setting, and messages."""

    who: str
    setting: Setting
    messages: list[Message]


def usual_reasons(reply: Message) -> list[str]:
    """Return the finish reasons of a model's reply, unless the cassette has others."""
    return ["tool_calls" if CALLS in reply else "stop"]


@dataclass(frozen=True)
class Exchange:
    """A request and its reply; ``measured`` has what ``MEASURED`` names, if known."""

    request: Request
    reply: Message
    measured: Mapping[str, Any] = field(default_factory=dict)

    @property
    def history(self) -> list[Message]:
        """The messages that precede the new ones of the next request."""
        return (
            self.request.messages if ERROR in self.reply else [*self.request.messages, self.reply]
        )


class Requests:
    """Converts the requests to agents and users to the format of a cassette.

    Every request repeats the earlier messages of a conversation, so converted messages are reused.
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
            prompt, *conversation = written
            return Request(who, {"prompt": prompt["system"], **made}, conversation)
        return Request(who, made, written)

    def _setting(self, who: str, setting: Mapping[str, Any]) -> Setting:
        last, written = self._settings.get(who, ({}, {}))
        if setting == last:
            return written
        written = {
            name: cleaned(value) for name, value in setting.items() if value not in (None, {}, [])
        }
        if "tools" in written:
            written["tools"] = [tool.get("function", tool) for tool in written["tools"]]
        self._settings[who] = setting, written
        return written


def written_exchanges(
    exchanges: Iterable[Exchange], settings: dict[str, Setting]
) -> Iterator[dict[str, Any]]:
    """Yield exchanges in the format of a cassette, and add their settings to ``settings``."""
    before: dict[str, list[Message]] = {}
    for exchange in exchanges:
        request = exchange.request
        yield {
            "to": _name_of(request, settings),
            "messages": [*_new(before.get(request.who, []), request.messages)],
            "reply": exchange.reply,
            **exchange.measured,
        }
        before[request.who] = exchange.history


def read_exchanges(written: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, Exchange]]:
    """Yield exchanges with the names of their settings, which are read later."""
    before: dict[str, list[Message]] = {}
    for entry in written:
        name = entry["to"]
        who = name.partition("-")[0]
        messages = [*_whole(before.get(who, []), entry["messages"])]
        measured = {key: entry[key] for key in MEASURED if key in entry}
        exchange = Exchange(Request(who, {}, messages), entry["reply"], measured)
        yield name, exchange
        before[who] = exchange.history


def _name_of(request: Request, settings: dict[str, Setting]) -> str:
    """Return the name of a request's setting: ``user``, or ``user-2`` for another one."""
    numbered = (f"{request.who}-{number}" for number in itertools.count(2))
    for name in itertools.chain([request.who], numbered):
        if settings.setdefault(name, request.setting) == request.setting:
            return name
    raise AssertionError("there is always another name")


def _new(before: Sequence[Message], messages: Sequence[Message]) -> Iterator[dict[str, Any]]:
    same = _count_same(before, messages)
    if same < len(before):
        yield {_EARLIER: same}
    earlier_messages = itertools.chain(before[same:], itertools.repeat({}))
    for message, earlier in zip(messages[same:], earlier_messages, strict=False):
        yield _without_same_lines(message, earlier)


def _whole(before: Sequence[Message], new: Sequence[Mapping[str, Any]]) -> Iterator[Message]:
    same = new[0][_EARLIER] if new and _EARLIER in new[0] else len(before)
    yield from before[:same]
    earlier_messages = itertools.chain(before[same:], itertools.repeat({}))
    for message, earlier in zip(
        (item for item in new if _EARLIER not in item), earlier_messages, strict=False
    ):
        yield _with_same_lines(message, earlier)


def _without_same_lines(message: Message, previous: Message) -> dict[str, Any]:
    """Write a long text that shares most lines with the message before as a difference."""
    [(role, text), *further], [(_, old), *_] = message.items(), previous.items() or [("", "")]
    if further or role not in previous or not isinstance(text, str) or not isinstance(old, str):
        return message
    lines, earlier = text.split("\n"), old.split("\n")
    first = _count_same(earlier, lines)
    last = _count_same(earlier[first:][::-1], lines[first:][::-1])
    if first + last < _WORTHWHILE:
        return message
    new = lines[first : len(lines) - last]
    then = {"then": "\n".join(new)} if new else {}
    return {role: {"first_lines": first, **then, "last_lines": last}}


def _with_same_lines(message: Mapping[str, Any], earlier: Message) -> Message:
    match [*message.items()]:
        case [(role, {"first_lines": int() as first, "last_lines": int() as last, **new})]:
            lines = earlier[role].split("\n")
            then = map(str, new.values())
            return {role: "\n".join([*lines[:first], *then, *lines[len(lines) - last :]])}
    return dict(message)


def _count_same(first: Sequence[Any], second: Sequence[Any]) -> int:
    pairs = zip(first, second, strict=False)
    return len([*itertools.takewhile(lambda pair: pair[0] == pair[1], pairs)])
