"""The record of a trial: which fields it has, of which types, in which version.

Everything in a record is a plain JSON value. ``record.schema.json`` beside this module says the
same to other programs; ``toolsandbox schema --record`` prints it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, Literal, NotRequired

from typing_extensions import TypedDict

from pytest_toolsandbox.language.error_patterns import Pattern

VERSION: Final = 2
"""The version that is written. Version 1 lacks fields that are marked as not required."""

SCHEMA_FILE: Final = Path(__file__).with_name("record.schema.json")

RoleName = Literal["system", "user", "agent", "execution_environment"]
Budget = Literal["max_messages", "max_calls", "timeout", "parallel_executions", "matching", "rows"]
"""What can run out: the last three are searches, which then answer with what they have found."""
ErrorKind = Literal["over_trigger", "bad_planning", "bad_call"]
"""ToolTalk's kinds of errors: a record counts each."""
Cause = Literal["agent", "user", "provider", "world", "ours"]
"""Whose fault an error is."""


class AgentRecord(TypedDict):
    """Who played: what ``--agent`` says or ``fixture``, and how that is configured.

    ``type`` is the import path of the agent's class or function. ``parameter`` is the id of the
    fixture's parameters, where a fixture of a conftest is parametrized.
    """

    name: str
    type: str | None
    parameter: str | None
    model: NotRequired[str]
    timeout: NotRequired[float]
    parameters: NotRequired[dict[str, Any]]


class CountsRecord(TypedDict):
    """How many turns, messages, and calls of tools by the agent there were."""

    turns: int
    messages: int
    tool_calls: int


class SolutionErrorsRecord(TypedDict):
    """How many calls of an accepted solution are missing, and how many were made wrongly."""

    missing: int
    wrong: int


class ErrorPatternsRecord(TypedDict):
    """SpecTool's error patterns: counts, scores from 0 to 1, and each finding in a few words.

    ``compared_with`` says what values and missing calls were held against; the scores of IAV and
    IAC are null where that is ``nothing``.
    """

    max_calls: int
    compared_with: NotRequired[Literal["solutions", "ground_truth", "itself", "nothing"]]
    calls: dict[str, int]
    scores: dict[str, float | None]
    lowest_scores: dict[str, float | None]
    solutions: list[SolutionErrorsRecord]
    closest: int | None
    words: list[str]


class DifferenceRecord(TypedDict):
    """One value that is not what was expected; ``similarity`` should reach ``threshold``."""

    where: str
    expected: str
    found: Any
    similarity: float
    note: str | None
    threshold: float


class CallCountsRecord(TypedDict):
    """ToolTalk's counts of calls."""

    predictions: int
    ground_truths: int
    matches: int
    actions: int
    valid_actions: int
    bad_actions: int


class CallRatesRecord(TypedDict):
    """ToolTalk's rates, from 0 to 1; null where there is nothing to divide by."""

    precision: float | None
    recall: float | None
    action_precision: float | None
    bad_action_rate: float | None


class ToolTalkCallRecord(TypedDict):
    """A call of a recorded conversation, or one that the agent made in it."""

    tool: str
    arguments: dict[str, Any] | None
    result: Any
    error: str | None
    session: str | None
    turn: int


class NearestTruthRecord(TypedDict):
    """The place of the ground-truth call that a wrong call is nearest to."""

    truth: int
    differences: list[DifferenceRecord]


class NearestCallRecord(TypedDict):
    """The place of the call that is nearest to a ground-truth call that was missed."""

    prediction: int
    differences: list[DifferenceRecord]


class PredictionRecord(TypedDict):
    """A call that the agent made, and the place of the ground-truth call that it is."""

    call: ToolTalkCallRecord
    plugin: str
    action: bool
    truth: int | None
    bad_action: bool
    nearest: NearestTruthRecord | None


class TruthRecord(TypedDict):
    """A ground-truth call, and the place of the call that it was made with."""

    call: ToolTalkCallRecord
    plugin: str
    prediction: int | None
    nearest: NearestCallRecord | None


class CallsRecord(TypedDict):
    """ToolTalk's figures of a recorded conversation, and its calls."""

    protocol: str
    similarity: str
    success: bool
    soft_success: float | None
    counts: CallCountsRecord
    plugins: dict[str, CallCountsRecord]
    errors: dict[ErrorKind, int]
    rates: CallRatesRecord
    predictions: NotRequired[list[PredictionRecord]]
    truths: NotRequired[list[TruthRecord]]


class QueryRecord(TypedDict):
    """How a query was made from another one, and how it was concluded."""

    manner: str | None
    base: str | None
    answer: NotRequired[str | None]
    concluded_by: NotRequired[str | None]
    answered: NotRequired[bool]
    differences: NotRequired[list[DifferenceRecord]]
    forbidden: NotRequired[list[Pattern]]


class TrialRecord(TypedDict):
    """Which trial of which item it is, who played it, and what came of it."""

    record: Literal[1, 2]
    id: str
    trial: int
    world: str
    agent: str
    agent_settings: NotRequired[AgentRecord]
    outcome: Literal["passed", "failed", "error"]
    reason: str | None


class Summary(TrialRecord):
    """What a session keeps of every record: tables, JUnit properties and gates need no more."""

    protocol: NotRequired[str]
    variant: str | None
    feedback: bool
    categories: list[str]
    cause: NotRequired[Cause | None]
    scores: dict[str, float] | None
    counts: CountsRecord
    calls: NotRequired[CallsRecord]
    query: NotRequired[QueryRecord]
    error_patterns: NotRequired[ErrorPatternsRecord]


class LimitsRecord(TypedDict):
    """How much a conversation may take; ``timeout`` is in seconds of the agent's time."""

    max_messages: int
    max_calls: int
    timeout: float | None


class ConstraintRecord(TypedDict):
    """How well one constraint holds at a snapshot."""

    label: str
    similarity: float
    reached: bool
    is_guardrail: bool
    differences: list[DifferenceRecord]


class AskedRecord(TypedDict):
    """What a constraint of an event asks for, in words; ``columns`` are those it looks at."""

    label: str
    expected: str
    columns: list[str]


class NearestRecord(TypedDict):
    """The snapshot that is nearest to a missed event; ``broken`` are further rules against it."""

    snapshot: int
    constraints: list[ConstraintRecord]
    broken: list[ConstraintRecord]


class EventRecord(TypedDict):
    """A milestone or a minefield: the message at which it was matched, and how well."""

    name: str
    snapshot: int
    similarity: float
    reached: bool
    constraints: list[ConstraintRecord]
    nearest: NearestRecord | None
    asks: NotRequired[list[AskedRecord]]


class ProtectedRecord(TypedDict):
    """A protected table, and the message at which it first changed."""

    table: str
    snapshot: int


class CallRecord(TypedDict):
    """A call as it was asked for, in the world's names; ``arguments`` is a text.

    ``written_name`` and ``written_arguments`` are what the agent wrote, where names are scrambled.
    """

    identifier: str
    name: str
    arguments: str
    written_name: NotRequired[str | None]
    written_arguments: NotRequired[str | None]


class TraceRecord(TypedDict):
    """A call that was executed: its arguments with defaults, and its result."""

    tool_name: str
    arguments: dict[str, Any]
    result: Any


class MessageRecord(TypedDict):
    """A message; an answer to a call has its ``trace``, or the ``error`` in one line."""

    sender: RoleName
    recipient: RoleName
    visible_to: list[RoleName]
    content: str
    call: CallRecord | None
    trace: TraceRecord | None
    error: str | None


class MadeCallRecord(TypedDict):
    """Which message asks for a call, and which one answers it, if any does.

    Calls of the same ``batch`` were made at once and happened in the ``order`` that is given.
    """

    request: int
    answer: int | None
    batch: int
    order: int


class FindingRecord(TypedDict):
    """A fault of the agent, in the world's names.

    ``message`` is the message in which it stands; null for a call that was not made. ``found``
    stands in the place of what was ``expected``; ``given`` is false where an argument is missing.
    """

    pattern: Pattern
    message: int | None
    call: CallRecord | None
    function: str
    argument: str | None
    expected: str
    found: Any
    given: bool
    nearest: str | None
    words: NotRequired[str]


class ChangeRecord(TypedDict):
    """The rows that a table gained and lost."""

    added: list[dict[str, Any]]
    removed: list[dict[str, Any]]


class SnapshotRecord(TypedDict):
    """A message after which the world differs from before: table → change."""

    message: int
    changes: dict[str, ChangeRecord]


class ConversationRecord(TypedDict):
    """What was said, which calls were made, and what they did to the world.

    ``untried_orders`` has the first request of each batch whose orders could not all be tried.
    """

    messages: list[MessageRecord]
    tool_calls: NotRequired[list[MadeCallRecord]]
    snapshots: list[SnapshotRecord]
    untried_orders: NotRequired[list[int]]


class StartRecord(TypedDict):
    """What the conversation started with; ``start`` maps tables to digests of their rows."""

    now: str
    start: dict[str, str]
    tools: list[str]


class Details(StartRecord, ConversationRecord):
    """What pages, re-judging and other programs need beyond the summary."""

    scenario: str
    scenario_digest: str
    prompt_digest: NotRequired[str]
    tools_digest: NotRequired[str]
    world_digest: NotRequired[str]
    summary: str
    tags: list[str]
    time_zone: NotRequired[str]
    api_similarity: float | None
    user: str
    call_format: Literal["native", "text"]
    limits: NotRequired[LimitsRecord]
    ran_out: NotRequired[list[Budget]]
    no_error_patterns: NotRequired[str | None]
    milestones: list[EventRecord]
    minefields: list[EventRecord]
    protected: list[ProtectedRecord]
    exact: bool | None
    findings: list[FindingRecord]


class Record(Summary, Details):
    """One scenario that was played once: the one source of every report."""


def summary_of(record: Record | Summary) -> Summary:
    """Return the part of a record that totals are made of, which is small."""
    kept: Any = {name: record.get(name) for name in Summary.__annotations__ if name in record}
    if "calls" in kept:
        lists = ("predictions", "truths")
        kept["calls"] = {name: v for name, v in kept["calls"].items() if name not in lists}
    return kept  # type: ignore[no-any-return]


def record_schema() -> dict[str, Any]:
    """Return the JSON Schema of a record."""
    from pydantic import TypeAdapter

    return TypeAdapter(Record).json_schema()
