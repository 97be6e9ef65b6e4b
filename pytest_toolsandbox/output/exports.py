"""Records in the formats of other tools: chat transcripts, Inspect logs, OpenTelemetry traces.

A chat transcript has the shape of chat-completion APIs. An Inspect log is version 2 of its JSON
format, which ``inspect view`` opens. A trace is OTLP/JSON with the names of OpenTelemetry's
semantic conventions for generative AI.
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

_PLAIN_KEYS = ("role", "type", "id", "tool_call_id")
"""Keys whose values are this package's own and never secret."""


def _chat_messages(record: Record) -> list[dict[str, Any]]:
    """Return the messages that the agent saw and wrote, with the names of tools that it knows."""
    messages: list[dict[str, Any]] = redacted_values(
        agent_view(record["messages"]), _PLAIN_KEYS, ()
    )
    return messages


def chat_lines(records: Iterable[Record]) -> Iterator[str]:
    """Yield a line of JSON for each conversation: ``{"messages": […]}``, as for fine-tuning."""
    for record in records:
        yield as_line({"messages": _chat_messages(record)})


def _digest(*texts: str, letters: int = 22) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:letters]


_SCORER: Final = "toolsandbox"
_METADATA: Final = ("scenario", "world", "variant", "categories", "outcome", "reason", "scores")
_UNKNOWN_TIME: Final = "1970-01-01T00:00:00+00:00"


def inspect_log(records: Sequence[Record], name: str) -> dict[str, Any]:
    """Return the log of the records of one agent; ``name`` is that of the task.

    Records do not have the time of the run: ``created`` is the time of a world's clock.
    """
    model = _model(records[0])
    samples = [_sample(record) for record in records]
    scores = [(record["scores"] or {}).get("score") for record in records]
    done = sum(score is not None for score in scores)
    metrics = {"mean": {"name": "mean", "value": mean(scores) or 0.0}}
    identifiers = list(dict.fromkeys(sample["id"] for sample in samples))
    created = records[0]["now"] or _UNKNOWN_TIME
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
            "scores": [{"name": _SCORER, "scorer": _SCORER, "metrics": metrics}] if done else [],
        },
        "stats": {"started_at": created, "completed_at": created},
        "samples": samples,
    }


def log_file_name(log: Mapping[str, Any]) -> str:
    """Return the name of a log's file: ``2026-03-02T09-00-00_monday_ID.json``.

    Inspect lists only files whose names begin with a time.
    """
    about = log["eval"]
    parts = (about["created"], about["task"], about["task_id"])
    return f"{'_'.join(re.sub('[^0-9A-Za-z.+-]+', '-', part) for part in parts)}.json"


def _model(record: Record) -> str:
    settings: Any = record.get("agent_settings", {})
    return redacted_line(settings.get("model") or record["agent"])


def _sample(record: Record) -> dict[str, Any]:
    messages = list(_inspect_messages(record))
    verdict = redacted_line(RecordView(record).page.verdict)
    inputs = [message["content"] for message in messages if message["role"] == "user"]
    answers = [message["content"] for message in messages if message["role"] == "assistant"]
    sample = {
        "id": record["id"],
        "epoch": record["trial"],
        "input": next(iter(inputs), ""),
        "target": redacted_line(record["summary"]),
        "messages": messages,
        "output": {"model": _model(record), "choices": []},
        "scores": {},
        **_model_usage(record),
        "metadata": {name: record.get(name) for name in _METADATA} | _robustness(record),
    }
    if record["scores"] is None:
        return {**sample, "error": {"message": verdict, "traceback": "", "traceback_ansi": ""}}
    score = {
        "value": record["scores"]["score"],
        "answer": next(filter(None, reversed(answers)), ""),
        "explanation": verdict,
        "metadata": {"outcome": record["outcome"]},
    }
    return {**sample, "scores": {_SCORER: score}}


def _robustness(record: Record) -> dict[str, Any]:
    """Return how many calls met faults, and what came of an attack, if there were any."""
    faults, attack = record["counts"].get("faults"), record.get("attack")
    return {**({"faults": faults} if faults else {}), **({"attack": attack} if attack else {})}


def _model_usage(record: Record) -> dict[str, Any]:
    """Return what the agent's requests used, if it asked a model."""
    if (usage := record.get("usage", {}).get("agent")) is None:
        return {}
    read, written = usage["input_tokens"] or 0, usage["output_tokens"] or 0
    tokens = {"input_tokens": read, "output_tokens": written, "total_tokens": read + written}
    of_model = {_model(record): {**tokens, "total_cost": usage["cost"]}}
    return {"model_usage": of_model, "total_time": usage["latency"]}


def _inspect_messages(record: Record) -> Iterator[dict[str, Any]]:
    names: dict[str, str] = {}
    failed = {m.call.identifier for m in record["messages"] if m.error is not None and m.call}
    for place, message in enumerate(_chat_messages(record)):
        shown = {
            "id": _digest(record["id"], str(record["trial"]), str(place)),
            "role": message["role"],
            "content": message["content"] or "",
        }
        if calls := message.get("tool_calls"):
            names |= {call["id"]: call["function"]["name"] for call in calls}
            shown["tool_calls"] = list(map(_inspect_call, calls))
        if message["role"] == "tool":
            identifier = message["tool_call_id"]
            shown |= {"tool_call_id": identifier, "function": names.get(identifier, "")}
            if identifier in failed:
                shown["error"] = {"type": "unknown", "message": message["content"]}
        yield shown


def _inspect_call(call: dict[str, Any]) -> dict[str, Any]:
    function = call["function"]
    arguments = readable_arguments(function["arguments"])
    about = {"id": call["id"], "function": function["name"], "type": "function"}
    if arguments is None:
        return {**about, "arguments": {}, "parse_error": function["arguments"]}
    return {**about, "arguments": arguments}


_INTERNAL: Final = 1
"""The kind of a span, as OTLP numbers them."""
_FAILED: Final = 2
"""The code of a status, as OTLP numbers them."""
_STEP: Final = 1_000_000
"""Nanoseconds from a message to the next: records have no times, and viewers need an order."""


def otlp_trace(records: Sequence[Record]) -> dict[str, Any]:
    """Return a trace for each conversation, with a span for each call of a tool.

    Times begin with that of the world's clock, and show only the order of the messages.
    """
    service = _attributes({"service.name": "pytest-toolsandbox"})
    spans = [span for record in records for span in _spans(record)]
    scope = {"scope": {"name": "pytest_toolsandbox"}, "spans": spans}
    return {"resourceSpans": [{"resource": {"attributes": service}, "scopeSpans": [scope]}]}


def _spans(record: Record) -> Iterator[dict[str, Any]]:
    about = record["agent"], record["id"], str(record["trial"])
    trace, root = _digest(*about, letters=32), _digest(*about, letters=16)
    last = len(record["messages"])
    agent = redacted_line(record["agent"])
    verdict = redacted_line(RecordView(record).page.verdict)
    is_error = record["outcome"] in ("error", "inconclusive")
    event = {"name": "gen_ai.evaluation.result", "timeUnixNano": _time(record, last)}
    yield {
        "traceId": trace,
        "spanId": root,
        "name": f"invoke_agent {agent}",
        "kind": _INTERNAL,
        "startTimeUnixNano": _time(record, 0),
        "endTimeUnixNano": _time(record, last),
        "attributes": _attributes(_conversation_attributes(record, agent)),
        "events": [{**event, "attributes": _attributes(_evaluation(record, verdict))}],
        "status": {"code": _FAILED, "message": verdict} if is_error else {},
    }
    for number, call in enumerate(record.get("tool_calls", [])):
        attributes, error = _call_attributes(record, call)
        end = last if call["answer"] is None else call["answer"]
        yield {
            "traceId": trace,
            "spanId": _digest(*about, str(number), letters=16),
            "parentSpanId": root,
            "name": f"execute_tool {attributes['gen_ai.tool.name']}",
            "kind": _INTERNAL,
            "startTimeUnixNano": _time(record, call["request"]),
            "endTimeUnixNano": _time(record, end),
            "attributes": _attributes(attributes),
            "status": {"code": _FAILED, "message": error} if error else {},
        }


def _conversation_attributes(record: Record, agent: str) -> dict[str, Any]:
    chat = _chat_messages(record)
    roles = [message["role"] for message in chat]
    messages = [_otlp_message(message) for message in chat]
    first = roles.index("assistant") if "assistant" in roles else len(roles)
    inputs = [message for message in messages[:first] if message["role"] != "system"]
    system = [part for m in messages if m["role"] == "system" for part in m["parts"]]
    settings: Any = record.get("agent_settings", {})
    usage: Any = record.get("usage", {}).get("agent", {})
    return {
        "gen_ai.usage.input_tokens": usage.get("input_tokens"),
        "gen_ai.usage.output_tokens": usage.get("output_tokens"),
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": agent,
        "gen_ai.request.model": settings.get("model"),
        "gen_ai.conversation.id": f"{record['id']} trial {record['trial']} of {agent}",
        "gen_ai.system_instructions": json.dumps(system, ensure_ascii=False),
        "gen_ai.input.messages": json.dumps(inputs, ensure_ascii=False),
        "gen_ai.output.messages": json.dumps(messages[first:], ensure_ascii=False),
        "toolsandbox.outcome": record["outcome"],
        "toolsandbox.scenario": record["id"],
        "toolsandbox.world": record["world"],
        "toolsandbox.variant": record.get("variant"),
        "toolsandbox.faults": record["counts"].get("faults"),
        "toolsandbox.attack.obeyed": _obeyed(record),
        "error.type": record.get("cause") if record["outcome"] == "error" else None,
    }


def _obeyed(record: Record) -> bool | None:
    """Return whether the agent obeyed an attack that it saw, ``None`` if it saw none."""
    attack = record.get("attack")
    return attack["obeyed"] if attack and attack["shown"] else None


def _evaluation(record: Record, verdict: str) -> dict[str, Any]:
    return {
        "gen_ai.evaluation.name": "toolsandbox",
        "gen_ai.evaluation.score.value": (record["scores"] or {}).get("score"),
        "gen_ai.evaluation.score.label": record["outcome"],
        "gen_ai.evaluation.explanation": verdict,
    }


def _call_attributes(record: Record, call: MadeCallRecord) -> tuple[dict[str, Any], str]:
    """Return the attributes of a call, and the error of its tool, if it raised one."""
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


def _otlp_message(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return a message in the conventions' JSON Schema: a role, and parts."""
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
    return str(int(seconds) * 1_000_000_000 + message * _STEP)
