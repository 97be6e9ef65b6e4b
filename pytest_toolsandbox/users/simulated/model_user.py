"""``ModelUser``: a model plays the user, by ToolSandbox's prompt or by tool calls only.

``Reviewer`` is a model that checks the user of a failed conversation for faults.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from pytest_toolsandbox.language.roles import Manner
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.models.answering import AnsweringModel
from pytest_toolsandbox.models.chat_replies import assistant_message
from pytest_toolsandbox.models.errors import ProviderError
from pytest_toolsandbox.models.model_agent import (
    ProviderModel,
    answer_through,
    known_parameters,
    tool,
)
from pytest_toolsandbox.models.requests import asked_by, request_context
from pytest_toolsandbox.text.sentences import is_quoted_in
from pytest_toolsandbox.users.user import AGREES, Knowledge, Ledger, knowledge_of
from pytest_toolsandbox.users.user_calls import UserMessage, call_message

from . import tool_calling_prompt, toolsandbox_prompt
from .checks import UserFault, fault_in
from .own_tools import fault_in_calls, schemas
from .tool_calling_prompt import section, transcript
from .utterance import MalformedReplyError, RejectedReply, Reply, Situation, Utterance, texts_of

Verdict = Literal["none", "hallucination", "instruction_following"]
VERDICTS: Final[tuple[Verdict, ...]] = ("none", "hallucination", "instruction_following")
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
_TOOL: Final = tool(
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
    """A reviewer's ``verdict``, or ``None`` with the reason in ``why``."""

    verdict: Verdict | None
    utterance: str
    why: str

    @property
    def fault(self) -> UserFault | None:
        """The fault that the reviewer found, if any."""
        if self.verdict is None or self.verdict == "none":
            return None
        return UserFault("reviewed", self.why, self.utterance, left=True, reviewed=self.verdict)


@dataclass(frozen=True)
class Reviewer(AnsweringModel):
    """A model that judges users by :data:`RUBRIC`, through one tool that it must call."""

    def review(self, scenario: Scenario, heard: Sequence[dict[str, Any]]) -> Review:
        """Return the review of a user; an outage gives no verdict.

        The agent's messages are ``assistant``, those of the user ``user``.
        """
        try:
            with asked_by("reviewer"):
                arguments = answer_through(self, _TOOL, RUBRIC, _question(scenario, heard))
        except ProviderError as error:
            return Review(None, "", str(error))
        return _read(arguments, [m["content"] for m in heard if m["role"] == "user"])


def _question(scenario: Scenario, heard: Sequence[dict[str, Any]]) -> str:
    known = knowledge_of(scenario)
    facts = [*known.facts.values(), *([known.boundary] if known.boundary else [])]
    instructions = (
        [section("What the user was told", [known.instructions])] if known.instructions else []
    )
    parts = (
        *instructions,
        section("The user's goals", [f"- {goal}" for goal in known.goals.values()]),
        section("What the user knows", [f"- {fact}" for fact in facts] or ["- its own words"]),
        section("The conversation", transcript(heard, {"user": "User", "assistant": "Assistant"})),
    )
    return "\n\n".join(parts)


def _read(arguments: Mapping[str, Any], own_messages: Sequence[str]) -> Review:
    verdict, utterance, why = (arguments.get(name) for name in ("verdict", "utterance", "why"))
    if verdict not in VERDICTS:
        return Review(None, "", f"the reviewer gave no verdict through {JUDGE}")
    utterance, why = str(utterance or ""), str(why or "")
    if verdict != "none" and not any(is_quoted_in(utterance, text) for text in own_messages):
        return Review(None, utterance, "the reviewer quotes what the user did not say")
    return Review(verdict, utterance, why)


Style = Literal["paper"] | Manner

_RETRY_LIMIT: Final = 2
"""How often the model retries an utterance with a fault, before it is delivered anyway."""


@dataclass
class UserNotes:
    """The record of a simulated user in one conversation.

    ``style`` is the final one: ``paper`` for models that cannot be forced to call a tool.
    ``review`` is the review, if there was one.
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
class ModelUser(ProviderModel):
    """A model that plays the users of scenarios.

    ``style`` is ``paper``, or the manner of a user that speaks by tool calls; ``None`` is the
    scenario's. ``prompt`` is the prompt of the paper's style (Table 2). A conversation that its
    faults decided is played again, ``retries`` times at most. The ``reviewer`` checks failures.
    """

    style: Style | None = None
    prompt: toolsandbox_prompt.Prompt = "full"
    retries: int = 2
    reviewer: Reviewer | None = None

    def begin(self, scenario: Scenario, attempt: int = 0) -> _SimulatedUser:
        """Return the user of one conversation; each ``attempt`` has a different seed."""
        style = self.style or scenario.task.user_script.style
        if style != "paper" and "tool_choice" not in self.supported:
            style = "paper"
        return _SimulatedUser(self, scenario, attempt, UserNotes(style))

    @property
    def supported(self) -> Sequence[str]:
        """Which of ``seed`` and ``tool_choice`` the model supports."""
        return request_context().stand_in.known(self.model, self._known)

    def _known(self) -> Sequence[str]:
        known = known_parameters(self.model)
        return [name for name in ("seed", "tool_choice") if name in known]


class _SimulatedUser:
    """The user of one conversation; ``notes`` has its faults."""

    def __init__(
        self, model: ModelUser, scenario: Scenario, attempt: int, notes: UserNotes
    ) -> None:
        self.model = model
        self.script = scenario.task.user_script
        self.knowledge: Knowledge = knowledge_of(scenario)
        self.ledger = Ledger.at_opening(self.knowledge)
        self.world = texts_of(scenario)
        self.tools = scenario.user_tool_views
        self._asked = 0
        self.notes = notes
        seeded = attempt > 0 and "seed" in model.supported
        self.seed = {"seed": attempt} if seeded else {}

    def __call__(self, messages: list[dict[str, Any]]) -> str | UserMessage | None:
        """Return the answer to the last message, or calls. Raises ``ProviderError``."""
        self._asked += 1
        utterance = self._without_fault(messages)
        if utterance.calls:
            return call_message(utterance.calls)
        self.notes.utterances += 1
        self.ledger = self.ledger.after(utterance.goal)
        if utterance.text is None or self.notes.style == "paper":
            return utterance.text
        if not self.knowledge.gives_consent:
            return utterance.text
        return {"role": "user", "content": utterance.text, AGREES: utterance.agrees}

    def _without_fault(self, messages: list[dict[str, Any]]) -> Utterance:
        """Return the model's utterance; after the last retry, even with a fault."""
        rejected: list[RejectedReply] = []
        situation = self._situation(messages)
        while True:
            reply = self._ask(messages, rejected)
            utterance, fault = self._read(reply, situation)
            if fault is None:
                return utterance
            is_last = len(rejected) >= _RETRY_LIMIT
            if is_last and self._falls_back(reply):
                rejected = []
                continue
            self.notes.faults.append(replace(fault, left=is_last))
            if is_last:
                return utterance
            self.notes.asked_again += not rejected
            rejected.append(RejectedReply(reply, fault.feedback))

    def _read(self, reply: Reply, situation: Situation) -> tuple[Utterance, UserFault | None]:
        try:
            if self.notes.style == "paper":
                utterance = toolsandbox_prompt.read(reply, self.tools)
            else:
                utterance = tool_calling_prompt.read(reply, self.knowledge, self.tools)
        except MalformedReplyError as error:
            written = RejectedReply(reply, "").written
            return Utterance(None), UserFault("malformed", str(error), written)
        if utterance.calls:
            return utterance, fault_in_calls(utterance, self.tools)
        return utterance, fault_in(utterance, situation)

    def _situation(self, messages: list[dict[str, Any]]) -> Situation:
        open_goals = None if self.notes.style == "paper" else tuple(self.ledger.open_goals)
        heard = tuple(m["content"] for m in messages if m["role"] == "assistant")
        spoken = (m for m in messages if m["role"] == "user" and not m.get("tool_calls"))
        own_messages = tuple(message["content"] for message in spoken)
        seen = tuple(m["content"] for m in messages if m["role"] == "tool")
        return Situation(self.knowledge, heard, own_messages, open_goals, self.world, seen)

    def _ask(self, messages: list[dict[str, Any]], rejected: Sequence[RejectedReply]) -> Reply:
        try:
            return self._reply(messages, rejected)
        except ProviderError as error:
            if self.notes.style == "paper" or "tool_choice" not in str(error):
                raise
        self.notes.style = "paper"
        return self._reply(messages, rejected)

    def _reply(self, messages: list[dict[str, Any]], rejected: Sequence[RejectedReply]) -> Reply:
        tools = schemas(self.tools)
        if (style := self.notes.style) == "paper":
            request = toolsandbox_prompt.request(
                self.script, self.model.prompt, messages, rejected, tools
            )
        else:
            request = tool_calling_prompt.request(
                self.knowledge, self.ledger, style, messages, rejected
            )
            if tools:
                request = tool_calling_prompt.with_own_tools(request, tools)
        reply: Reply = self.model.ask("completion", assistant_message, **request, **self.seed)
        return reply

    def _falls_back(self, reply: Reply) -> bool:
        """Switch to the paper's style if a model writes text instead of the required tool call."""
        if self.notes.style == "paper" or reply.get("tool_calls") or self._asked > 1:
            return False
        self.notes.style = "paper"
        self.notes.faults.clear()
        self.notes.asked_again = 0
        return True
