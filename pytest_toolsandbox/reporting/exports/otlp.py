"""Traces in OTLP/JSON, with the names of OpenTelemetry's semantic conventions for generative AI."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pytest_toolsandbox.records.record import MadeCallRecord, Record
from pytest_toolsandbox.reporting.html.conversation import page_view
from pytest_toolsandbox.reporting.pages.differences import clock_of
from pytest_toolsandbox.wording.redaction import clean, redacted_line

from .chat import chat_messages

INTERNAL: Final = 1
FAILED: Final = 2
"""The kind of a span, and the code of a status, as OTLP numbers them."""
STEP: Final = 1_000_000
"""Nanoseconds from a message to the next: records have no times, and viewers need an order."""


def otlp_trace(records: Sequence[Record]) -> dict[str, Any]:
    """Return the spans of conversations: a trace for each, with a span for each call of a tool.

    Times begin at what the world's clock says, and tell the order of the messages alone.
    """
    service = _attributes({"service.name": "pytest-toolsandbox"})
    spans = [span for record in records for span in _spans(record)]
    scope = {"scope": {"name": "pytest_toolsandbox"}, "spans": spans}
    return {"resourceSpans": [{"resource": {"attributes": service}, "scopeSpans": [scope]}]}


def _spans(record: Record) -> Iterator[dict[str, Any]]:
    about = record["agent"], record["id"], str(record["trial"])
    trace, root = _digest(32, *about), _digest(16, *about)
    last = len(record["messages"])
    agent = redacted_line(record["agent"])
    verdict = redacted_line(page_view(record).verdict)
    is_error = record["outcome"] in ("error", "inconclusive")
    event = {"name": "gen_ai.evaluation.result", "timeUnixNano": _time(record, last)}
    yield {
        "traceId": trace,
        "spanId": root,
        "name": f"invoke_agent {agent}",
        "kind": INTERNAL,
        "startTimeUnixNano": _time(record, 0),
        "endTimeUnixNano": _time(record, last),
        "attributes": _attributes(_of_conversation(record, agent)),
        "events": [{**event, "attributes": _attributes(_evaluation(record, verdict))}],
        "status": {"code": FAILED, "message": verdict} if is_error else {},
    }
    for number, call in enumerate(record.get("tool_calls", [])):
        attributes, error = _of_call(record, call)
        end = last if call["answer"] is None else call["answer"]
        yield {
            "traceId": trace,
            "spanId": _digest(16, *about, str(number)),
            "parentSpanId": root,
            "name": f"execute_tool {attributes['gen_ai.tool.name']}",
            "kind": INTERNAL,
            "startTimeUnixNano": _time(record, call["request"]),
            "endTimeUnixNano": _time(record, end),
            "attributes": _attributes(attributes),
            "status": {"code": FAILED, "message": error} if error else {},
        }


def _of_conversation(record: Record, agent: str) -> dict[str, Any]:
    messages = [_message(one) for one in chat_messages(record)]
    first = next((n for n, one in enumerate(messages) if one["role"] == "assistant"), len(messages))
    told = [one for one in messages[:first] if one["role"] != "system"]
    system = [part for one in messages if one["role"] == "system" for part in one["parts"]]
    settings: Any = record.get("agent_settings", {})
    used: Any = record.get("usage", {}).get("agent", {})
    return {
        "gen_ai.usage.input_tokens": used.get("input_tokens"),
        "gen_ai.usage.output_tokens": used.get("output_tokens"),
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": agent,
        "gen_ai.request.model": settings.get("model"),
        "gen_ai.conversation.id": f"{record['id']} trial {record['trial']}",
        "gen_ai.system_instructions": json.dumps(system, ensure_ascii=False),
        "gen_ai.input.messages": json.dumps(told, ensure_ascii=False),
        "gen_ai.output.messages": json.dumps(messages[first:], ensure_ascii=False),
        "toolsandbox.outcome": record["outcome"],
        "toolsandbox.world": record["world"],
        "toolsandbox.variant": record.get("variant"),
        "error.type": record.get("cause") if record["outcome"] == "error" else None,
    }


def _evaluation(record: Record, verdict: str) -> dict[str, Any]:
    return {
        "gen_ai.evaluation.name": "toolsandbox",
        "gen_ai.evaluation.score.value": (record["scores"] or {}).get("score"),
        "gen_ai.evaluation.score.label": record["outcome"],
        "gen_ai.evaluation.explanation": verdict,
    }


def _of_call(record: Record, call: MadeCallRecord) -> tuple[dict[str, Any], str]:
    request = record["messages"][call["request"]].call
    assert request is not None
    answer = None if call["answer"] is None else record["messages"][call["answer"]]
    error = redacted_line(answer.error) if answer and answer.error else ""
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": redacted_line(request.name),
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": request.identifier,
        "gen_ai.tool.call.arguments": clean(request.arguments),
        "gen_ai.tool.call.result": clean(answer.content) if answer else None,
        "error.type": error.partition(":")[0] or None,
    }
    return attributes, error


def _message(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return a message as the conventions' JSON Schemas have it: a role, and parts."""
    text, calls = message["content"], message.get("tool_calls", [])
    if message["role"] == "tool":
        answer = {"type": "tool_call_response", "id": message["tool_call_id"], "response": text}
        return {"role": "tool", "parts": [answer]}
    parts: list[dict[str, Any]] = [{"type": "text", "content": text}] if text else []
    for call in calls:
        about = {"type": "tool_call", "id": call["id"], "name": call["function"]["name"]}
        parts.append({**about, "arguments": call["function"]["arguments"]})
    return {"role": message["role"], "parts": parts}


def _attributes(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    kinds = {int: "intValue", float: "doubleValue"}
    return [
        {"key": name, "value": {kinds.get(type(value), "stringValue"): value}}
        for name, value in values.items()
        if value is not None
    ]


def _time(record: Record, message: int) -> str:
    seconds = clock_of(record).timestamp()
    return str(int(seconds) * 1_000_000_000 + message * STEP)


def _digest(letters: int, *texts: str) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:letters]
