"""A model that judges the words of an agent, by a rubric and through one tool."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.evaluation.opinion import OPINIONS, CriterionOpinion, Opinion
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.models.errors import JudgeError, ProviderError
from pytest_toolsandbox.models.litellm_agent import LitellmModel
from pytest_toolsandbox.models.one_tool import answer_through, tool
from pytest_toolsandbox.models.requests import ModelReply, asked_by
from pytest_toolsandbox.wording.phrases import cut, literal

from .question import JudgeQuestion, lacking, question_of, with_groups
from .voting import check_votes, majority

JUDGE: Final = "judge_words"
LONGEST: Final = 1_000
"""Characters of a reason that are kept."""
TRIES: Final = 2
"""How often a judge is asked that gives no verdict, or quotes what was not said."""

_TEXT: Final = {"type": "string"}
_QUOTE: Final = "The words at fault as they stand in a line; empty if right."
_AGAINST: Final = "The words of the evidence that contradict it, as they stand there; may be empty."
_MISSING: Final = "What is not said, or what no evidence shows; may be empty."
_NOTES: Final = {
    "type": "array",
    "description": "For each line: its statements, and what supports or contradicts them.",
    "items": {
        "type": "object",
        "properties": {"line": {"type": "integer"}, "note": _TEXT},
        "required": ["line", "note"],
    },
}
_CRITERIA: Final = {
    "type": "array",
    "description": "For each criterion: its number, a note, and whether it is met.",
    "items": {
        "type": "object",
        "properties": {
            "number": {"type": "integer"},
            "note": _TEXT,
            "met": {"type": "boolean"},
            "quote": {"type": "string", "description": "The words that show it; may be empty."},
            "missing": {"type": "string", "description": "What is missing; may be empty."},
        },
        "required": ["number", "note", "met", "quote", "missing"],
    },
}
_PARAMETERS: Final = {
    "notes": _NOTES,
    "why": {"type": "string", "description": "The reason, in one sentence."},
    "verdict": {"type": "string", "enum": [*OPINIONS]},
    "quote": {"type": "string", "description": _QUOTE},
    "against": {"type": "string", "description": _AGAINST},
    "missing": {"type": "string", "description": _MISSING},
}

_with_own_temperature: set[str] = set()
"""Models that refuse a temperature, as those that reason do."""


@dataclass(frozen=True)
class ModelJudge(LitellmModel):
    """A model that judges words by a rubric, through one tool that it must call.

    Of several ``votes`` the majority decides. The temperature is 0, unless ``parameters`` state
    another or the model takes none.
    """

    votes: int = field(default=1, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_votes(self.votes)

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

        Raises ``ProviderError``, and ``JudgeError`` where it gives no verdict that can be used.
        """
        question = question_of(scenario, trajectory)
        return majority(partial(self._opinion, question), self.votes)

    def _opinion(self, question: JudgeQuestion) -> Opinion:
        text, problem = question.text, ""
        for _ in range(TRIES):
            with asked_by("judge"):
                given = self._answer(question, text)
            opinion = with_groups(_read(given, question.criteria), question)
            problem = _without_verdict(opinion) or _unproven(opinion) or lacking(opinion, question)
            if not problem:
                return opinion
            text = f"{question.text}\n\n{_answered_wrongly(given, problem)}"
        raise JudgeError(f"{self.model}: the judge {problem}; ask again, or use another model")

    def _answer(self, question: JudgeQuestion, text: str) -> Mapping[str, Any]:
        criteria = {"criteria": _CRITERIA} if question.criteria else {}
        definition = tool(JUDGE, "Say whether the words are right.", _PARAMETERS | criteria)
        instruction = f"{question.rubric}\nCall {JUDGE} once."
        own = {} if "temperature" in self.parameters else {"temperature": 0}
        return answer_through(self, definition, instruction, text, **own)

    def _reply(
        self, function: str, read: Callable[[Any], Any], given: Mapping[str, Any], seconds: float
    ) -> ModelReply:
        """Ask the provider once, or again without a temperature where that is refused."""
        without = {name: one for name, one in given.items() if name != "temperature"}
        if self.model in _with_own_temperature:
            return super()._reply(function, read, without, seconds)
        try:
            return super()._reply(function, read, given, seconds)
        except ProviderError as error:
            if without.keys() == given.keys() or "temperature" not in str(error):
                raise
        _with_own_temperature.add(self.model)
        return super()._reply(function, read, without, seconds)


@dataclass(frozen=True)
class NamedJudge:
    """A model that judges, ``asked``, under the ``name`` by which a module has it."""

    name: str
    asked: ModelJudge

    @property
    def votes(self) -> int:
        """How often it is asked."""
        return self.asked.votes

    def opinion(self, scenario: Scenario, trajectory: Trajectory) -> Opinion:
        """Return what it thinks of a conversation. Raises ``ProviderError``, ``JudgeError``."""
        return self.asked.opinion(scenario, trajectory)


def _read(given: Mapping[str, Any], criteria: tuple[str, ...]) -> Opinion:
    verdict, quote, why, against, missing = (
        _text(given, name) for name in ("verdict", "quote", "why", "against", "missing")
    )
    why, missing = cut(why, LONGEST), cut(missing, LONGEST)
    return Opinion(
        verdict.lower(),  # type: ignore[arg-type]  # checked next
        quote,
        why or missing,
        against=against,
        missing=missing,
        criteria=tuple(_criteria(given.get("criteria"), criteria)),
    )


def _criteria(given: Any, criteria: tuple[str, ...]) -> list[CriterionOpinion]:
    """Return what is said of the criteria, in their order; without those of which nothing is."""
    items = [one for one in given if isinstance(one, Mapping)] if isinstance(given, list) else []
    found = {one.get("number"): one for one in items if isinstance(one.get("met"), bool)}
    return [
        CriterionOpinion(
            text,
            found[number]["met"],
            _text(found[number], "quote"),
            cut(_text(found[number], "missing") or _text(found[number], "note"), LONGEST),
        )
        for number, text in enumerate(criteria, 1)
        if number in found
    ]


def _text(given: Mapping[str, Any], name: str) -> str:
    return str(given.get(name) or "").strip()


def _without_verdict(opinion: Opinion) -> str:
    if opinion.verdict in OPINIONS:
        return ""
    given = f", but {literal(opinion.verdict)}" if opinion.verdict else ""
    return f"gave no verdict through {JUDGE}{given}"


def _unproven(opinion: Opinion) -> str:
    if opinion.verdict == "false" and not (opinion.against or opinion.missing):
        return "names neither evidence against the words nor what no evidence shows"
    return ""


def _answered_wrongly(given: Mapping[str, Any], problem: str) -> str:
    """Return what a judge is told of its first answer."""
    first = cut(json.dumps(given, ensure_ascii=False), LONGEST)
    return (
        f"# Your first answer\n{first}\nIt cannot be used: it {problem}. Answer again: quote words "
        "as they stand above, or leave the quotation of evidence empty and say what is missing."
    )
