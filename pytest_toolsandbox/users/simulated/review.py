"""A model that looks at the user of a conversation that failed, for the two kinds of faults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.models.errors import ProviderError
from pytest_toolsandbox.models.litellm_agent import LitellmModel
from pytest_toolsandbox.models.one_tool import answer_through, tool
from pytest_toolsandbox.models.requests import asked_by
from pytest_toolsandbox.users.knowledge import knowledge_of
from pytest_toolsandbox.wording.quoting import stands_in

from .by_tools import section, transcript
from .faults import UserFault

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
