"""OpenTelemetry's spans of generative AI, as OTLP/JSON: conversations of agents in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from .otlp_messages import Event, Exchange, exchange_of
from .trace import (
    Problem,
    Trace,
    TraceCall,
    TraceError,
    TraceMessage,
    TraceUsage,
    as_text,
    mapping_at,
    objects_in,
    usage_of,
)

_FAILED: Final = (2, "STATUS_CODE_ERROR")
_SCENARIO: Final = ("toolsandbox.scenario", "scenario", "test.case.name")


@dataclass
class Span:
    """A span with its attributes as plain values; ``place`` is the file with the line."""

    place: str
    trace: str
    identifier: str
    parent: str
    began: int
    attributes: Mapping[str, Any]
    events: list[Event] = field(default_factory=list)
    failed: bool = False

    @property
    def operation(self) -> str:
        """What it is: ``chat``, ``invoke_agent``, ``execute_tool`` or another operation."""
        return str(self.attributes.get("gen_ai.operation.name", ""))


def is_otlp(document: Any) -> bool:
    """Return whether a JSON value has spans or log records of OTLP, or is a span of an SDK."""
    return isinstance(document, Mapping) and (
        bool({"resourceSpans", "resourceLogs"} & {*document}) or _is_sdk_span(document)
    )


def _is_sdk_span(document: Mapping[str, Any]) -> bool:
    """Return whether it is a span as the console exporter of the Python SDK prints it."""
    return "trace_id" in mapping_at(document, "context") and "attributes" in document


def spans_of(document: Mapping[str, Any], place: str) -> Iterator[Span]:
    """Yield the spans of a document, and log records as spans with one event.

    Raises :class:`TraceError`.
    """
    if _is_sdk_span(document):
        yield _sdk_span(document, place)
    for values, resource in _entries(document, "resourceSpans", "scopeSpans", "spans"):
        attributes = {**resource, **_attributes(values)}
        events = [
            Event(str(event.get("name")), _attributes(event))
            for event in objects_in(values.get("events"), "events")
        ]
        failed = mapping_at(values, "status").get("code") in _FAILED
        began = _number(values.get("startTimeUnixNano"))
        yield Span(place, *_identifiers(values), began, attributes, events, failed)
    for values, _ in _entries(document, "resourceLogs", "scopeLogs", "logRecords"):
        attributes = _attributes(values)
        name = values.get("eventName") or attributes.get("event.name")
        body = {"body": _plain(values["body"])} if "body" in values else {}
        event = Event(str(name), {**attributes, **body})
        yield Span(place, *_identifiers(values), -1, {}, [event])


def _sdk_span(document: Mapping[str, Any], place: str) -> Span:
    context = mapping_at(document, "context")
    events = [
        Event(str(event.get("name")), dict(mapping_at(event, "attributes")))
        for event in objects_in(document.get("events"), "events")
    ]
    return Span(
        place,
        str(context.get("trace_id")),
        str(context.get("span_id")),
        str(document.get("parent_id") or ""),
        _nanoseconds(document.get("start_time")),
        dict(mapping_at(document, "attributes")),
        events,
        mapping_at(document, "status").get("status_code") == "ERROR",
    )


def _nanoseconds(text: Any) -> int:
    """Return a time in ISO 8601 as nanoseconds, 0 if it is none."""
    try:
        moment = datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return 0
    return int(moment.timestamp() * 1e6) * 1000


def _entries(
    document: Mapping[str, Any], *levels: str
) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    outer, middle, inner = levels
    for resource in objects_in(document.get(outer), outer):
        about = _attributes(mapping_at(resource, "resource"))
        for scope in objects_in(resource.get(middle), middle):
            for values in objects_in(scope.get(inner), inner):
                yield values, about


def _identifiers(values: Mapping[str, Any]) -> tuple[str, str, str]:
    return (
        str(values.get("traceId", "")),
        str(values.get("spanId", "")),
        str(values.get("parentSpanId", "")),
    )


def _number(value: Any) -> int:
    """Return a whole number, which OTLP writes as a text, such as the nanoseconds of a time."""
    try:
        return int(value)
    except (TypeError, ValueError):
        return 0


def _attributes(values: Mapping[str, Any]) -> dict[str, Any]:
    pairs = objects_in(values.get("attributes"), "attributes")
    return {str(pair.get("key")): _plain(pair.get("value")) for pair in pairs}


def _plain(value: Any) -> Any:
    """Return the plain value of OTLP's ``AnyValue``."""
    match value:
        case {"intValue": number}:
            return _number(number)
        case {"arrayValue": _}:
            values = mapping_at(value, "arrayValue").get("values")
            return [_plain(item) for item in objects_in(values, "values")]
        case {"kvlistValue": _}:
            return _attributes({"attributes": mapping_at(value, "kvlistValue").get("values")})
        case {"stringValue": plain} | {"doubleValue": plain} | {"boolValue": plain}:
            return plain
        case _:
            return None


class SpanError(TraceError):
    """The messages of a span cannot be read; ``place`` is that of the span."""

    def __init__(self, place: str, text: str) -> None:
        super().__init__(text)
        self.place = place


def otlp_traces(spans: Iterable[Span]) -> Iterator[Trace | Problem]:
    """Yield the conversations among spans, or why one cannot be read.

    The spans of a conversation have the same ``gen_ai.conversation.id``, or else the same trace.
    """
    for group in _conversations(_with_logs(spans)):
        try:
            trace = _trace(group)
        except SpanError as error:
            yield Problem(error.place, str(error))
        else:
            if trace.messages:
                yield trace


def _with_logs(spans: Iterable[Span]) -> list[Span]:
    """Return the spans with the events of their log records, in the order of their times."""
    known: dict[tuple[str, str], Span] = {}
    logs = []
    for span in spans:
        if span.began < 0:
            logs.append(span)
        else:
            known[span.trace, span.identifier] = span
    for log in logs:  # without its span, a log record is one
        span = known.setdefault((log.trace, log.identifier), replace(log, began=0, events=[]))
        span.events += log.events
    return sorted(known.values(), key=lambda span: span.began)


def _conversations(spans: Sequence[Span]) -> list[list[Span]]:
    names = {
        span.trace: str(span.attributes["gen_ai.conversation.id"])
        for span in reversed(spans)
        if span.attributes.get("gen_ai.conversation.id")
    }
    groups: dict[tuple[str, str], list[Span]] = {}
    for span in spans:
        identifier = span.attributes.get("gen_ai.conversation.id")
        name = str(identifier) if identifier else names.get(span.trace)
        key = ("conversation", name) if name else ("trace", span.trace)
        groups.setdefault(key, []).append(span)
    return [*groups.values()]


def _trace(spans: Sequence[Span]) -> Trace:
    by_agent = [span for span in spans if span.operation in ("invoke_agent", "invoke_workflow")]
    by_model = [span for span in spans if span.operation != "execute_tool" and span not in by_agent]
    inner = _below(spans, "execute_tool")  # a subagent that is called as a tool
    readings = [
        _merged(span for span in chosen if span.identifier not in inner)
        for chosen in (by_agent, by_model)
    ]
    messages = _with_tools(max(readings, key=len), spans)
    values = [span.attributes for span in spans]
    return Trace(
        spans[0].place,
        "otlp",
        tuple(messages),
        scenario=_first(values, *_SCENARIO),
        name=_first(values, "gen_ai.conversation.id"),
        model=_first(values, "gen_ai.request.model", "gen_ai.response.model"),
        usage=_usage(by_model) or _usage(by_agent),
    )


def _usage(spans: Iterable[Span]) -> TraceUsage | None:
    names = ("input_tokens", "prompt_tokens"), ("output_tokens", "completion_tokens")
    read, written = ([f"gen_ai.usage.{name}" for name in pair] for pair in names)
    cached = ["gen_ai.usage.cache_read.input_tokens"]
    return usage_of([span.attributes for span in spans], read, written, cached, [])


def _first(values: Sequence[Mapping[str, Any]], *names: str) -> str | None:
    texts = (attributes.get(name) for name in names for attributes in values)
    return next((str(text) for text in texts if text), None)


def _below(spans: Sequence[Span], operation: str) -> set[str]:
    """Return the identifiers of the spans below one of an operation."""
    below: set[str] = set()
    sources = {span.identifier for span in spans if span.operation == operation}
    while more := {s.identifier for s in spans if s.parent in sources | below} - below - sources:
        below |= more
    return below


def _merged(spans: Iterable[Span]) -> list[TraceMessage]:
    """Return the messages of spans, of which most repeat what was said before."""
    messages: list[TraceMessage] = []
    for span in spans:
        try:
            exchange = exchange_of(span.attributes, span.events)
        except TraceError as error:
            raise SpanError(span.place, str(error)) from None
        if exchange:
            messages = _continued(messages, exchange)
    return messages


def _continued(messages: list[TraceMessage], exchange: Exchange) -> list[TraceMessage]:
    """Return messages with those of a request that are new; the first system prompt counts."""
    whole = [*exchange.asked, *exchange.answered]
    new = [message for message in whole if message.speaker != "system"]
    if not messages:
        return [*(message for message in whole if message.speaker == "system"), *new]
    spoken, heard = _spoken(messages), _spoken(new)
    if spoken[: len(heard)] == heard:
        return messages
    most = min(len(spoken), len(heard))
    shared = next(n for n in range(most, -1, -1) if spoken[len(spoken) - n :] == heard[:n])
    return [*messages, *new[shared:]]


def _spoken(messages: Iterable[TraceMessage]) -> list[tuple[Any, ...]]:
    """Return what identifies messages in requests that repeat them: not identifiers of calls."""
    return [
        (m.speaker, m.text, tuple((call.name, call.arguments) for call in m.calls))
        for m in messages
        if m.speaker != "system"
    ]


def _with_tools(messages: list[TraceMessage], spans: Sequence[Span]) -> list[TraceMessage]:
    """Return the messages with what spans of tools know: results, failures, unwritten calls."""
    tools = [span for span in spans if span.operation == "execute_tool"]
    calls = {call.identifier for message in messages for call in message.calls}
    if not calls and messages:
        return _with_calls_before_end(messages, tools)
    answered = {message.call for message in messages}
    by_call = {str(span.attributes.get("gen_ai.tool.call.id")): span for span in tools}
    complete: list[TraceMessage] = []
    for message in messages:
        failed = message.call in by_call and by_call[message.call].failed
        complete.append(replace(message, failed=True) if failed else message)
        for call in message.calls:
            span = by_call.get(call.identifier)
            if span and call.identifier not in answered and _result(span) is not None:
                complete.append(_answer(span, call.identifier))
    return complete


def _with_calls_before_end(
    messages: list[TraceMessage], tools: Iterable[Span]
) -> list[TraceMessage]:
    """Return messages among which no call is, with those of spans before the last answer."""
    made: list[TraceMessage] = []
    for place, span in enumerate(tools):
        name = str(span.attributes.get("gen_ai.tool.name", ""))
        identifier = str(span.attributes.get("gen_ai.tool.call.id") or f"span-{place}")
        arguments = as_text(span.attributes.get("gen_ai.tool.call.arguments") or {})
        made.append(TraceMessage("assistant", "", (TraceCall(identifier, name, arguments),)))
        if _result(span) is not None:
            made.append(_answer(span, identifier))
    end = len(messages) - (messages[-1].speaker == "assistant")
    return [*messages[:end], *made, *messages[end:]]


def _result(span: Span) -> Any:
    return span.attributes.get("gen_ai.tool.call.result")


def _answer(span: Span, identifier: str) -> TraceMessage:
    return TraceMessage("tool", as_text(_result(span)), call=identifier, failed=span.failed)
