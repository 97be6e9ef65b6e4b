"""Chat completions: the messages of OpenAI's API, and of Anthropic's with blocks of content."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pytest_toolsandbox.conversation.agent_session import read_reply
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.text.formatting import format_value

from .trace import (
    Trace,
    TraceCall,
    TraceError,
    TraceMessage,
    as_text,
    content_text,
    mapping_at,
    objects_in,
    text_at,
)


def is_chat(document: Any) -> bool:
    """Return whether a JSON value has messages of a chat."""
    if isinstance(document, list):
        return all(isinstance(item, Mapping) and "role" in item for item in document)
    return isinstance(document, Mapping) and "messages" in document


def chat_trace(document: Any, place: str) -> Trace:
    """Return the conversation of ``{"messages": […]}``, or of a list of messages.

    A request that was logged with its response has ``choices``, or ``response``, whose message is
    the last one. Raises :class:`TraceError`.
    """
    values: Mapping[str, Any] = {"messages": document} if isinstance(document, list) else document
    messages = objects_in(values["messages"], "messages")
    if (system := values.get("system")) is not None:
        messages = [{"role": "system", "content": system}, *messages]
    about = mapping_at(values, "metadata")
    return Trace(
        place,
        "chat",
        tuple(trace_messages([*messages, *_response(values)])),
        scenario=text_at(values, "scenario") or text_at(about, "scenario"),
        name=text_at(values, "name") or text_at(about, "name"),
        model=text_at(values, "model") or text_at(about, "model"),
    )


def _response(values: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the message of a response that was logged with its request."""
    response = mapping_at(values, "response") or values
    for choice in objects_in(response.get("choices"), "choices")[:1]:
        yield mapping_at(choice, "message")
    if response is not values and response.get("role") == "assistant":
        yield response


def trace_messages(messages: Iterable[Mapping[str, Any]]) -> Iterator[TraceMessage]:
    """Yield messages of chat-completion APIs in one form. Raises :class:`TraceError`."""
    for place, message in enumerate(messages):
        try:
            yield from _messages_of(message, place)
        except (AgentError, TraceError) as error:
            raise TraceError(f"message {place}: {error}") from None


def _messages_of(message: Mapping[str, Any], place: int) -> Iterator[TraceMessage]:
    content = message.get("content")
    match message.get("role"):
        case "system" | "developer":
            yield TraceMessage("system", content_text(content))
        case "user":
            yield from _user_messages(content)
        case "assistant":
            yield _agent_message(message, place)
        case "tool" | "function":
            identifier = text_at(message, "tool_call_id", "id")
            yield TraceMessage("tool", _result_text(content), call=identifier)
        case role:
            allowed = "system, developer, user, assistant or tool"
            raise TraceError(f"its role is {format_value(role)}; expected {allowed}")


def _user_messages(content: Any) -> Iterator[TraceMessage]:
    """Yield results of tools, which Anthropic's API puts into a message of the user, and texts."""
    parts = content if isinstance(content, list) else [content]
    results = [p for p in parts if isinstance(p, Mapping) and p.get("type") == "tool_result"]
    for result in results:
        text, identifier = _result_text(result.get("content")), text_at(result, "tool_use_id")
        failed = result.get("is_error") is True
        yield TraceMessage("tool", text, call=identifier, failed=failed)
    other_parts = [part for part in parts if not any(part is result for result in results)]
    if other_parts or not results:
        yield TraceMessage("user", content_text(other_parts if results else content))


def _agent_message(message: Mapping[str, Any], place: int) -> TraceMessage:
    legacy = mapping_at(message, "function_call")
    if legacy:  # OpenAI's API before tool_calls; its results have no identifier
        plain = {**message, "function_call": None, "tool_calls": [{"function": legacy}]}
        return _agent_message(plain, place)
    text, calls = read_reply({"content": None, **message}, place)
    made = tuple(TraceCall(call.identifier, call.name, call.arguments) for call in calls)
    return TraceMessage("assistant", text, made)


def _result_text(content: Any) -> str:
    """Return the text of a result: some programs write it as JSON, and not as text or parts."""
    is_parts = isinstance(content, list) and all(
        isinstance(part, Mapping) and "type" in part for part in content
    )
    return content_text(content) if is_parts or content is None else as_text(content)
