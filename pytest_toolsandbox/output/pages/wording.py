"""How values, times, scores, calls and constraints are worded on pages, in one line each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pytest_toolsandbox.calls.tool_call import ToolCall, read_arguments
from pytest_toolsandbox.language.constraints import (
    CallConstraint,
    Constraint,
    HoldsConstraint,
    StateConstraint,
    ValuelessConstraint,
)
from pytest_toolsandbox.language.values import Expected
from pytest_toolsandbox.records.parts import EventRecord
from pytest_toolsandbox.records.record import Record
from pytest_toolsandbox.scoring.tooltalk.rules import Call
from pytest_toolsandbox.text.formatting import format_value
from pytest_toolsandbox.text.redaction import redacted_line

_LONGEST_TEXT = 300
_LONGEST_VALUE = 200
_NUMBER = r"(\d{9,10}(?:\.\d+)?)\b(?!')"  # seconds since 1970; from 1973 to 2286
_ALONE = re.compile(rf"(?<![\w.+'-]){_NUMBER}")
_NAMED = re.compile(rf"(timestamp\w*: ){_NUMBER}")


def shortened(text: str, limit: int = _LONGEST_TEXT) -> str:
    """Return a text in one line without secrets, cut after ``limit`` characters.

    The mark of a cut is ASCII, so that it looks the same in every terminal and log.
    """
    return redacted_line(text, limit, mark="...")


def value_text(value: Any) -> str:
    """Return a value that was found, in the way in which expected ones are written."""
    return repr(value) if isinstance(value, str) else format_value(value)


def shown_value(text: str, zone: tzinfo, name: str = "") -> str:
    """Return the text of a value in one line, cut if it is long, with wall times."""
    return with_wall_times(shortened(text, _LONGEST_VALUE), zone, name)


def score_text(score: float) -> str:
    """Return a score with two digits; only 1 is shown as 1."""
    text = f"{score:.2f}"
    return "0.99" if text == "1.00" and score < 1 else text


def zone_of(record: Record) -> tzinfo:
    """Return the time zone of the record's world, by its name or else as the clock has it."""
    try:
        return ZoneInfo(record.get("time_zone", ""))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return clock_of(record).tzinfo or UTC


def clock_of(record: Record) -> datetime:
    """Return the time of the world's clock, or the epoch if it is unknown.

    It is unknown for an item whose process ended.
    """
    try:
        return datetime.fromisoformat(record["now"])
    except ValueError:
        return datetime.fromtimestamp(0, UTC)


def with_wall_times(text: str, zone: tzinfo, name: str = "") -> str:
    """Add the wall time to the timestamps in a text.

    A number is a timestamp after a name that contains "timestamp", as in
    ``reminder_timestamp: 1741968000``. If ``name``, that of the column or argument that the text is
    about, contains it, every number is one.
    """
    if "timestamp" in name:
        return _ALONE.sub(lambda match: f"{match[1]} ({_wall_time(match[1], zone)})", text)
    if "timestamp" not in text:
        return text
    return _NAMED.sub(lambda match: f"{match[0]} ({_wall_time(match[2], zone)})", text)


def _wall_time(seconds: str, zone: tzinfo) -> str:
    moment = datetime.fromtimestamp(float(seconds), zone)
    return f"{moment:%Y-%m-%d %H:%M:%S}".removesuffix(":00")


def python_call(call: ToolCall) -> str:
    """Return a call as Python code, ``name(argument='value')``, cut if it is long."""
    try:
        return call_as_code(call.name, read_arguments(call.arguments))
    except (ValueError, TypeError):
        return shortened(f"{call.name}({call.arguments})")


def call_as_code(name: str, arguments: Mapping[str, Any]) -> str:
    """Return a call with these arguments as Python code."""
    return shortened(f"{name}({', '.join(f'{key}={each!r}' for key, each in arguments.items())})")


def tooltalk_call(call: Call) -> str:
    """Return a call of ToolTalk as Python code."""
    return f"{call.tool}(…)" if call.arguments is None else call_as_code(call.tool, call.arguments)


def describe_constraint(constraint: Constraint) -> str:
    """Return what a constraint expects, much as it is written in YAML."""
    if isinstance(constraint, StateConstraint):
        since = f"no change since {constraint.since}" if constraint.is_guardrail else "no rows"
        return " and ".join(f"{{{_fields(row)}}}" for row in constraint.rows) or since
    if isinstance(constraint, CallConstraint):
        calls = constraint.alternatives
        texts = (f"{call.tool}({_fields(call.arguments)})" for call in calls)
        by = {"agent": "", "user": " by the user", "any": " by agent or user"}[constraint.by]
        return (" or ".join(texts) or "any call") + by
    if isinstance(constraint, ValuelessConstraint):
        return constraint.in_words
    if isinstance(constraint, HoldsConstraint):
        return _describe_expected(constraint.returns)
    return _describe_expected(constraint.content)


def constrained_columns(constraint: Constraint) -> tuple[str, ...]:
    """Return the columns of a table that a constraint looks at; empty if it looks at all."""
    if not isinstance(constraint, StateConstraint):
        return ()
    return tuple(dict.fromkeys(name for row in constraint.rows for name in row))


def _fields(fields: Mapping[str, Expected]) -> str:
    return ", ".join(f"{name}: {_describe_expected(expected)}" for name, expected in fields.items())


def _describe_expected(expected: Expected) -> str:
    if expected.sources:
        return f"a value from {' and '.join(sorted(expected.references))}"
    return " or ".join(matcher.describe() for matcher in expected.alternatives({}))


def is_unread(event: EventRecord, record: Record) -> bool:
    """Return whether an event asks for words that no judge has read."""
    is_read = record.get("words") in ("exact", "judged")
    return not is_read and any(result.unread for result in event.constraints)
