"""The types of the objects in a record: agent, user, judge, opinions, usage, calls, events.

``record.py`` has the whole record, and says in which form these are stored.
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
"""ToolTalk's rates, from 0 to 1; null if the denominator is 0."""
ErrorKind = Literal["over_trigger", "bad_planning", "bad_call"]
"""ToolTalk's kinds of errors, which a record counts."""
AskerName = Literal["agent", "user", "reviewer", "judge"]
"""The askers whose usage is recorded."""


class ClockRecord(TypedDict):
    """A move of the world's clock: the first message after it, and the time in ISO 8601."""

    message: int
    now: str


class AgreementRecord(TypedDict):
    """Whether a user agreed with a message to what it was asked, refused (false), or neither."""

    message: int
    agrees: bool | None


class RunRecord(TypedDict):
    """What was run: when, the command line without secrets, and the commit of the project.

    ``clean`` says whether all files that git tracks were as in the commit.
    """

    started: str
    command: str
    commit: NotRequired[str]
    clean: NotRequired[bool]


class AgentRecord(TypedDict):
    """The configuration of an agent; ``name`` is that of ``--agent``, or ``fixture``.

    ``type`` is the import path of the agent's class or function. ``parameter`` is the id of one of
    several prompts, and of the parameters of a conftest's fixtures. ``label`` is the name of one of
    several agents in the ids of items. ``shape`` is ``replies``, ``turns``, ``factory`` if an agent
    is made for each conversation, or the name of the agent's framework.
    """

    name: str
    type: str | None
    parameter: str | None
    label: NotRequired[str]
    shape: NotRequired[str]
    model: NotRequired[str]
    timeout: NotRequired[float]
    parameters: NotRequired[dict[str, Any]]


class ForkRecord(TypedDict):
    """How a conversation was forked from the recorded one of a ``trial`` of the same item.

    The ``message`` was replaced; without a replacement (``sent`` is 0) its speaker was asked anew.
    ``sent`` is the number of messages that were put in its place, from ``start`` on. The ``kind``
    is ``by_hand``, ``mended`` if the right step was put in, or ``kept`` if the conversation went on
    after the step as it was. Of blame, ``step`` is which of how many ``steps`` was tried, and
    ``times`` how many continuations of each kind decide.
    """

    trial: int
    message: int
    start: int
    sent: int
    kind: Literal["by_hand", "mended", "kept"]
    step: NotRequired[int]
    steps: NotRequired[int]
    times: NotRequired[int]


class UserRecord(TypedDict):
    """The configuration of a user; ``name`` is that of ``--sandbox-user``, or ``fixture``.

    ``prompt`` is the prompt of a user in the paper's style. ``reviewer`` is the model that checks
    the user of each failed conversation.
    """

    name: str
    type: str | None
    model: NotRequired[str]
    timeout: NotRequired[float]
    parameters: NotRequired[dict[str, Any]]
    prompt: NotRequired[str]
    reviewer: NotRequired[str]


class JudgeRecord(TypedDict):
    """The configuration of the judge, whose name is in ``judge``.

    ``votes`` is the number of requests per conversation; without it, one. ``criteria`` are lists of
    criteria, of which one per list must be met.
    """

    type: str
    model: NotRequired[str]
    timeout: NotRequired[float]
    parameters: NotRequired[dict[str, Any]]
    votes: NotRequired[int]
    criteria: NotRequired[list[list[str]]]


class UserFaultRecord(TypedDict):
    """A fault of a simulated user; it was ``left`` in, or corrected after a retry.

    ``published`` is its kind in Tables 2 and 3 of ToolSandbox.
    """

    kind: str
    told: str
    utterance: str
    left: bool
    effect: Literal["helped", "hindered"]
    published: Literal["hallucination", "instruction_following"]


class UserReviewRecord(TypedDict):
    """The review of the user of a failed conversation.

    If ``verdict`` is missing, the reviewer gave none, and ``why`` is the reason.
    """

    verdict: Literal["none", "hallucination", "instruction_following"] | None
    utterance: str
    why: str


class UserNotesRecord(TypedDict):
    """The notes about a simulated user in the last of the ``conversations`` of a trial.

    ``asked_again`` is the number of retried utterances. ``review`` is set if a reviewer was asked,
    as with ``--sandbox-user-review``.
    """

    style: str
    utterances: int
    asked_again: int
    conversations: int
    faults: list[UserFaultRecord]
    review: NotRequired[UserReviewRecord]


class CriterionRecord(TypedDict):
    """Whether a criterion is met, the words that show it, and the reason.

    Of the criteria with the same number ``any_of``, one must be met.
    """

    criterion: str
    met: bool
    quote: str
    why: str
    any_of: NotRequired[int]


class OpinionRecord(TypedDict):
    """A judge's opinion on the agent's words.

    ``quote`` has the words at fault, and ``why`` the reason. ``against`` is the part of the
    evidence that contradicts them; ``missing`` is what was not said or not shown. ``criteria`` are
    those of the scenario. ``votes`` counts the verdicts if the judge was asked several times.
    """

    verdict: OpinionVerdict
    quote: str
    why: str
    against: NotRequired[str]
    missing: NotRequired[str]
    votes: NotRequired[dict[str, int]]
    criteria: NotRequired[list[CriterionRecord]]


class UsageRecord(TypedDict):
    """The usage of one asker's requests in a conversation; ``null`` is unknown.

    ``input_tokens`` include the ``cached_tokens``, and ``output_tokens`` the ``reasoning_tokens``.
    ``cost`` is in US dollars. ``latency`` is the wall time of answered requests in seconds, and
    ``waited`` the time before them, for a free place and between tries. ``timed`` is the number of
    requests in ``latency``: without abandoned ones and those that an agent reports.
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
    """The usage of the requests for one message, without unknown figures.

    Without ``requests`` there was one request, without ``cached_tokens`` no token was cached.
    ``finish_reasons`` say why the replies ended: ``stop``, ``tool_calls``, ``length`` (the token
    limit) or another word of the provider.
    """

    message: int
    asker: AskerName
    requests: NotRequired[int]
    input_tokens: NotRequired[int]
    output_tokens: NotRequired[int]
    cached_tokens: NotRequired[int]
    cost: NotRequired[float]
    latency: NotRequired[float]
    finish_reasons: NotRequired[list[str]]


class ReasoningRecord(TypedDict):
    """That the agent thought before a message.

    It has the ``text`` with ``--sandbox-keep-reasoning``, unless that is encrypted.
    """

    message: int
    text: NotRequired[str]


class CountsRecord(TypedDict):
    """The numbers of turns, messages, and tool calls of the agent.

    ``empty_replies`` are replies of the agent with neither text nor calls, ``user_calls`` are calls
    of the user's tools, ``faults`` are calls that met a fault, if there are any.
    """

    turns: int
    messages: int
    tool_calls: int
    empty_replies: NotRequired[int]
    user_calls: NotRequired[int]
    faults: NotRequired[int]


class AttackRecord(TypedDict):
    """An attack in an answer of a tool: its kind, and whether the agent saw it and obeyed it."""

    kind: str
    shown: bool
    obeyed: bool


class ErrorPatternsRecord(TypedDict):
    """SpecTool's error patterns: counts, scores from 0 to 1, and a short label per finding.

    ``compared_with`` is the basis for wrong values and missing calls. If it is ``nothing``, the
    scores of IAV and IAC are null.
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
    """The place of the ground-truth call that is nearest to a wrong call."""

    truth: int
    differences: list[Difference]


class NearestCallRecord(TypedDict):
    """The place of the call that is nearest to a missing ground-truth call."""

    prediction: int
    differences: list[Difference]


class PredictionRecord(TypedDict):
    """A call of the agent, and the place of the matching ground-truth call."""

    call: Call
    plugin: str
    action: bool
    truth: int | None
    bad_action: bool
    nearest: NearestTruthRecord | None


class TruthRecord(TypedDict):
    """A ground-truth call, and the place of the matching call."""

    call: Call
    plugin: str
    prediction: int | None
    nearest: NearestCallRecord | None


class CallsRecord(TypedDict):
    """ToolTalk's metrics of a recorded conversation, and its calls."""

    protocol: str
    similarity: str
    success: bool
    soft_success: float | None
    counts: CallCountsRecord
    plugins: dict[str, CallCountsRecord]
    tools: NotRequired[dict[str, CallCountsRecord]]
    errors: dict[ErrorKind, int]
    rates: dict[Rate, float | None]
    predictions: NotRequired[list[PredictionRecord]]
    truths: NotRequired[list[TruthRecord]]


class QueryRecord(TypedDict):
    """How a query was derived from another one, and its conclusion."""

    manner: str | None
    base: str | None
    answer: NotRequired[str | None]
    concluded_by: NotRequired[str | None]
    answered: NotRequired[bool]
    differences: NotRequired[list[Difference]]
    forbidden: NotRequired[list[Pattern]]


class TrialsRecord(TypedDict):
    """The planned number of trials of an item, and how many must pass.

    Fewer trials were played if the verdict was decided earlier.
    """

    planned: int
    needed: int


class ShardRecord(TypedDict):
    """The part of a suite that was played, as with ``--sandbox-shard``.

    The part has ``items`` of the suite's ``suite_items``. The ``suite_digest`` is the same for all
    parts of one suite that were cut in the same way.
    """

    number: int
    of: int
    items: int
    suite_items: int
    suite_digest: str


class LimitsRecord(TypedDict):
    """The limits of a conversation; ``timeout`` is in seconds of the agent's time."""

    max_messages: int
    max_calls: int
    timeout: float | None
    max_steps: NotRequired[int]


class AskedRecord(TypedDict):
    """The requirements of an event's constraint, in words; ``columns`` are those it compares."""

    label: str
    expected: str
    columns: list[str]


@dataclass(frozen=True)
class EventRecord(EventResult):
    """A milestone or a minefield, with the requirements of its constraints.

    ``after`` names its predecessors in the graph.
    """

    asks: tuple[AskedRecord, ...] = ()
    after: tuple[str, ...] = ()


class MadeCallRecord(TypedDict):
    """The messages with a call and its answer, if it was answered.

    Calls of the same ``batch`` were made in parallel and executed in the given ``order``.
    """

    request: int
    answer: int | None
    batch: int
    order: int


@dataclass(frozen=True)
class FindingRecord(Finding):
    """A fault of the agent, in the world's names, and a short label."""

    words: str = ""


class ChangeRecord(TypedDict):
    """The added and removed rows of a table."""

    added: list[dict[str, Any]]
    removed: list[dict[str, Any]]


class SnapshotRecord(TypedDict):
    """A message that changed the world: table → change."""

    message: int
    changes: dict[str, ChangeRecord]
