"""The record of a trial: which fields it has, of which types, in which version.

Everything in a record is a plain JSON value. Where a dataclass is named here, it has an object with
its fields, and :func:`read_record` makes the dataclass of it again. ``record.schema.json`` beside
this module says the same to other programs; ``toolsandbox schema --record`` prints it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NotRequired

from typing_extensions import TypedDict

from pytest_toolsandbox.conversation.messages import Message
from pytest_toolsandbox.scoring.error_patterns.patterns import SolutionCall
from pytest_toolsandbox.scoring.results import TableChange
from pytest_toolsandbox.scoring.words import WordsReading

from .parts import (
    AgentRecord,
    AskerName,
    CallsRecord,
    CountsRecord,
    ErrorPatternsRecord,
    EventRecord,
    FindingRecord,
    JudgeRecord,
    LimitsRecord,
    MadeCallRecord,
    MessageUsageRecord,
    OpinionRecord,
    QueryRecord,
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
"""The version that is written. Version 1 lacks fields that are marked as not required; up to
version 2 rules for English judged words, and no record says how its words were judged."""

SCHEMA_FILE: Final = Path(__file__).with_name("record.schema.json")

Budget = Literal[
    "max_messages",
    "max_calls",
    "characters",
    "timeout",
    "texts",
    "calls",
    "parallel_executions",
    "matching",
    "rows",
]
"""What can run out: an agent wrote more ``characters`` than a conversation has; of ``texts`` that
are too long beginning and end are read; too many ``calls`` are not compared with those of the
solutions; the last three are searches, which then answer with what they have found."""
_OPTIONAL = (
    *("written_name", "written_arguments", "reads", "asks", "after", "words", "why", "unread"),
)
"""The fields of dataclasses that may be missing: of names as they are, and in version 1."""
Outcome = Literal["passed", "failed", "error", "inconclusive", "not_run"]
"""``not_run`` is no conversation: the run ended before it came to the item."""
Cause = Literal["agent", "user", "judge", "provider", "world", "cassette", "ours"]
"""Whose fault an error is."""


class TrialRecord(TypedDict):
    """Which trial of which item it is, who played it, and what came of it.

    One that ``confirms`` was played since its item seemed to have broken: it is in no mean.
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
    """What tells how long a conversation took: ``duration`` is in seconds."""

    duration: NotRequired[float]


class SpentRecord(TimedRecord):
    """What tells how long a conversation took, and what its requests used."""

    usage: NotRequired[dict[AskerName, UsageRecord]]


class UserTrialRecord(TrialRecord):
    """What a table of users that a model plays needs."""

    user_notes: NotRequired[UserNotesRecord]
    user_settings: NotRequired[UserRecord]


class Summary(TrialRecord):
    """What a session keeps of every record: tables, JUnit properties and gates need no more.

    ``words`` says how the words of the agent were judged; it is missing where state, calls or
    facts are wrong, and where there are no words to judge.
    """

    protocol: NotRequired[str]
    variant: str | None
    feedback: bool
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
    unjudged: NotRequired[Literal[True]]
    error_patterns: NotRequired[ErrorPatternsRecord]
    user_notes: NotRequired[UserNotesRecord]
    other_calls: NotRequired[dict[str, int]]
    usage: NotRequired[dict[AskerName, UsageRecord]]
    duration: NotRequired[float]


class ConversationRecord(TypedDict):
    """What was said, which calls were made, and what they did to the world.

    ``unrecorded`` shows what is new in the request at which a replay could not go on.
    ``untried_orders`` has the first request of each batch whose orders could not all be tried.
    ``message_usage`` is what messages took, where requests to models are known.
    """

    messages: list[Message]
    tool_calls: NotRequired[list[MadeCallRecord]]
    snapshots: list[SnapshotRecord]
    unrecorded: NotRequired[list[str]]
    untried_orders: NotRequired[list[int]]
    message_usage: NotRequired[list[MessageUsageRecord]]


class StartRecord(TypedDict):
    """What the conversation started with; ``start`` maps tables to digests of their rows."""

    now: str
    start: dict[str, str]
    tools: list[str]


class Details(StartRecord, ConversationRecord):
    """What pages, re-judging and other programs need beyond the summary."""

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
    judge_settings: NotRequired[JudgeRecord]
    shard: NotRequired[ShardRecord]
    call_format: Literal["native", "text", "react"]
    limits: NotRequired[LimitsRecord]
    ran_out: NotRequired[list[Budget]]
    no_error_patterns: NotRequired[str | None]
    milestones: list[EventRecord]
    minefields: list[EventRecord]
    protected: list[TableChange]
    side_effects: NotRequired[list[TableChange]]
    exact: bool | None
    findings: list[FindingRecord]
    closest_solution: NotRequired[list[SolutionCall]]


class Record(Summary, Details):
    """One scenario that was played once: the one source of every report."""


def summary_of(record: Mapping[str, Any]) -> Summary:
    """Return the part of a record that totals are made of, which is small."""
    kept: Any = {name: record.get(name) for name in Summary.__annotations__ if name in record}
    if "calls" in kept:
        lists = ("predictions", "truths")
        kept["calls"] = {name: v for name, v in kept["calls"].items() if name not in lists}
    return kept  # type: ignore[no-any-return]


def read_record(values: Mapping[str, Any]) -> Record:
    """Return a whole record of this version with its dataclasses; a protocol's own fields stay."""
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
