"""A log that ``inspect view`` opens: the format of Inspect's logs in JSON, version 2."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pytest_toolsandbox.calls.tool_call import readable_arguments
from pytest_toolsandbox.records.record import Record
from pytest_toolsandbox.reporting.html.conversation import page_view
from pytest_toolsandbox.reporting.summary_columns import mean
from pytest_toolsandbox.wording.redaction import redacted_line

from .chat import chat_messages

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
    verdict = redacted_line(page_view(record).verdict)
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
