"""The record of a trial: its fields, their types, and its version.

A record has only plain JSON values. If a field has the type of a dataclass, the record has an
object with its fields, from which :func:`read_record` restores the dataclass.
``record.schema.json`` beside this module describes the record for other programs; ``toolsandbox
schema --record`` prints it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NotRequired

from typing_extensions import TypedDict

from pytest_toolsandbox.conversation.messages import Message
from pytest_toolsandbox.scoring.error_patterns.patterns import SolutionCall
from pytest_toolsandbox.scoring.results import MissingConsent, TableChange
from pytest_toolsandbox.scoring.words import WordsReading

from .imported import ImportedRecord
from .parts import (
    AgentRecord,
    AgreementRecord,
    AskerName,
    AttackRecord,
    CallsRecord,
    ClockRecord,
    CountsRecord,
    ErrorPatternsRecord,
    EventRecord,
    FindingRecord,
    ForkRecord,
    JudgeRecord,
    LimitsRecord,
    MadeCallRecord,
    MessageUsageRecord,
    OpinionRecord,
    QueryRecord,
    ReasoningRecord,
    RunRecord,
    ShardRecord,
    SnapshotRecord,
    TrialsRecord,
    UsageRecord,
    UserNotesRecord,
    UserRecord,
)

if TYPE_CHECKING:
    from pydantic import TypeAdapter

VERSION: Final = 3
"""The version that is written.

Version 1 lacks the fields that are not required. Up to version 2, rules for English judged the
words, and records do not say how their words were judged.
"""

SCHEMA_FILE: Final = Path(__file__).with_name("record.schema.json")

Budget = Literal[
    "max_messages",
    "max_calls",
    "max_steps",
    "characters",
    "timeout",
    "texts",
    "calls",
    "parallel_executions",
    "matching",
    "rows",
]
"""Limits that a trial can exceed.

``characters``: the agent wrote more than a conversation may have. ``texts``: only the beginning and
the end of a text were read. ``calls``: too many calls were not compared with the solutions. The
last three are searches, which then return the best result so far.
"""
_OPTIONAL = (
    *("written_name", "written_arguments", "reads", "asks", "after", "words", "why", "unread"),
    "fault",
)
"""Optional fields of dataclasses: those that are absent by default or in version 1."""
Outcome = Literal["passed", "failed", "error", "inconclusive", "not_run"]
"""``not_run`` means that the run ended before the item, which has no conversation."""
Cause = Literal["agent", "user", "judge", "provider", "world", "cassette", "ours"]
"""The cause of an error."""


class TrialRecord(TypedDict):
    """The item and number of a trial, its agent, and its outcome.

    A trial that ``confirms`` checks whether its item broke, and is in no mean.
    """

    record: Literal[1, 2, 3]
    id: str
    trial: int
    of_trials: NotRequired[TrialsRecord]
    confirms: NotRequired[bool]
    world: str
    agent: str
    agent_settings: NotRequired[AgentRecord]
    outcome: Outcome
    reason: str | None


class TimedRecord(TrialRecord):
    """The fields with the duration of a conversation in seconds."""

    duration: NotRequired[float]


class SpentRecord(TimedRecord):
    """The fields with the duration and the usage of a conversation."""

    usage: NotRequired[dict[AskerName, UsageRecord]]


class UserTrialRecord(TrialRecord):
    """The fields for the table of simulated users."""

    user_notes: NotRequired[UserNotesRecord]
    user_settings: NotRequired[UserRecord]


class Summary(TrialRecord):
    """The fields that a session keeps of every record, for tables, JUnit properties and gates.

    ``words`` says how the agent's words were judged. It is missing if state, calls or facts are
    wrong, and if there are no words to judge. ``finish_reasons`` counts why replies of models
    ended, as far as known. ``failure_modes``, of each judged trial, are what is wrong
    beside calls.
    """

    protocol: NotRequired[str]
    variant: str | None
    feedback: bool
    call_format: Literal["native", "text", "react"]
    categories: list[str]
    critical: NotRequired[bool]
    quarantine: NotRequired[str]
    cause: NotRequired[Cause | None]
    scores: dict[str, float] | None
    counts: CountsRecord
    calls: NotRequired[CallsRecord]
    query: NotRequired[QueryRecord]
    judge: NotRequired[str]
    opinion: NotRequired[OpinionRecord]
    words: NotRequired[WordsReading]
    attack: NotRequired[AttackRecord]
    unjudged: NotRequired[Literal[True]]
    error_patterns: NotRequired[ErrorPatternsRecord]
    failure_modes: NotRequired[list[str]]
    user_notes: NotRequired[UserNotesRecord]
    other_calls: NotRequired[dict[str, int]]
    usage: NotRequired[dict[AskerName, UsageRecord]]
    finish_reasons: NotRequired[dict[AskerName, dict[str, int]]]
    duration: NotRequired[float]
    run: NotRequired[RunRecord]
    sample: NotRequired[int]


class ConversationRecord(TypedDict):
    """The messages, the calls of the agent and of the user, and their changes of the world.

    ``unrecorded`` shows the differences of the request at which a replay failed. ``untried_orders``
    has the first request of each batch with too many orders. ``logged`` are the answers to calls
    that may have changed a live world, whether its tables show it or not. ``clock`` lists where the
    world's clock moved, ``agreements`` what a user that a model plays said of its consent.
    ``message_usage`` is the
    usage of messages, if it is known; ``reasoning`` lists the messages before which the agent
    thought.
    ``imported`` is set if another program wrote the conversation down.
    """

    messages: list[Message]
    tool_calls: NotRequired[list[MadeCallRecord]]
    user_calls: NotRequired[list[MadeCallRecord]]
    snapshots: list[SnapshotRecord]
    unrecorded: NotRequired[list[str]]
    logged: NotRequired[list[int]]
    clock: NotRequired[list[ClockRecord]]
    agreements: NotRequired[list[AgreementRecord]]
    untried_orders: NotRequired[list[int]]
    message_usage: NotRequired[list[MessageUsageRecord]]
    reasoning: NotRequired[list[ReasoningRecord]]
    imported: NotRequired[ImportedRecord]


class StartRecord(TypedDict):
    """The start of the conversation; ``start`` maps tables to digests of their rows.

    ``user_tools`` are those of the user, if it has any.
    """

    now: str
    start: dict[str, str]
    tools: list[str]
    user_tools: NotRequired[list[str]]


class Details(StartRecord, ConversationRecord):
    """The fields beyond the summary, for pages, judging again and other programs."""

    scenario: str
    scenario_digest: str
    task_digest: NotRequired[str]
    prompt_digest: NotRequired[str]
    tools_digest: NotRequired[str]
    world_digest: NotRequired[str]
    summary: str
    tags: list[str]
    time_zone: NotRequired[str]
    api_similarity: float | None
    user: str
    user_settings: NotRequired[UserRecord]
    user_goals: NotRequired[list[str]]
    setup: NotRequired[list[str]]
    judge_settings: NotRequired[JudgeRecord]
    shard: NotRequired[ShardRecord]
    fork: NotRequired[ForkRecord]
    limits: NotRequired[LimitsRecord]
    ran_out: NotRequired[list[Budget]]
    no_error_patterns: NotRequired[str | None]
    milestones: list[EventRecord]
    minefields: list[EventRecord]
    protected: list[TableChange]
    side_effects: NotRequired[list[TableChange]]
    without_consent: NotRequired[list[MissingConsent]]
    exact: bool | None
    findings: list[FindingRecord]
    closest_solution: NotRequired[list[SolutionCall]]


class Record(Summary, Details):
    """The complete record of a trial: the only source of all reports."""


def summary_of(record: Mapping[str, Any]) -> Summary:
    """Return the summary of a record, which is small."""
    kept: Any = {name: record.get(name) for name in Summary.__annotations__ if name in record}
    if "calls" in kept:
        lists = ("predictions", "truths")
        kept["calls"] = {name: v for name, v in kept["calls"].items() if name not in lists}
    return kept  # type: ignore[no-any-return]


def read_record(values: Mapping[str, Any]) -> Record:
    """Return a record with its dataclasses restored; the protocol's own fields stay plain."""
    return {**values, **_adapter().validate_python(values)}  # type: ignore[typeddict-item]


def record_schema() -> dict[str, Any]:
    """Return the JSON Schema of a record."""
    from pydantic.json_schema import GenerateJsonSchema

    class Complete(GenerateJsonSchema):
        def field_is_required(self, field: Any, total: bool) -> bool:
            if field["type"] == "dataclass-field":
                return field["name"] not in _OPTIONAL
            return super().field_is_required(field, total)

    return _adapter().json_schema(schema_generator=Complete)


@cache
def _adapter() -> TypeAdapter[Record]:
    from pydantic import TypeAdapter

    return TypeAdapter(Record)
