"""The record of a scenario that was played: plain JSON values, the source of every report."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
from dataclasses import dataclass
from typing import Any

from pytest_toolsandbox.agents.redaction import redacted
from pytest_toolsandbox.conversation.messages import Message, Trajectory
from pytest_toolsandbox.evaluation.results import Evaluation
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.worlds.state import State, plain

Record = dict[str, Any]

VERSION = 1


@dataclass(frozen=True)
class Played:
    """A conversation that was played: of which item, as which trial, by whom."""

    identifier: str
    trial: int
    agent: str
    scenario: Scenario
    trajectory: Trajectory


def record(
    played: Played, result: Evaluation | None = None, *, reason: str | None = None
) -> Record:
    """Return the record of a conversation and its result, or of one that was not finished.

    ``outcome`` is ``passed``, ``failed`` or ``error``; an error has a ``reason`` and no scores.
    Everything is a plain JSON value; numbers that JSON lacks become text.
    """
    scenario, trajectory = played.scenario, played.trajectory
    values = {
        "record": VERSION,
        "id": played.identifier,
        "scenario": scenario.name,
        "variant": None,
        "trial": played.trial,
        "scenario_digest": scenario.digest,
        "summary": scenario.summary,
        "categories": scenario.categories,
        "tags": scenario.tags,
        "world": scenario.world.name,
        "start_digest": state_digest(scenario.start),
        "tools": scenario.tools,
        "agent": played.agent,
        "user": "scripted",
        "outcome": "error" if result is None else "passed" if result.passed else "failed",
        "reason": reason,
        "scores": _scores(result),
        "counts": {
            "turns": trajectory.turn_count,
            "messages": len(trajectory.messages),
            "tool_calls": trajectory.tool_call_count,
        },
        "milestones": _explained(result, "milestones"),
        "minefields": _explained(result, "minefields"),
        "protected": _explained(result, "protected"),
        "exact": None if result is None else result.exact,
        "findings": [],
        "messages": [_message(message) for message in trajectory.messages],
        "snapshots": _snapshots(trajectory),
    }
    return {name: _json(value) for name, value in values.items()}


def as_line(record: Record) -> str:
    """Write a record as one line of JSON, without any key that the environment holds."""
    return redacted(json.dumps(record, ensure_ascii=False, allow_nan=False))


def state_digest(state: State) -> str:
    """Return what tells one state from another, whatever the order of its rows."""
    tables = {
        name: sorted(json.dumps(plain(row), sort_keys=True) for row in table)
        for name, table in state.items()
    }
    return hashlib.sha256(json.dumps(tables, sort_keys=True).encode()).hexdigest()[:16]


def _scores(result: Evaluation | None) -> dict[str, float] | None:
    if result is None:
        return None
    return {
        "score": result.score,
        "milestone_score": result.milestone_score,
        "minefield_score": result.minefield_score,
    }


def _explained(result: Evaluation | None, section: str) -> list[dict[str, Any]]:
    if result is None:
        return []
    return [dataclasses.asdict(item) for item in getattr(result, section)]


def _message(message: Message) -> dict[str, Any]:
    return {
        "sender": message.sender,
        "recipient": message.recipient,
        "visible_to": message.visible_to,
        "content": message.content,
        "call": dataclasses.asdict(message.call) if message.call else None,
        "trace": dataclasses.asdict(message.trace) if message.trace else None,
        "error": message.error,
    }


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
        return str.__str__(value)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, (bool, int, float)):
        return value
    return _json(plain(value)) if hasattr(value, "keys") else str(value)
