"""The record of a scenario that was played: plain JSON values, the source of every report."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pytest_toolsandbox.calls.tool_call import ToolCall
from pytest_toolsandbox.conversation.messages import Message, Trajectory
from pytest_toolsandbox.evaluation.api_similarity import api_similarity
from pytest_toolsandbox.evaluation.error_patterns.patterns import ErrorPatterns
from pytest_toolsandbox.evaluation.queries import QueryEvaluation
from pytest_toolsandbox.evaluation.results import Evaluation, Result
from pytest_toolsandbox.evaluation.tooltalk.evaluate_calls import CallEvaluation
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.wording.redaction import redacted
from pytest_toolsandbox.worlds.state import State, Table, plain

from .error_patterns import answer_record, error_patterns_record, finding_record
from .tooltalk import calls_outline, calls_record, outline_of

Record = dict[str, Any]

VERSION = 1
IN_TOTALS = (
    *("id", "variant", "feedback", "world", "categories", "agent", "outcome", "scores", "counts"),
    *("error_patterns", "query"),
)
"""What totals look at, where a record has it."""
_LINE_ENDS = {ord(char): f"\\u{ord(char):04x}" for char in "\x85\u2028\u2029"}


@dataclass(frozen=True)
class Played:
    """A conversation that was played: of which item, as which trial, by whom."""

    identifier: str
    trial: int
    agent: str
    scenario: Scenario
    trajectory: Trajectory


def record(
    played: Played,
    result: Result | None = None,
    patterns: ErrorPatterns | None = None,
    *,
    reason: str | None = None,
) -> Record:
    """Return the record of a conversation and its result, or of one that was not finished.

    ``outcome`` is ``passed``, ``failed`` or ``error``; an error has a ``reason`` and no scores.
    Everything is a plain JSON value; numbers that JSON lacks become text. No text holds a key that
    the environment has.
    """
    scenario, trajectory = played.scenario, played.trajectory
    values = {
        "record": VERSION,
        "id": played.identifier,
        "scenario": scenario.name,
        "variant": scenario.variant,
        "trial": played.trial,
        "scenario_digest": scenario.digest,
        "summary": scenario.summary,
        "categories": scenario.categories,
        "tags": scenario.tags,
        "world": scenario.world.name,
        "now": scenario.now.isoformat(),
        "start": start_digests(scenario.start),
        "tools": scenario.tools,
        "api_similarity": api_similarity(_names(scenario)),
        "agent": played.agent,
        "user": "scripted",
        "feedback": scenario.gives_feedback,
        "call_format": scenario.call_format,
        "outcome": _outcome(result),
        "reason": reason,
        "scores": _scores(result),
        "counts": _counts(trajectory),
        "milestones": _explained(result, "milestones"),
        "minefields": _explained(result, "minefields"),
        "protected": _explained(result, "protected"),
        "exact": result.exact if isinstance(result, Evaluation) else None,
        **_calls(result, calls_record),
        **_query(scenario, result),
        **_error_patterns(scenario, patterns),
        "findings": list(map(finding_record, patterns.findings)) if patterns else [],
        "messages": [_message(message) for message in trajectory.messages],
        "snapshots": _snapshots(trajectory),
        "untried_orders": trajectory.untried_orders,
    }
    return _without_keys({name: _json(value) for name, value in values.items()})


def outline(
    played: Played,
    result: Result | None = None,
    patterns: ErrorPatterns | None = None,
    *,
    reason: str | None = None,
) -> Record:
    """Return what the totals and JUnit XML need of a record, where none is written."""
    values = {
        "id": played.identifier,
        "variant": played.scenario.variant,
        "feedback": played.scenario.gives_feedback,
        "world": played.scenario.world.name,
        "categories": played.scenario.categories,
        "agent": played.agent,
        "outcome": _outcome(result),
        "reason": reason,
        "scores": _scores(result),
        "counts": _counts(played.trajectory),
        **_calls(result, calls_outline),
        **_query(played.scenario, result),
        **_error_patterns(played.scenario, patterns),
    }
    return _without_keys({name: _json(value) for name, value in values.items()})


def as_line(record: Record) -> str:
    """Write a record as one line of JSON, for every reader's idea of a line."""
    return json.dumps(record, ensure_ascii=False, allow_nan=False).translate(_LINE_ENDS)


def without_trajectory(record: Record) -> Record:
    """Return the part of a record that totals are made of, which is small."""
    calls = {"calls": outline_of(record["calls"])} if "calls" in record else {}
    return {name: record[name] for name in IN_TOTALS if name in record} | calls


def start_digests(state: State) -> dict[str, str]:
    """Return table → what tells its rows from others, whatever their order."""
    return {name: _table_digest(table) for name, table in state.items()}


@lru_cache(maxsize=1024)  # many scenarios start with the same tables
def _table_digest(table: Table) -> str:
    rows = sorted(json.dumps(plain(row), sort_keys=True) for row in table)
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()[:16]


def _without_keys(record: Record) -> Record:
    """Look for keys in all texts at once first: hardly ever is there one."""
    everything = "\n".join(_texts(record))
    return record if redacted(everything) == everything else _redacted(record)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for item in (*value, *value.values()) if isinstance(value, dict) else value:
            yield from _texts(item)


def _redacted(value: Any) -> Any:
    if isinstance(value, str):
        return redacted(value)
    if isinstance(value, dict):
        return {redacted(name): _redacted(item) for name, item in value.items()}
    return [_redacted(item) for item in value] if isinstance(value, list) else value


def _outcome(result: Result | None) -> str:
    if result is None:
        return "error"
    return "passed" if result.passed else "failed"


def _calls(
    result: Result | None, write: Callable[[CallEvaluation], dict[str, Any]]
) -> dict[str, Any]:
    """Return what there is to say of calls, where they were compared with true ones."""
    return {"calls": write(result)} if isinstance(result, CallEvaluation) else {}


def _query(scenario: Scenario, result: Result | None) -> dict[str, Any]:
    """Return what there is to say of a query and its answer, where it is one."""
    if scenario.query is None:
        return {}
    about = {"manner": scenario.query.manner, "base": scenario.query.base}
    return {"query": about | (answer_record(result) if isinstance(result, QueryEvaluation) else {})}


def _error_patterns(scenario: Scenario, patterns: ErrorPatterns | None) -> dict[str, Any]:
    if patterns is None:
        return {}
    return {"error_patterns": error_patterns_record(patterns, scenario)}


def _names(scenario: Scenario) -> list[str]:
    """Return the names of the world's tools on offer, as the agent sees them."""
    shown = scenario.world.shown(scenario.scrambled)
    return [shown[name].name for name in scenario.tools]


def _counts(trajectory: Trajectory) -> dict[str, int]:
    return {
        "turns": trajectory.turn_count,
        "messages": len(trajectory.messages),
        "tool_calls": trajectory.tool_call_count,
    }


def _scores(result: Result | None) -> dict[str, float] | None:
    if result is None:
        return None
    if not isinstance(result, Evaluation):
        return {"score": result.score}
    return {
        "score": result.score,
        "milestone_score": result.milestone_score,
        "minefield_score": result.minefield_score,
    }


def _explained(result: Result | None, section: str) -> list[dict[str, Any]]:
    if not isinstance(result, Evaluation):
        return []
    return [dataclasses.asdict(item) for item in getattr(result, section)]


def _message(message: Message) -> dict[str, Any]:
    return {
        "sender": message.sender,
        "recipient": message.recipient,
        "visible_to": message.visible_to,
        "content": message.content,
        "call": _call(message.call) if message.call else None,
        "trace": dataclasses.asdict(message.trace) if message.trace else None,
        "error": message.error,
    }


def _call(call: ToolCall) -> dict[str, Any]:
    """Return a call; what was written only where it differs from what was meant."""
    return {name: value for name, value in dataclasses.asdict(call).items() if value is not None}


def _snapshots(trajectory: Trajectory) -> list[dict[str, Any]]:
    """Return the messages after which the world differs from before, and in what."""
    snapshots = []
    before = trajectory.start
    for index, state in enumerate(trajectory.states):
        if state is not before and (changes := state.changes_since(before)):
            snapshots.append({"message": index, "changes": changes})
        before = state
    return snapshots


def _json(value: Any) -> Any:
    """Return a value as plain JSON values, so that it crosses processes and fits into a file."""
    if isinstance(value, dict):
        return {str(name): _json(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_json(item) for item in value]
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()  # half a surrogate pair is none
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, (bool, int, float)):
        return value
    return _json(plain(value)) if hasattr(value, "keys") else str(value)
