"""Write the record of a trial: a summary for totals, and details for the results file."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, time
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from pytest_toolsandbox.conversation import messages
from pytest_toolsandbox.conversation.messages import Message, Trajectory, written_characters
from pytest_toolsandbox.language.protocol import protocol_of
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.models.requests import Asker
from pytest_toolsandbox.models.usage import Usage
from pytest_toolsandbox.scoring.error_patterns.patterns import ErrorPatterns, api_similarity
from pytest_toolsandbox.scoring.judging import is_too_long
from pytest_toolsandbox.scoring.results import Result
from pytest_toolsandbox.text.redaction import redacted, redacted_line, redacted_values
from pytest_toolsandbox.text.secret_shapes import HIDDEN
from pytest_toolsandbox.text.sentences import is_quoted_in, texts_in

from .attacks import attack_record
from .conversation import conversation_fields, rounded
from .digests import scenario_digests, start_digests
from .imported import ImportedRecord
from .parts import (
    AgentRecord,
    ForkRecord,
    JudgeRecord,
    ShardRecord,
    TrialsRecord,
    UserRecord,
)
from .record import VERSION, Budget, Cause, Outcome, Summary
from .trials import NOT_RUN
from .unscramble import unscrambled

if TYPE_CHECKING:
    from pytest_toolsandbox.scoring.judging import Judgement
    from pytest_toolsandbox.users.simulated.model_user import UserNotes

_PLAIN_FIELDS = {
    *("protocol", "id", "scenario", "variant", "scenario_digest", "prompt_digest", "tools_digest"),
    *("world", "world_digest", "now", "time_zone", "start", "tools", "user_tools", "user"),
    "limits",
    *("user_settings", "shard", "tags", "categories", "critical", "task_digest", "call_format"),
    *("outcome", "cause", "scores", "counts", "ran_out", "judge", "judge_settings", "words"),
}
"""Fields with names of program and scenario, which are shown even if a secret equals them."""
_LISTS = (
    *("categories", "tags", "tools", "milestones", "minefields", "protected", "findings"),
    *("messages", "snapshots"),
)
_CHOICES = (
    *("sender", "recipient", "visible_to", "asker", "compared_with", "pattern", "forbidden"),
    *("effect", "published", "verdict", "agent"),
)
"""Fields, at any depth, whose values are the program's own words."""
_CONTROLS = (0x061C, 0x200E, 0x200F, *range(0x7F, 0xA0), *range(0x2028, 0x202F))
_ESCAPES = {code: f"\\u{code:04x}" for code in (*_CONTROLS, *range(0x2066, 0x206A))}
"""Characters that JSON leaves unescaped: line ends for some readers, commands for terminals."""


@dataclass(frozen=True)
class Trial:
    """One conversation, complete or not: its item, agent and outcome.

    Without a ``judgement`` it is an error, with a one-line ``reason``; if it ``timed_out``, the
    agent took longer than the scenario allows. The cause ``ours`` is a defect of this package or of
    the user's code for judging; ``None`` is a stored conversation that does not fit the scenario.
    The ``exception`` is the first one that was raised, such as in the agent, before the ``error``.
    ``unrecorded`` shows what is new in a request that is not in its cassette. ``judge`` is the name
    of the judge of words, if there is one. A conversation that ``is_over`` can be judged again,
    even if its judgement failed.
    """

    identifier: str
    number: int
    agent: AgentRecord
    scenario: Scenario
    trajectory: Trajectory
    judgement: Judgement | None = None
    reason: str | None = None
    cause: Cause | None = None
    timed_out: bool = False
    error: BaseException | None = None
    exception: BaseException | None = None
    unrecorded: Sequence[str] = ()
    user: UserRecord | None = None
    user_retries: int = 0
    notes: UserNotes | None = None
    is_user_fault: bool = False
    other_calls: Mapping[str, int] = field(default_factory=dict)
    usage: Mapping[Asker, Usage] = field(default_factory=dict)
    finish_reasons: Mapping[Asker, Sequence[str]] = field(default_factory=dict)
    duration: float | None = None
    shard: ShardRecord | None = None
    of_trials: TrialsRecord | None = None
    confirms: bool = False
    judge: str | None = None
    judge_settings: JudgeRecord | None = None
    imported: ImportedRecord | None = None
    fork: ForkRecord | None = None
    is_over: bool = False

    @property
    def outcome(self) -> Outcome:
        """Whether the trial passed or failed, or could not be played or judged.

        It is ``inconclusive`` if faults of a simulated user may have decided it.
        """
        if self.judgement is None:
            return "inconclusive" if self.is_user_fault else "error"
        return "passed" if self.judgement.passed else "failed"

    @property
    def messages(self) -> Sequence[Message]:
        """The messages of the conversation."""
        return self.trajectory.messages

    @property
    def result(self) -> Result | None:
        """The result of the scenario's protocol."""
        return self.judgement.result if self.judgement else None

    @property
    def patterns(self) -> ErrorPatterns | None:
        """The error patterns, in the world's names."""
        return unscrambled(self.judgement.patterns, self.scenario) if self.judgement else None

    @cached_property
    def record(self) -> dict[str, Any]:
        """The complete record, as plain JSON values.

        Numbers that JSON does not have become text. Keys from the environment are redacted.
        """
        return _clean({**_summary(self), **_details(self)})

    @cached_property
    def summary(self) -> Summary:
        """The summary for totals and JUnit XML, in a seventh of the time of the record."""
        return cast("Summary", _clean(_summary(self)))


def lost_record(identifier: str, reason: str) -> dict[str, Any]:
    """Return the record of an error of which only the item and a reason are known."""
    return _without_conversation(identifier, "error", f"it came to no end: {reason}")


def not_run_record(identifier: str, reason: str) -> dict[str, Any]:
    """Return the record of an item that the run did not reach."""
    return _without_conversation(identifier, NOT_RUN, reason)


def _without_conversation(identifier: str, outcome: str, reason: str) -> dict[str, Any]:
    return {
        **dict.fromkeys(("variant", "scores", "api_similarity", "exact")),
        **dict.fromkeys(("world", "scenario_digest", "summary", "now"), ""),
        **{name: [] for name in _LISTS},
        "record": VERSION,
        "id": identifier,
        "trial": 1,
        "feedback": False,
        "agent": "unknown",
        "outcome": outcome,
        "cause": None,
        "reason": redacted_line(reason),
        "counts": {"turns": 0, "messages": 0, "tool_calls": 0},
        "scenario": identifier.partition("::")[2].partition("[")[0],
        "start": {},
        "user": "scripted",
        "call_format": "native",
    }


def ran_out(scenario: Scenario, trajectory: Trajectory, result: Result | None) -> list[Budget]:
    """Return the limits that a judged conversation exceeded."""
    if result is None or not trajectory.messages:
        return []
    search: list[Budget] = ["texts"] if any(map(is_too_long, trajectory.messages)) else []
    search += ["parallel_executions"] if trajectory.untried_orders else []
    budgets: list[Budget] = protocol_of(scenario).ran_out(scenario, trajectory, result)
    if written_characters(trajectory.messages) > messages.MOST_WRITTEN:
        limits = ("max_messages", "max_calls", "max_steps")
        budgets = ["characters" if budget in limits else budget for budget in budgets]
    return [*search, *budgets]


def as_line(record: Mapping[str, Any]) -> str:
    """Write a record as one line of JSON, without characters that some readers break lines at."""
    return json.dumps(record, ensure_ascii=False, allow_nan=False).translate(_ESCAPES)


def _summary(trial: Trial) -> dict[str, Any]:
    scenario, result, patterns = trial.scenario, trial.result, trial.patterns
    return {
        "record": VERSION,
        "protocol": scenario.task.protocol,
        "id": trial.identifier,
        "trial": trial.number,
        **_nonempty(of_trials=trial.of_trials, confirms=trial.confirms),
        "variant": scenario.variant,
        "feedback": scenario.gives_feedback,
        "call_format": scenario.call_format,
        "world": scenario.world.name,
        "categories": scenario.categories,
        **_nonempty(critical=scenario.critical, quarantine=scenario.quarantine),
        "agent": trial.agent["name"],
        "agent_settings": trial.agent,
        "outcome": trial.outcome,
        "cause": trial.cause,
        "reason": trial.reason,
        "scores": {"score": result.score} if result else None,
        "counts": {
            "turns": trial.trajectory.turn_count,
            "messages": len(trial.trajectory.messages),
            "tool_calls": trial.trajectory.tool_call_count,
            **_nonempty(
                empty_replies=len(trial.trajectory.empty_replies),
                user_calls=len(trial.trajectory.user_calls),
                faults=sum(message.fault is not None for message in trial.messages),
            ),
        },
        **protocol_of(scenario).summary(scenario, result),
        **_nonempty(
            user_notes=_user_notes(trial),
            other_calls=dict(sorted(trial.other_calls.items())),
            judge=trial.judge,
            opinion=_opinion(trial),
            words=trial.judgement.words if trial.judgement else None,
            attack=attack_record(scenario, trial.trajectory),
            unjudged=trial.is_over and trial.outcome == "error",
            error_patterns=_error_patterns(trial, patterns) if patterns else None,
        ),
        **(
            {"failure_modes": protocol_of(scenario).failure_modes(scenario, trial.judgement)}
            if trial.judgement
            else {}
        ),
        **({"usage": _usage(trial)} if trial.usage else {}),
        **_nonempty(finish_reasons=_finish_reasons(trial)),
        **({"duration": round(trial.duration, 3)} if trial.duration is not None else {}),
    }


def _nonempty(**fields: Any) -> dict[str, Any]:
    """Return the fields that are not empty; a record leaves out the others."""
    return {name: value for name, value in fields.items() if value}


def _usage(trial: Trial) -> dict[str, Any]:
    """Return asker → usage, without embedders: they ask once for many conversations."""
    usages = {asker: dataclasses.asdict(usage) for asker, usage in trial.usage.items()}
    return {asker: rounded(usage) for asker, usage in usages.items() if asker != "embedder"}


def _finish_reasons(trial: Trial) -> dict[str, Any]:
    """Return asker → finish reason → its number, in the order of the reasons' names."""
    return {
        asker: {reason: [*reasons].count(reason) for reason in sorted(set(reasons))}
        for asker, reasons in trial.finish_reasons.items()
    }


def _details(trial: Trial) -> dict[str, Any]:
    scenario, trajectory, result = trial.scenario, trial.trajectory, trial.result
    patterns = trial.patterns
    shown = scenario.world.shown(scenario.scrambled)
    end = "judged" if trial.is_over else "finished"
    limits = ran_out(scenario, trajectory, result)
    limits += ["calls"] if patterns and patterns.too_many else []
    return {
        "scenario": scenario.name,
        "scenario_digest": scenario.digest,
        **scenario_digests(scenario),
        "summary": scenario.summary,
        "tags": scenario.tags,
        "now": scenario.now.isoformat(),
        "time_zone": str(scenario.now.tzinfo or "UTC"),
        "start": start_digests(scenario.start),
        "tools": scenario.tools,
        **_nonempty(user_tools=scenario.task.user_tools),
        "api_similarity": api_similarity([shown[name].name for name in scenario.tools]),
        "user": trial.user["name"] if trial.user else "scripted",
        **_nonempty(
            user_settings=trial.user,
            user_goals=scenario.task.user_script.all_goals,
            setup=scenario.setup,
            judge_settings=trial.judge_settings,
            shard=trial.shard,
            fork=trial.fork,
            imported=trial.imported,
        ),
        "limits": {
            "max_messages": scenario.max_messages,
            "max_calls": scenario.max_calls,
            "timeout": scenario.timeout,
            **_nonempty(max_steps=scenario.task.most_steps),
        },
        "ran_out": ["timeout"] if trial.timed_out else limits,
        "no_error_patterns": None if result else f"the conversation was not {end}",
        **_nonempty(unrecorded=[*trial.unrecorded]),
        "milestones": [],
        "minefields": [],
        "protected": [],
        "side_effects": [],
        "exact": None,
        **protocol_of(scenario).details(scenario, result),
        "findings": [
            {**dataclasses.asdict(finding), "words": finding.words}
            for finding in (patterns.findings if patterns else ())
        ],
        "closest_solution": patterns.closest_calls if patterns else (),
        **conversation_fields(trajectory),
    }


def _user_notes(trial: Trial) -> dict[str, Any] | None:
    if (notes := trial.notes) is None:
        return None
    return {
        "style": notes.style,
        "utterances": notes.utterances,
        "asked_again": notes.asked_again,
        "conversations": trial.user_retries + 1,
        "faults": [
            {
                "kind": fault.kind,
                "told": fault.feedback,
                "utterance": fault.utterance,
                "left": fault.left,
                "effect": fault.effect,
                "published": fault.published_kind,
            }
            for fault in notes.faults
        ],
        **({"review": dataclasses.asdict(notes.review)} if notes.review else {}),
    }


def _opinion(trial: Trial) -> dict[str, Any] | None:
    """Return the opinion of a judge, if one was asked, with parts of secrets redacted."""
    if trial.judgement is None or (opinion := trial.judgement.opinion) is None:
        return None
    criteria = [
        {
            "criterion": criterion.criterion,
            "met": criterion.met,
            "why": criterion.why,
            "quote": _unless_secret(criterion.quote, trial.messages),
            **({} if criterion.any_of is None else {"any_of": criterion.any_of}),
        }
        for criterion in opinion.criteria
    ]
    return {
        "verdict": opinion.verdict,
        "quote": _unless_secret(opinion.quote, trial.messages),
        "why": opinion.why,
        **_nonempty(
            against=_unless_secret(opinion.against, trial.messages),
            missing=opinion.missing,
            votes=opinion.votes,
            criteria=criteria,
        ),
    }


def _unless_secret(quote: str, messages: Sequence[Message]) -> str:
    """Return a quotation, unless it occurs only in redacted parts of the messages."""
    sources = [m.content for m in messages] + [m.call.arguments for m in messages if m.call]
    texts = [text for source in sources for text in texts_in(source) if is_quoted_in(quote, text)]
    is_shown = not texts or any(is_quoted_in(quote, redacted(text)) for text in texts)
    return quote if is_shown else HIDDEN


def _error_patterns(trial: Trial, patterns: ErrorPatterns) -> dict[str, Any]:
    max_calls = trial.scenario.max_calls
    compared = trial.judgement if patterns.closest is not None else None
    return {
        "max_calls": max_calls,
        "compared_with": compared.compared_with if compared else "nothing",
        "calls": dict(patterns.calls),
        "scores": dict(patterns.scores(max_calls)),
        "lowest_scores": dict(patterns.lowest_scores(max_calls)),
        "solutions": patterns.solutions,
        "closest": patterns.closest,
        "words": [finding.words for finding in patterns.findings],
    }


def _clean(values: dict[str, Any]) -> dict[str, Any]:
    """Return plain JSON values, with secrets redacted in texts from outside."""
    record: dict[str, Any] = _json(values)
    texts = {name: value for name, value in record.items() if name not in _PLAIN_FIELDS}
    clean: dict[str, Any] = redacted_values(texts, _CHOICES, ("arguments", "result"))
    return record | clean


def _json(value: Any) -> Any:
    """Return a value as plain JSON values, for other processes and files."""
    if isinstance(value, str):  # half a surrogate pair is no Unicode; a StrEnum no plain text
        return value.encode("utf-8", "backslashreplace").decode()
    if value is None or isinstance(value, (bool, int, float)):
        is_lacking = isinstance(value, float) and not math.isfinite(value)  # an int may be 10**400
        return str(value) if is_lacking else value
    if isinstance(value, (list, tuple)):
        return [_json(item) for item in value]
    if isinstance(value, (dict, Mapping)):  # most are the first, which is faster to tell
        return {str(name): _json(item) for name, item in value.items()}
    if dataclasses.is_dataclass(value):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        if fields.get("written_name", "") is None:  # no call whose names are scrambled
            fields = {name: item for name, item in fields.items() if item is not None}
        if fields.get("fault", "") is None:  # no message about a call that met one
            del fields["fault"]
        return _json(fields)
    return value.isoformat() if isinstance(value, (date, time)) else str(value)
