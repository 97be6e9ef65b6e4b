"""The record of an item that ended without one, as where the process that played it died."""

from __future__ import annotations

from pytest_toolsandbox.wording.cutting import one_line
from pytest_toolsandbox.wording.redaction import redacted

from .record import VERSION, Record


def lost_record(identifier: str, reason: str) -> Record:
    """Return the record of an error of which nothing is known but the item and a reason."""
    return {
        "record": VERSION,
        "id": identifier,
        "trial": 1,
        "variant": None,
        "feedback": False,
        "world": "",
        "categories": [],
        "agent": "unknown",
        "outcome": "error",
        "cause": "ours",
        "reason": one_line(redacted(reason)),
        "scores": None,
        "counts": {"turns": 0, "messages": 0, "tool_calls": 0},
        "scenario": identifier.partition("::")[2].partition("[")[0],
        "scenario_digest": "",
        "summary": "",
        "tags": [],
        "now": "",
        "start": {},
        "tools": [],
        "api_similarity": None,
        "user": "scripted",
        "call_format": "native",
        "milestones": [],
        "minefields": [],
        "protected": [],
        "exact": None,
        "findings": [],
        "messages": [],
        "snapshots": [],
    }
