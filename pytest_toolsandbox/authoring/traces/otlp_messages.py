"""The messages of OpenTelemetry's spans, in the forms that its conventions have had.

The attributes ``gen_ai.input.messages`` and ``gen_ai.output.messages`` of a span or of an event are
the present form. Up to version 1.36, each message was an event, such as ``gen_ai.user.message``.
Before 1.28 and in many instrumentations, attributes have a number: ``gen_ai.prompt.0.content``.
https://opentelemetry.io/docs/specs/semconv/gen-ai/
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pytest_toolsandbox.text.formatting import format_value

from .chat import trace_messages
from .trace import (
    TraceCall,
    TraceError,
    TraceMessage,
    arguments_text,
    as_text,
    content_text,
    mapping_at,
    objects_in,
    text_at,
)

_CHOICE: Final = "gen_ai.choice"
_ROLE_OF_EVENT: Final = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
    _CHOICE: "assistant",
}
_WHOLE: Final = {"gen_ai.content.prompt": "gen_ai.prompt", "gen_ai.content.completion": ""}
_NUMBERED: Final = re.compile(r"gen_ai\.(prompt|completion)\.([0-9]+)\.(.+)")
_NUMBERED_CALL: Final = re.compile(r"tool_calls\.([0-9]+)\.(?:function\.)?(id|name|arguments)")
_CALLS, _RESULTS = ("tool_call", "tool_use"), ("tool_call_response", "tool_result")


class Event(NamedTuple):
    """An event of a span, or a log record; ``values`` are its attributes and its ``body``."""

    name: str
    values: Mapping[str, Any]


class Exchange(NamedTuple):
    """What a request had, and what was answered."""

    asked: list[TraceMessage]
    answered: list[TraceMessage]


def exchange_of(attributes: Mapping[str, Any], events: Sequence[Event]) -> Exchange | None:
    """Return the messages of a span, if it has any. Raises :class:`TraceError`."""
    for values in (attributes, *(event.values for event in events)):
        if "gen_ai.input.messages" in values or "gen_ai.output.messages" in values:
            system = _system(values.get("gen_ai.system_instructions"))
            asked = [*_messages(values.get("gen_ai.input.messages"))]
            has_own = any(message.speaker == "system" for message in asked)
            answered = [*_messages(values.get("gen_ai.output.messages"))]
            return Exchange([*([] if has_own else system), *asked], answered)
    by_event = _by_event(events)
    if by_event.asked or by_event.answered:
        return by_event
    numbered = Exchange(
        _numbered(attributes, "prompt"),
        _numbered(attributes, "completion"),
    )
    return numbered if numbered.asked or numbered.answered else None


def _system(value: Any) -> list[TraceMessage]:
    """Return the system prompt, whose parts are not in a message."""
    parts = _parsed(value)
    return [TraceMessage("system", content_text(parts))] if parts else []


def _parsed(value: Any) -> Any:
    """Return a structured value, which exporters often write as JSON."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


def _messages(value: Any) -> Iterator[TraceMessage]:
    for message in objects_in(_parsed(value), "a list of messages"):
        if "parts" in message:
            yield from _of_parts(message)
        else:  # some instrumentations write chat-completions messages there
            yield from trace_messages([message])


def _of_parts(message: Mapping[str, Any]) -> Iterator[TraceMessage]:
    """Yield a message in the conventions' JSON Schema; results of tools are messages of tools."""
    parts = objects_in(message["parts"], "parts")
    calls, results = [], []
    content_parts = [part for part in parts if part.get("type") not in (*_CALLS, *_RESULTS)]
    for place, part in enumerate(parts):
        identifier = text_at(part, "id")
        if part.get("type") in _CALLS:
            if (name := text_at(part, "name")) is None:
                raise TraceError(f"a call has no name: {format_value(dict(part))}")
            arguments = arguments_text(part.get("arguments", part.get("input")))
            calls.append(TraceCall(identifier or f"part-{place}", name, arguments))
        elif part.get("type") in _RESULTS:
            response = part.get("response", part.get("result", part.get("content")))
            results.append(TraceMessage("tool", as_text(response), call=identifier))
    yield from results
    role = message.get("role")
    if role == "assistant" or calls:
        yield TraceMessage("assistant", content_text(content_parts), tuple(calls))
    elif role in ("system", "developer"):
        yield TraceMessage("system", content_text(content_parts))
    elif role == "user" and (content_parts or not results):
        yield TraceMessage("user", content_text(content_parts))
    elif role not in ("user", "tool"):
        allowed = "system, user, assistant or tool"
        raise TraceError(f"the role of a message is {format_value(role)}; expected {allowed}")


def _by_event(events: Iterable[Event]) -> Exchange:
    """Return the messages of events that have one each, up to the first choice."""
    exchange = Exchange([], [])
    for event in events:
        if event.name in _WHOLE:
            key = _WHOLE[event.name] or "gen_ai.completion"
            kept = exchange.asked if event.name == "gen_ai.content.prompt" else exchange.answered
            kept += trace_messages(objects_in(_parsed(event.values.get(key)), key))
        elif role := _ROLE_OF_EVENT.get(event.name):
            is_choice = event.name == _CHOICE
            if is_choice and exchange.answered:
                continue  # a further choice, which the conversation did not go on with
            kept = exchange.answered if is_choice else exchange.asked
            kept += trace_messages([_event_message(event.values, role)])
    return exchange


def _event_message(values: Mapping[str, Any], role: str) -> dict[str, Any]:
    """Return the message of an event: its body, or what stands for that in attributes."""
    body = _parsed(values.get("gen_ai.event.content", values.get("body", values)))
    body = body if isinstance(body, Mapping) else {"content": body}
    message = _parsed(body.get("message", body))
    message = message if isinstance(message, Mapping) else {"content": message}
    calls = _parsed(message.get("tool_calls", body.get("tool_calls")))
    return {
        "role": role,
        "content": _content(message.get("content")),
        **({"tool_calls": calls} if calls else {}),
        **({"tool_call_id": body.get("id", body.get("tool_call_id"))} if role == "tool" else {}),
    }


def _content(value: Any) -> Any:
    return value if value is None or isinstance(value, (str, list)) else as_text(value)


def _numbered(attributes: Mapping[str, Any], kind: str) -> list[TraceMessage]:
    """Return messages of attributes such as ``gen_ai.prompt.0.tool_calls.0.name``."""
    messages: dict[int, dict[str, Any]] = {}
    for name, value in attributes.items():
        match = _NUMBERED.fullmatch(name)
        if match and match[1] == kind:
            messages.setdefault(int(match[2]), {})[match[3]] = value
    return [*trace_messages(_gathered(messages[number], kind) for number in sorted(messages))]


def _gathered(values: Mapping[str, Any], kind: str) -> dict[str, Any]:
    calls: dict[int, dict[str, Any]] = {}
    for name, value in values.items():
        if match := _NUMBERED_CALL.fullmatch(name):
            calls.setdefault(int(match[1]), {})[match[2]] = value
    made = [
        {
            "id": call.get("id"),
            "function": {"name": call.get("name"), "arguments": call.get("arguments")},
        }
        for _, call in sorted(calls.items())
    ]
    return {
        "role": values.get("role", "assistant" if kind == "completion" else "user"),
        "content": _content(_parsed_parts(values.get("content"))),
        "tool_calls": made,
        "tool_call_id": values.get("tool_call_id"),
    }


def _parsed_parts(value: Any) -> Any:
    """Return a list of parts that was written as JSON, and any other text as it is."""
    parts = _parsed(value)
    is_parts = isinstance(parts, list) and all(mapping_at({"": p}, "").get("type") for p in parts)
    return parts if is_parts else value
