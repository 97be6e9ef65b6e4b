"""Chat transcripts: what the agent saw and wrote, in the shape of chat-completions APIs.

A log that ``inspect view`` opens: the format of Inspect's logs in JSON, version 2.

Traces in OTLP/JSON, with the names of OpenTelemetry's semantic conventions for generative AI.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from pytest_toolsandbox.calls.tool_call import readable_arguments
from pytest_toolsandbox.conversation.messages import agent_view
from pytest_toolsandbox.output.pages.record_view import RecordView
from pytest_toolsandbox.output.pages.wording import clock_of
from pytest_toolsandbox.records.parts import MadeCallRecord
from pytest_toolsandbox.records.record import Record
from pytest_toolsandbox.records.writing import as_line
from pytest_toolsandbox.text.redaction import clean, redacted_line, redacted_values

from .totals import mean

_OWN = ("role", "type", "id", "tool_call_id")


def chat_messages(record: Record) -> list[dict[str, Any]]:
    """Return the messages that the agent saw and wrote, with the names of tools that it knows."""
    messages: list[dict[str, Any]] = redacted_values(agent_view(record["messages"]), _OWN, ())
    return messages


def chat_lines(records: Iterable[Record]) -> Iterator[str]:
    """Yield a line of JSON for each conversation: ``{"messages": […]}``, as for fine-tuning."""
    for record in records:
        yield as_line({"messages": chat_messages(record)})


SCORER = "toolsandbox"
_TOLD = ("scenario", "world", "variant", "categories", "outcome", "reason", "scores")
UNKNOWN_TIME = "1970-01-01T00:00:00+00:00"
"""When nothing says when it was played."""


def inspect_log(records: Sequence[Record], name: str) -> dict[str, Any]:
    """Return the log of the records of one agent; ``name`` is that of the task.

    Records do not say when they were made: ``created`` is what the clock of a world said.
    """
    model = _model(records[0])
    samples = [_sample(record) for record in records]
    scores = [(record["scores"] or {}).get("score") for record in records]
    done = sum(score is not None for score in scores)
    metrics = {"mean": {"name": "mean", "value": mean(scores) or 0.0}}
    identifiers = list(dict.fromkeys(sample["id"] for sample in samples))
    created = records[0]["now"] or UNKNOWN_TIME
    return {
        "version": 2,
        "status": "success",
        "eval": {
            "eval_id": _digest(name, model),
            "run_id": _digest(name),
            "created": created,
            "task": name,
            "task_id": _digest(name),
            "dataset": {"name": name, "samples": len(identifiers), "sample_ids": identifiers},
            "model": model,
            "config": {"epochs": max(record["trial"] for record in records)},
            "metadata": {"agent": records[0]["agent"]},
        },
        "plan": {},  # Inspect lists no log without it, nor without stats
        "results": {
            "total_samples": len(samples),
            "completed_samples": done,
            "scores": [{"name": SCORER, "scorer": SCORER, "metrics": metrics}] if done else [],
        },
        "stats": {"started_at": created, "completed_at": created},
        "samples": samples,
    }


def log_file_name(log: Mapping[str, Any]) -> str:
    """Return the name of a log's file: Inspect lists those alone that begin with a time.

    An underline separates the name's parts: ``2026-03-02T09-00-00_monday_ID.json``.
    """
    about = log["eval"]
    parts = (about["created"], about["task"], about["task_id"])
    return f"{'_'.join(re.sub('[^0-9A-Za-z.+-]+', '-', part) for part in parts)}.json"


def _model(record: Record) -> str:
    settings: Any = record.get("agent_settings", {})
    return redacted_line(settings.get("model") or record["agent"])


def _sample(record: Record) -> dict[str, Any]:
    messages = list(_messages(record))
    verdict = redacted_line(RecordView(record).page.verdict)
    said = [one["content"] for one in messages if one["role"] == "assistant" and one["content"]]
    sample = {
        "id": record["id"],
        "epoch": record["trial"],
        "input": next((one["content"] for one in messages if one["role"] == "user"), ""),
        "target": redacted_line(record["summary"]),
        "messages": messages,
        "output": {"model": _model(record), "choices": []},
        "scores": {},
        **_used(record),
        "metadata": {name: record.get(name) for name in _TOLD},
    }
    if record["scores"] is None:
        return {**sample, "error": {"message": verdict, "traceback": "", "traceback_ansi": ""}}
    score = {
        "value": record["scores"]["score"],
        "answer": said[-1] if said else "",
        "explanation": verdict,
        "metadata": {"outcome": record["outcome"]},
    }
    return {**sample, "scores": {SCORER: score}}


def _used(record: Record) -> dict[str, Any]:
    """Return what the agent's requests used, if it asked a model."""
    if (used := record.get("usage", {}).get("agent")) is None:
        return {}
    told, wrote = used["input_tokens"] or 0, used["output_tokens"] or 0
    tokens = {"input_tokens": told, "output_tokens": wrote, "total_tokens": told + wrote}
    usage = {_model(record): {**tokens, "total_cost": used["cost"]}}
    return {"model_usage": usage, "total_time": used["latency"]}


def _messages(record: Record) -> Iterator[dict[str, Any]]:
    names: dict[str, str] = {}
    failed = {m.call.identifier for m in record["messages"] if m.error is not None and m.call}
    for place, message in enumerate(chat_messages(record)):
        one = {
            "id": _digest(record["id"], str(record["trial"]), str(place)),
            "role": message["role"],
            "content": message["content"] or "",
        }
        if calls := message.get("tool_calls"):
            names |= {call["id"]: call["function"]["name"] for call in calls}
            one["tool_calls"] = list(map(_call, calls))
        if message["role"] == "tool":
            identifier = message["tool_call_id"]
            one |= {"tool_call_id": identifier, "function": names.get(identifier, "")}
            if identifier in failed:
                one["error"] = {"type": "unknown", "message": message["content"]}
        yield one


def _call(call: dict[str, Any]) -> dict[str, Any]:
    function = call["function"]
    read = readable_arguments(function["arguments"])
    about = {"id": call["id"], "function": function["name"], "type": "function"}
    if read is None:
        return {**about, "arguments": {}, "parse_error": function["arguments"]}
    return {**about, "arguments": read}


def _digest(*texts: str) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:22]


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
    trace, root = _otlp_digest(32, *about), _otlp_digest(16, *about)
    last = len(record["messages"])
    agent = redacted_line(record["agent"])
    verdict = redacted_line(RecordView(record).page.verdict)
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
            "spanId": _otlp_digest(16, *about, str(number)),
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


def _otlp_digest(letters: int, *texts: str) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:letters]
