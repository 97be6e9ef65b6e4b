"""The parts of a trial's record that the gate reads: outcome, conditions, costs and path."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from math import fsum
from typing import Any, Final, NamedTuple, NotRequired

from typing_extensions import TypedDict

from pytest_toolsandbox.models.aliases import NO_JUDGE
from pytest_toolsandbox.records.parts import CountsRecord, JudgeRecord
from pytest_toolsandbox.records.record import SpentRecord, UserTrialRecord


class _Call(TypedDict):
    name: str
    arguments: str


class _Message(TypedDict):
    sender: str
    recipient: str
    content: str
    call: NotRequired[_Call | None]


class _Words(TypedDict):
    words: NotRequired[list[str]]


class GateRecord(UserTrialRecord, SpentRecord):
    """The fields that are read from a record of any version; missing ones are unknown."""

    variant: NotRequired[str | None]
    feedback: NotRequired[bool]
    call_format: NotRequired[str]
    categories: NotRequired[list[str]]
    critical: NotRequired[bool]
    quarantine: NotRequired[str]
    scores: NotRequired[dict[str, float] | None]
    counts: NotRequired[CountsRecord]
    error_patterns: NotRequired[_Words]
    failure_modes: NotRequired[list[str]]
    task_digest: NotRequired[str]
    scenario_digest: NotRequired[str]
    world_digest: NotRequired[str]
    prompt_digest: NotRequired[str]
    tools_digest: NotRequired[str]
    user: NotRequired[str]
    judge: NotRequired[str]
    judge_settings: NotRequired[JudgeRecord]
    messages: NotRequired[list[_Message]]
    sample: NotRequired[int]


class Setup(NamedTuple):
    """The settings of a trial that a change under test may change."""

    agent: str
    settings: str
    prompt: str
    tools: str


RULES: Final = "rules of an earlier version"
"""The placeholder for the judge of older records."""
_BY_RULES: Final = 2
"""The last version of records in which rules for English judged the words."""


class Conditions(NamedTuple):
    """The conditions that must be equal in two samples to compare them."""

    user: str
    call_format: str
    feedback: str
    judge: str = NO_JUDGE

    @property
    def user_name(self) -> str:
        """The value of ``--sandbox-user``."""
        return str(json.loads(self.user)["name"]) if self.user[:1] == "{" else self.user


COSTS: Final = ("turns", "tool_calls", "tokens", "cost", "latency")
"""The costs of a trial, in the order of the output."""


class Cost(TypedDict, total=False):
    """The known costs of a trial.

    ``tokens`` and ``latency``, the seconds of waiting for the model, are the agent's. ``cost`` is
    that of all models, in US dollars.
    """

    turns: float
    tool_calls: float
    tokens: float
    cost: float
    latency: float


@dataclass(frozen=True)
class PlayedTrial:
    """A trial of a scenario; ``passed`` is ``None`` if it was lost.

    A ``replayed`` trial repeats a recording. ``arms`` name agent, prompt and fixture parameters if
    several play side by side. ``digest`` changes with the task: trials with different digests are
    not compared. ``path`` has four characters per message, and shows where two conversations
    diverge. A trial that ``is_added`` is of a later round, after an inconclusive one; a trial that
    ``confirms`` checks whether its scenario broke. One that is ``of_sample`` is of a run of some
    scenarios of each world. ``failure_modes`` are mistakes beside calls; ``None`` is unknown.
    """

    id: str
    digest: str
    passed: bool | None
    score: float | None
    setup: Setup
    conditions: Conditions
    categories: tuple[str, ...] = ()
    variant: str | None = None
    arms: tuple[str, ...] = ()
    world: str = ""
    critical: bool = False
    quarantined: bool = False
    replayed: bool = False
    path: str = ""
    cost: Cost = field(default_factory=Cost)
    findings: tuple[str, ...] = ()
    failure_modes: tuple[str, ...] | None = None
    system_prompt: str = ""
    is_added: bool = False
    confirms: bool = False
    of_sample: bool = False


_SHARED: Final = ("setup", "conditions", "categories", "arms", "system_prompt", "digest")


class SharedValues:
    """Lets trials share equal values: most of a run have the same settings and prompts."""

    def __init__(self) -> None:
        self._known: dict[Any, Any] = {}

    def of(self, trial: PlayedTrial) -> PlayedTrial:
        """Return an equal trial that shares its values with the others."""
        values = {name: getattr(trial, name) for name in _SHARED}
        return replace(trial, **{n: self._known.setdefault(v, v) for n, v in values.items()})


def played_trial(record: Mapping[str, Any]) -> PlayedTrial:
    """Return the gate's view of a record; missing fields remain unknown."""
    scores, settings = record.get("scores"), dict(record.get("agent_settings") or {})
    patterns = record.get("error_patterns") or {}
    label, parameter = (settings.pop(name, None) for name in ("label", "parameter"))
    return PlayedTrial(
        id=record["id"],
        digest=_task(record),
        passed={"passed": True, "failed": False}.get(record["outcome"]),
        score=scores["score"] if scores else None,
        setup=Setup(
            settings.get("name", record["agent"]),
            text_of({key: value for key, value in settings.items() if key != "timeout"}),
            record.get("prompt_digest", ""),
            record.get("tools_digest", ""),
        ),
        conditions=_conditions(record),
        categories=tuple(record.get("categories") or ()),
        variant=record.get("variant"),
        arms=(*([label] if label else []), *([f"[{parameter}]"] if parameter else [])),
        world=record["world"],
        critical=record.get("critical", False),
        quarantined=bool(record.get("quarantine")),
        replayed=record.get("duration") == 0,  # others take at least 0.001 seconds
        path=path_of(record.get("messages") or ()),
        cost=_cost(record),
        findings=tuple(patterns.get("words") or ()),
        failure_modes=tuple(record["failure_modes"]) if "failure_modes" in record else None,
        system_prompt=_system_prompt(record.get("messages") or ()),
        is_added=record["trial"] > 1 and "of_trials" not in record,
        confirms=bool(record.get("confirms")),
        of_sample=bool(record.get("sample")),
    )


def path_of(messages: Iterable[Mapping[str, Any]]) -> str:
    """Return four characters for each message: who says what to whom, or calls which tool how."""
    return "".join(_digest(_message_text(message))[:4] for message in messages)


def _system_prompt(messages: Iterable[Mapping[str, Any]]) -> str:
    to_agent = (m for m in messages if (m["sender"], m["recipient"]) == ("system", "agent"))
    return next((str(message["content"]) for message in to_agent), "")


def _message_text(message: Mapping[str, Any]) -> str:
    call = message.get("call")
    what = [call["name"], _plain(call["arguments"])] if call else message["content"]
    return text_of([message["sender"], message["recipient"], what])


def _plain(arguments: str) -> Any:
    """Return arguments as values, so that spaces and order do not matter."""
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments


def first_difference(first: Sequence[object], second: Sequence[object]) -> int | None:
    """Return the index of the first different element of two sequences, if there is one."""
    pairs = enumerate(zip_longest(first, second))
    return next((at for at, (here, there) in pairs if here != there), None)


def parting(first: str, second: str) -> int | None:
    """Return the index of the first message at which two paths diverge, if they do.

    The first message is the system prompt, which is not part of what is said.
    """
    messages = ([path[at : at + 4] for at in range(4, len(path), 4)] for path in (first, second))
    place = first_difference(*messages)
    return None if place is None else place + 1


def _task(record: Mapping[str, Any]) -> str:
    if known := record.get("task_digest"):
        return str(known)
    names = ("scenario_digest", "world_digest", "variant", "feedback", "call_format")
    if not record.get("scenario_digest"):  # its process ended before it was known
        return ""
    return _digest(text_of([record.get(name) for name in names]))


def _conditions(record: Mapping[str, Any]) -> Conditions:
    user = dict(record.get("user_settings") or {})
    user.pop("timeout", None)
    notes = record.get("user_notes")
    style = {"style": notes["style"]} if notes else {}
    name = record.get("user", "scripted")
    feedback = "feedback on" if record.get("feedback") else "feedback off"
    who = name if name == "scripted" else text_of({**user, **style, "name": name})
    judge = record.get("judge") or (NO_JUDGE if record["record"] > _BY_RULES else RULES)
    settings = record.get("judge_settings") or {}
    if how := {name: settings[name] for name in ("parameters", "votes") if settings.get(name)}:
        judge = text_of({"name": judge, **how})
    return Conditions(who, record.get("call_format", "native"), feedback, judge)


def _cost(record: Mapping[str, Any]) -> Cost:
    counts = record.get("counts") or {}
    cost: Any = {name: counts[name] for name in ("turns", "tool_calls") if name in counts}
    usage = record.get("usage") or {}
    agent = usage.get("agent") or {}
    tokens = _sum(agent.get(name) for name in ("input_tokens", "output_tokens"))
    price = _sum(part.get("cost") for part in usage.values())
    cost |= {} if tokens is None else {"tokens": tokens}
    cost |= {} if price is None else {"cost": price}
    cost |= {"latency": agent["latency"]} if agent.get("latency") else {}
    taken: Cost = cost
    return taken


def _sum(numbers: Iterable[float | None]) -> float | None:
    """Return the sum; ``None`` without numbers, or if one of them is unknown."""
    known = list(numbers)
    return None if None in known or not known else fsum(filter(None, known))


def text_of(value: Any) -> str:
    """Return a value as JSON; equal values have equal texts."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
