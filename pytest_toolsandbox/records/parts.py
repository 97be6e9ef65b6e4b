"""The types of the objects in a record: who took part, what a judge thinks, calls, events.

What a record is as a whole is in ``record.py``, which says in which form these are stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from pytest_toolsandbox.language.error_patterns import Pattern
from pytest_toolsandbox.scoring.error_patterns.patterns import Finding, SolutionErrors
from pytest_toolsandbox.scoring.results import Difference, EventResult, OpinionVerdict
from pytest_toolsandbox.scoring.tooltalk.rules import Call

Rate = Literal["precision", "recall", "action_precision", "bad_action_rate"]
"""ToolTalk's rates, from 0 to 1; null where there is nothing to divide by."""
ErrorKind = Literal["over_trigger", "bad_planning", "bad_call"]
"""ToolTalk's kinds of errors: a record counts each."""
AskerName = Literal["agent", "user", "reviewer", "judge"]
"""Whose requests to models are told."""


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
