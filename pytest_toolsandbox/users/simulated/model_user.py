"""A user that a model plays, in the paper's style or through tools alone.

A model that looks at the user of a conversation that failed, for the two kinds of faults.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from pytest_toolsandbox.language.roles import Manner
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.models.chat_replies import assistant_message
from pytest_toolsandbox.models.errors import ProviderError
from pytest_toolsandbox.models.litellm_agent import LitellmModel, answer_through, load_litellm, tool
from pytest_toolsandbox.models.requests import asked_by, request_context
from pytest_toolsandbox.text.sentences import stands_in
from pytest_toolsandbox.users.user import Knowledge, Ledger, knowledge_of

from . import by_tools, paper
from .by_tools import section, transcript
from .checks import UserFault, fault_in
from .utterance import MalformedReplyError, Refused, Reply, Situation, Utterance, texts_of

Verdict = Literal["none", "hallucination", "instruction_following"]
VERDICTS: Final[tuple[Verdict, ...]] = ("none", "hallucination", "instruction_following")
_ENDS: Final = "(ends the conversation)"
JUDGE: Final = "judge_user"

RUBRIC: Final = """\
You are shown what a simulated user was told, and its conversation with an assistant. Judge the \
user alone, never the assistant, and not whether the goals were met. Call judge_user once.

- hallucination: the user said a fact, a name, a number, a date, a time or a wording that is \
neither in what it was told, nor said by the assistant, nor follows from these.
- instruction_following: the user took the assistant's part (it offered help, claimed to have \
acted), told of its instructions, refused what its goals need, left out a goal, ended before the \
assistant was done, or did not end.
- none: anything else. Other words for the same, rounding, small talk, not knowing, an impatient \
or short manner, and changing a goal's wording are no faults. In doubt it is none.

Quote the utterance at fault word for word; for an end at the wrong time, the user's last words.
"""
TOOL: Final = tool(
    JUDGE,
    "Say what the user did wrong.",
    {
        "verdict": {"type": "string", "enum": [*VERDICTS]},
        "utterance": {
            "type": "string",
            "description": "The user's words that are at fault, as they stand there; else empty.",
        },
        "why": {"type": "string", "description": "What is wrong with them, in a sentence."},
    },
)


@dataclass(frozen=True)
class Review:
    """What a reviewer found: a ``verdict``, or ``None`` and ``why`` there is none."""

    verdict: Verdict | None
    utterance: str
    why: str

    @property
    def fault(self) -> UserFault | None:
        """The fault that it found."""
        if self.verdict is None or self.verdict == "none":
            return None
        return UserFault("reviewed", self.why, self.utterance, left=True, reviewed=self.verdict)


@dataclass(frozen=True)
class Reviewer(LitellmModel):
    """A model that judges users by :data:`RUBRIC`, through one tool that it must call."""

    def review(self, scenario: Scenario, heard: Sequence[dict[str, Any]]) -> Review:
        """Return what it finds in what the user heard and said; an outage finds nothing.

        The messages of the agent are ``assistant``, those of the user ``user``.
        """
        try:
            with asked_by("reviewer"):
                given = answer_through(self, TOOL, RUBRIC, _shown(scenario, heard))
        except ProviderError as error:
            return Review(None, "", str(error))
        return _read(given, [one["content"] for one in heard if one["role"] == "user"])


def _shown(scenario: Scenario, heard: Sequence[dict[str, Any]]) -> str:
    known = knowledge_of(scenario)
    facts = [*known.facts.values(), *([known.boundary] if known.boundary else [])]
    talk = [{**one, "content": one["content"] or _ENDS} for one in heard]
    parts = (
        section("The user's goals", [f"- {goal}" for goal in known.goals.values()]),
        section("What the user knows", [f"- {fact}" for fact in facts] or ["- its own words"]),
        section("The conversation", transcript(talk, {"user": "User", "assistant": "Assistant"})),
    )
    return "\n\n".join(parts)


def _read(given: Mapping[str, Any], said: Sequence[str]) -> Review:
    verdict, utterance, why = (given.get(name) for name in ("verdict", "utterance", "why"))
    if verdict not in VERDICTS:
        return Review(None, "", f"the reviewer gave no verdict through {JUDGE}")
    utterance, why = str(utterance or ""), str(why or "")
    if verdict != "none" and not any(stands_in(utterance, one) for one in said):
        return Review(None, utterance, "the reviewer quotes what the user did not say")
    return Review(verdict, utterance, why)


Style = Literal["paper"] | Manner

ASKED_AGAIN_AT_MOST: Final = 2
"""How often an utterance with a fault is asked for again, before it is delivered all the same."""


@dataclass
class UserNotes:
    """What was noted of a simulated user in one conversation.

    ``style`` is the one in which it was played in the end: ``paper`` for models that cannot be
    forced to call a tool. ``review`` is what a reviewer said of it, if one was asked.
    """

    style: Style
    utterances: int = 0
    asked_again: int = 0
    faults: list[UserFault] = field(default_factory=list)
    review: Review | None = None

    @property
    def left(self) -> list[UserFault]:
        """The faults that were delivered."""
        return [fault for fault in self.faults if fault.left]


@dataclass(frozen=True)
class ModelUser(LitellmModel):
    """A model that plays the users of scenarios.

    ``style`` is ``paper``, or how the user talks that speaks through tools; ``None`` is what the
    scenario says. ``prompt`` is what a user in the paper's style is told (Table 2). A conversation
    that its faults decided is played again, ``retries`` times at most; one that failed is shown to
    the ``reviewer``.
    """

    style: Style | None = None
    prompt: paper.Prompt = "full"
    retries: int = 2
    reviewer: Reviewer | None = None

    def begin(self, scenario: Scenario, attempt: int = 0) -> SimulatedUser:
        """Return the user of one conversation; another ``attempt`` has another seed."""
        style = self.style or scenario.task.user_script.style
        if style != "paper" and "tool_choice" not in self.supported:
            style = "paper"
        return SimulatedUser(self, scenario, attempt, UserNotes(style))

    @property
    def supported(self) -> Sequence[str]:
        """Which of ``seed`` and ``tool_choice`` the model is known to take."""
        stand_in = request_context().stand_in
        return stand_in.known(self.model, self._known) if stand_in else self._known()

    def _known(self) -> Sequence[str]:
        litellm = load_litellm(self.model)
        known = litellm.get_supported_openai_params(model=self.model) or ()
        return [name for name in ("seed", "tool_choice") if name in known]


class SimulatedUser:
    """The user of one conversation. What was found at fault stands in ``notes``."""

    def __init__(
        self, model: ModelUser, scenario: Scenario, attempt: int, notes: UserNotes
    ) -> None:
        self.model = model
        self.script = scenario.task.user_script
        self.knowledge: Knowledge = knowledge_of(scenario)
        self.ledger = Ledger.at_opening(self.knowledge)
        self.world = texts_of(scenario)
        self.notes = notes
        seeded = attempt > 0 and "seed" in model.supported
        self.seed = {"seed": attempt} if seeded else {}

    def __call__(self, messages: list[dict[str, Any]]) -> str | None:
        """Return the answer to the last message. Raises ``ProviderError``."""
        self.notes.utterances += 1
        utterance = self._without_fault(messages)
        self.ledger = self.ledger.after(utterance.goal)
        return utterance.text

    def _without_fault(self, messages: list[dict[str, Any]]) -> Utterance:
        """Return what the model says; after vain tries, with its fault."""
        refused: list[Refused] = []
        situation = self._situation(messages)
        while True:
            reply = self._asked(messages, refused)
            utterance, fault = self._read(reply, situation)
            if fault is None:
                return utterance
            is_last = len(refused) >= ASKED_AGAIN_AT_MOST
            if is_last and self._falls_back(reply):
                refused = []
                continue
            self.notes.faults.append(replace(fault, left=is_last))
            if is_last:
                return utterance
            self.notes.asked_again += not refused
            refused.append(Refused(reply, fault.told))

    def _read(self, reply: Reply, situation: Situation) -> tuple[Utterance, UserFault | None]:
        try:
            utterance = (
                paper.read(reply)
                if self.notes.style == "paper"
                else by_tools.read(reply, self.knowledge)
            )
        except MalformedReplyError as error:
            written = Refused(reply, "").written
            return Utterance(None), UserFault("malformed", str(error), written)
        return utterance, fault_in(utterance, situation)

    def _situation(self, messages: list[dict[str, Any]]) -> Situation:
        open_goals = None if self.notes.style == "paper" else tuple(self.ledger.open_goals)
        heard = tuple(one["content"] for one in messages if one["role"] == "assistant")
        said = tuple(one["content"] for one in messages if one["role"] == "user")
        return Situation(self.knowledge, heard, said, open_goals, self.world)

    def _asked(self, messages: list[dict[str, Any]], refused: Sequence[Refused]) -> Reply:
        try:
            return self._reply(messages, refused)
        except ProviderError as error:
            if self.notes.style == "paper" or "tool_choice" not in str(error):
                raise
        self.notes.style = "paper"
        return self._reply(messages, refused)

    def _reply(self, messages: list[dict[str, Any]], refused: Sequence[Refused]) -> Reply:
        if (style := self.notes.style) == "paper":
            request = paper.request(self.script, self.model.prompt, messages, refused)
        else:
            request = by_tools.request(self.knowledge, self.ledger, style, messages, refused)
        reply: Reply = self.model.ask("completion", assistant_message, **request, **self.seed)
        return reply

    def _falls_back(self, reply: Reply) -> bool:
        """Go on in the paper's style, where a model that was told to call a tool only writes."""
        if self.notes.style == "paper" or reply.get("tool_calls") or self.notes.utterances > 1:
            return False
        self.notes.style = "paper"
        self.notes.faults.clear()
        self.notes.asked_again = 0
        return True
