"""The record of a trial: which fields it has, of which types, in which version.

Everything in a record is a plain JSON value. Where a dataclass is named here, it has an object with
its fields, and :func:`read_record` makes the dataclass of it again. ``record.schema.json`` beside
this module says the same to other programs; ``toolsandbox schema --record`` prints it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NotRequired

from typing_extensions import TypedDict

from pytest_toolsandbox.conversation.messages import Message
from pytest_toolsandbox.language.error_patterns import Pattern
from pytest_toolsandbox.scoring.error_patterns.patterns import Finding, SolutionCall, SolutionErrors
from pytest_toolsandbox.scoring.results import Difference, EventResult, OpinionVerdict, TableChange
from pytest_toolsandbox.scoring.tooltalk.rules import Call
from pytest_toolsandbox.scoring.words import WordsReading

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
Rate = Literal["precision", "recall", "action_precision", "bad_action_rate"]
"""ToolTalk's rates, from 0 to 1; null where there is nothing to divide by."""
ErrorKind = Literal["over_trigger", "bad_planning", "bad_call"]
"""ToolTalk's kinds of errors: a record counts each."""
_OPTIONAL = (
    *("written_name", "written_arguments", "reads", "asks", "after", "words", "why", "unread"),
)
"""The fields of dataclasses that may be missing: of names as they are, and in version 1."""
AskerName = Literal["agent", "user", "reviewer", "judge"]
"""Whose requests to models are told."""
Outcome = Literal["passed", "failed", "error", "inconclusive", "not_run"]
"""``not_run`` is no conversation: the run ended before it came to the item."""
Cause = Literal["agent", "user", "judge", "provider", "world", "cassette", "ours"]
"""Whose fault an error is."""


class AgentRecord(TypedDict):
    """Who played: what ``--agent`` says or ``fixture``, and how that is configured.

    ``type`` is the import path of the agent's class or function. ``parameter`` is the id of one of
    several prompts, and of the parameters of a conftest's fixtures; ``label`` is what stands for
    one of several agents in the ids of items. ``shape`` is how it plays: ``replies``, ``turns``,
    ``factory`` where an agent is made for each conversation, or the name of the framework that it
    is of.
    """

    name: str
    type: str | None
    parameter: str | None
    label: NotRequired[str]
    shape: NotRequired[str]
    model: NotRequired[str]
    timeout: NotRequired[float]
    parameters: NotRequired[dict[str, Any]]


class UserRecord(TypedDict):
    """Who talked to the agent: what ``--sandbox-user`` says or ``fixture``, and its settings.

    ``prompt`` is what a user in the paper's style is told, ``reviewer`` the model that is shown the
    user of each conversation that failed.
    """

    name: str
    type: str | None
    model: NotRequired[str]
    timeout: NotRequired[float]
    parameters: NotRequired[dict[str, Any]]
    prompt: NotRequired[str]
    reviewer: NotRequired[str]


class JudgeRecord(TypedDict):
    """How a judge of words is configured, whose name stands beside it.

    ``votes`` is how often it is asked of a conversation: once where it is not there. ``criteria``
    are lists of those that it checks: of each list one has to be met.
    """

    type: str
    model: NotRequired[str]
    timeout: NotRequired[float]
    parameters: NotRequired[dict[str, Any]]
    votes: NotRequired[int]
    criteria: NotRequired[list[list[str]]]


class UserFaultRecord(TypedDict):
    """A fault of a user that a model plays, which was ``left``, or said otherwise when asked again.

    ``published`` is its kind in Tables 2 and 3 of ToolSandbox.
    """

    kind: str
    told: str
    utterance: str
    left: bool
    effect: Literal["helped", "hindered"]
    published: Literal["hallucination", "instruction_following"]


class UserReviewRecord(TypedDict):
    """What the reviewer of a failed conversation found in its user.

    Without a ``verdict`` there is none, and ``why`` says the reason.
    """

    verdict: Literal["none", "hallucination", "instruction_following"] | None
    utterance: str
    why: str


class UserNotesRecord(TypedDict):
    """What a user said that a model plays, in the last of the ``conversations`` of a trial.

    ``asked_again`` counts the utterances that had to be asked for again; ``review`` is there where
    a reviewer was asked, as with ``--sandbox-user-review``.
    """

    style: str
    utterances: int
    asked_again: int
    conversations: int
    faults: list[UserFaultRecord]
    review: NotRequired[UserReviewRecord]


class CriterionRecord(TypedDict):
    """Whether a criterion is met, the words that show it, and why.

    Of the criteria with the same number ``any_of`` one is enough.
    """

    criterion: str
    met: bool
    quote: str
    why: str
    any_of: NotRequired[int]


class OpinionRecord(TypedDict):
    """What a judge thinks of the agent's words.

    ``quote`` are the words at fault, ``why`` says what is wrong with them, ``against`` are words of
    the evidence that contradict them, and ``missing`` says what is not said or not shown.
    ``criteria`` are those of the scenario; ``votes`` counts verdicts where it was asked more than
    once.
    """

    verdict: OpinionVerdict
    quote: str
    why: str
    against: NotRequired[str]
    missing: NotRequired[str]
    votes: NotRequired[dict[str, int]]
    criteria: NotRequired[list[CriterionRecord]]


class UsageRecord(TypedDict):
    """What the requests of somebody used in a conversation; ``null`` is unknown.

    ``input_tokens`` include the ``cached_tokens``, and ``output_tokens`` the ``reasoning_tokens``;
    ``cost`` is in US dollars. ``latency`` and ``waited`` are wall times, in seconds: of the
    requests that were answered, and before them, for a free place and before tries. ``timed`` is
    how many requests ``latency`` is the time of: not those that were given up or that only an agent
    tells of.
    """

    requests: int
    retries: int
    input_tokens: int | None
    output_tokens: int | None
    cached_tokens: int | None
    reasoning_tokens: int | None
    cost: float | None
    latency: float
    waited: float
    timed: NotRequired[int]


class MessageUsageRecord(TypedDict):
    """What the requests used that were made for a message; what is unknown is not there.

    Without ``requests`` it was one, without ``cached_tokens`` none was.
    """

    message: int
    asker: AskerName
    requests: NotRequired[int]
    input_tokens: NotRequired[int]
    output_tokens: NotRequired[int]
    cached_tokens: NotRequired[int]
    cost: NotRequired[float]
    latency: NotRequired[float]


class CountsRecord(TypedDict):
    """How many turns, messages, and calls of tools by the agent there were."""

    turns: int
    messages: int
    tool_calls: int


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
    solutions: list[SolutionErrors]
    closest: int | None
    words: list[str]


class CallCountsRecord(TypedDict):
    """ToolTalk's counts of calls."""

    predictions: int
    ground_truths: int
    matches: int
    actions: int
    valid_actions: int
    bad_actions: int


class NearestTruthRecord(TypedDict):
    """The place of the ground-truth call that a wrong call is nearest to."""

    truth: int
    differences: list[Difference]


class NearestCallRecord(TypedDict):
    """The place of the call that is nearest to a ground-truth call that was missed."""

    prediction: int
    differences: list[Difference]


class PredictionRecord(TypedDict):
    """A call that the agent made, and the place of the ground-truth call that it is."""

    call: Call
    plugin: str
    action: bool
    truth: int | None
    bad_action: bool
    nearest: NearestTruthRecord | None


class TruthRecord(TypedDict):
    """A ground-truth call, and the place of the call that it was made with."""

    call: Call
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
    rates: dict[Rate, float | None]
    predictions: NotRequired[list[PredictionRecord]]
    truths: NotRequired[list[TruthRecord]]


class QueryRecord(TypedDict):
    """How a query was made from another one, and how it was concluded."""

    manner: str | None
    base: str | None
    answer: NotRequired[str | None]
    concluded_by: NotRequired[str | None]
    answered: NotRequired[bool]
    differences: NotRequired[list[Difference]]
    forbidden: NotRequired[list[Pattern]]


class TrialsRecord(TypedDict):
    """How many trials an item was to have, and how many of them must pass.

    Fewer were played where the verdict could not change any more.
    """

    planned: int
    needed: int


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


class ShardRecord(TypedDict):
    """Which part of a suite was played, as with ``--sandbox-shard``.

    The part has so many ``items`` of the whole suite's ``suite_items``; the ``suite_digest`` is the
    same for all parts that were cut from the same suite in the same way.
    """

    number: int
    of: int
    items: int
    suite_items: int
    suite_digest: str


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


class LimitsRecord(TypedDict):
    """How much a conversation may take; ``timeout`` is in seconds of the agent's time."""

    max_messages: int
    max_calls: int
    timeout: float | None


class AskedRecord(TypedDict):
    """What a constraint of an event asks for, in words; ``columns`` are those it looks at."""

    label: str
    expected: str
    columns: list[str]


@dataclass(frozen=True)
class EventRecord(EventResult):
    """A milestone or a minefield, with what each of its constraints asks for.

    ``after`` names its predecessors in the graph.
    """

    asks: tuple[AskedRecord, ...] = ()
    after: tuple[str, ...] = ()


class MadeCallRecord(TypedDict):
    """Which message asks for a call, and which one answers it, if any does.

    Calls of the same ``batch`` were made at once and happened in the ``order`` that is given.
    """

    request: int
    answer: int | None
    batch: int
    order: int


@dataclass(frozen=True)
class FindingRecord(Finding):
    """A fault of the agent, in the world's names, and the same in a few words."""

    words: str = ""


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
