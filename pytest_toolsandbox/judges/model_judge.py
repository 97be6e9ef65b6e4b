"""A model that judges the words of an agent, by a rubric and through one tool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.evaluation.opinion import OPINIONS, Opinion
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.models.errors import ProviderError
from pytest_toolsandbox.models.litellm_agent import LitellmModel
from pytest_toolsandbox.models.one_tool import answer_through, tool
from pytest_toolsandbox.models.requests import asked_by
from pytest_toolsandbox.wording.phrases import cut, literal

from .question import TASK, VERDICTS, lacking, question_of

JUDGE: Final = "judge_words"
LONGEST: Final = 1_000
"""Characters of a reason that are kept."""
TRIES: Final = 2
"""How often a judge is asked that gives no verdict, or quotes what was not said."""

INSTRUCTION: Final = f"{TASK} Call {JUDGE} once.\n\n{VERDICTS}"
TOOL: Final = tool(
    JUDGE,
    "Say whether the assistant's words are right.",
    {
        "why": {"type": "string", "description": "The reason, in one sentence."},
        "verdict": {"type": "string", "enum": [*OPINIONS]},
        "quote": {
            "type": "string",
            "description": "The words at fault as they stand there; empty if right.",
        },
    },
)


@dataclass(frozen=True)
class ModelJudge(LitellmModel):
    """A model that judges words by a rubric, through one tool that it must call."""

    @property
    def name(self) -> str:
        """Its name, as records tell it."""
        return self.model

    @property
    def asked(self) -> LitellmModel:
        """Who is asked: itself."""
        return self

    def opinion(self, scenario: Scenario, trajectory: Trajectory) -> Opinion:
        """Return what it thinks of what the agent said in a conversation whose calls are right.

        Raises ``ProviderError``, also where it gives no verdict.
        """
        question, problem = question_of(scenario, trajectory), ""
        for _ in range(TRIES):
            with asked_by("judge"):
                given = answer_through(self, TOOL, INSTRUCTION, question.text)
            opinion = _read(given)
            problem = _without_verdict(opinion) or lacking(opinion, question)
            if not problem:
                return opinion
        raise ProviderError(f"{self.model}: the judge {problem}; ask again, or use another model")


@dataclass(frozen=True)
class NamedJudge:
    """A model that judges, ``asked``, under the ``name`` by which a module has it."""

    name: str
    asked: ModelJudge

    def opinion(self, scenario: Scenario, trajectory: Trajectory) -> Opinion:
        """Return what it thinks of a conversation. Raises ``ProviderError``."""
        return self.asked.opinion(scenario, trajectory)


def _read(given: Mapping[str, Any]) -> Opinion:
    verdict, quote, why = (
        str(given.get(name) or "").strip() for name in ("verdict", "quote", "why")
    )
    return Opinion(verdict.lower(), quote, cut(why, LONGEST))  # type: ignore[arg-type]  # checked next


def _without_verdict(opinion: Opinion) -> str:
    if opinion.verdict in OPINIONS:
        return ""
    given = f", but {literal(opinion.verdict)}" if opinion.verdict else ""
    return f"gave no verdict through {JUDGE}{given}"
