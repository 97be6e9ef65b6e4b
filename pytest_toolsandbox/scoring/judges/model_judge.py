"""A judge that is a model: it reads the agent's words by a rubric and answers through one tool.

With several votes, the model is asked several times, and the majority decides.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.models.answering import AnsweringModel
from pytest_toolsandbox.models.errors import JudgeError
from pytest_toolsandbox.models.model_agent import ProviderModel, answer_through, tool
from pytest_toolsandbox.models.requests import asked_by
from pytest_toolsandbox.scoring.results import OPINIONS, CriterionOpinion, Opinion
from pytest_toolsandbox.text.formatting import format_value, truncate

from .question import JudgeQuestion, lacking, question_of, with_groups


def majority(ask: Callable[[], Opinion], votes: int) -> Opinion:
    """Ask several times, and return the first opinion with the verdict of the majority.

    The opinion has the number of votes for each verdict. ``false`` and ``incomplete`` count
    together as votes against the words. Raises ``JudgeError`` if unusable answers leave no side
    with more than half of the votes, and whatever ``ask`` raises.
    """
    if votes == 1:
        return ask()
    opinions: list[Opinion] = []
    lost: JudgeError | None = None
    for _ in range(votes):
        try:
            opinions.append(ask())
        except JudgeError as error:
            lost = error
    right = [opinion for opinion in opinions if opinion.is_right]
    wrong = [opinion for opinion in opinions if not opinion.is_right]
    side = max(right, wrong, key=len)
    criteria = _voting_criteria(opinions, votes)
    if lost is not None and (len(side) <= votes // 2 or criteria is None):
        raise lost
    counts = Counter(opinion.verdict for opinion in opinions)
    verdict = max((opinion.verdict for opinion in side), key=counts.__getitem__)
    first = next(opinion for opinion in side if opinion.verdict == verdict)
    kept = {str(name): counts[name] for name in OPINIONS if counts[name]}
    return replace(first, criteria=criteria or (), votes=kept)


def check_votes(votes: object) -> None:
    """Raise ``TypeError`` or ``ValueError`` for a number of votes that allows a tie."""
    if isinstance(votes, bool) or not isinstance(votes, int):
        raise TypeError(f"votes is {votes!r}; expected an odd number, such as 3")
    if votes < 1 or votes % 2 == 0:
        raise ValueError(f"votes is {votes}; expected an odd number, such as 3")


def _voting_criteria(
    opinions: Sequence[Opinion], votes: int
) -> tuple[CriterionOpinion, ...] | None:
    """Return the first opinion of the majority for each criterion; ``None`` without one."""
    decided = []
    for several in zip(*(opinion.criteria for opinion in opinions), strict=True):
        met = [opinion for opinion in several if opinion.met]
        unmet = [opinion for opinion in several if not opinion.met]
        side = max(met, unmet, key=len)
        if len(side) <= votes // 2:
            return None
        decided.append(side[0])
    return tuple(decided)


JUDGE: Final = "judge_words"
LONGEST: Final = 1_000
"""The maximum number of characters of a reason."""
TRIES: Final = 2
"""The maximum number of requests if the judge gives no verdict or an invented quotation."""


def _text_schema(description: str) -> dict[str, str]:
    return {"type": "string", "description": description}


def _list_schema(description: str, **properties: Any) -> dict[str, Any]:
    items = {"type": "object", "properties": properties, "required": [*properties]}
    return {"type": "array", "description": description, "items": items}


_TEXT: Final = {"type": "string"}
_CRITERIA: Final = _list_schema(
    "For each criterion: its number, a note, and whether it is met.",
    number={"type": "integer"},
    note=_TEXT,
    met={"type": "boolean"},
    quote=_text_schema("The words that show it; may be empty."),
    missing=_text_schema("What is missing; may be empty."),
)
_PARAMETERS: Final = {
    "notes": _list_schema(
        "For each line: its statements, and what supports or contradicts them.",
        line={"type": "integer"},
        note=_TEXT,
    ),
    "why": _text_schema("The reason, in one sentence."),
    "verdict": {"type": "string", "enum": [*OPINIONS]},
    "quote": _text_schema("The words at fault as they stand in a line; empty if right."),
    "against": _text_schema(
        "The words of the evidence that contradict it, as they stand there; may be empty."
    ),
    "missing": _text_schema("What is not said, or what no evidence shows; may be empty."),
}


@dataclass(frozen=True)
class ModelJudge(AnsweringModel):
    """A model that judges words by a rubric, through one tool that it must call.

    The majority of several ``votes`` decides. The temperature is 0 unless ``parameters`` set
    another one or the model rejects it.
    """

    votes: int = field(default=1, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_votes(self.votes)

    @property
    def name(self) -> str:
        """The name of the judge in records."""
        return self.model

    @property
    def asked(self) -> ProviderModel:
        """The judge that is asked: itself."""
        return self

    def opinion(self, scenario: Scenario, trajectory: Trajectory) -> Opinion:
        """Return an opinion on the agent's words in a conversation whose calls are right.

        Raises ``ProviderError``, and ``JudgeError`` if the model gives no usable verdict.
        """
        question = question_of(scenario, trajectory)
        return majority(partial(self._opinion, question), self.votes)

    def _opinion(self, question: JudgeQuestion) -> Opinion:
        text, problem = question.text, ""
        for _ in range(TRIES):
            with asked_by("judge"):
                answer = self._answer(question, text)
            opinion = with_groups(_read(answer, question.criteria), question)
            problem = _unusable(opinion) or lacking(opinion, question)
            if not problem:
                return opinion
            text = f"{question.text}\n\n{_answered_wrongly(answer, problem)}"
        raise JudgeError(f"{self.model}: the judge {problem}; ask again, or use another model")

    def _answer(self, question: JudgeQuestion, text: str) -> Mapping[str, Any]:
        criteria = {"criteria": _CRITERIA} if question.criteria else {}
        definition = tool(JUDGE, "Say whether the words are right.", _PARAMETERS | criteria)
        instruction = f"{question.rubric}\nCall {JUDGE} once."
        settings = {} if "temperature" in self.parameters else {"temperature": 0}
        return answer_through(self, definition, instruction, text, **settings)


@dataclass(frozen=True)
class NamedJudge:
    """A judge, ``asked``, with the ``name`` under which a module defines it."""

    name: str
    asked: ModelJudge

    @property
    def votes(self) -> int:
        """The number of times that it is asked."""
        return self.asked.votes

    def opinion(self, scenario: Scenario, trajectory: Trajectory) -> Opinion:
        """Return an opinion on a conversation. Raises ``ProviderError``, ``JudgeError``."""
        return self.asked.opinion(scenario, trajectory)


def _read(answer: Mapping[str, Any], criteria: tuple[str, ...]) -> Opinion:
    verdict, quote, why, against, missing = (
        _text(answer, name) for name in ("verdict", "quote", "why", "against", "missing")
    )
    why, missing = truncate(why, LONGEST), truncate(missing, LONGEST)
    return Opinion(
        verdict.lower(),  # type: ignore[arg-type]  # checked next
        quote,
        why or missing,
        against=against,
        missing=missing,
        criteria=tuple(_criteria(answer.get("criteria"), criteria)),
    )


def _criteria(answers: Any, criteria: tuple[str, ...]) -> list[CriterionOpinion]:
    """Return the answers on the criteria, in their order; without unanswered ones."""
    items = (
        [answer for answer in answers if isinstance(answer, Mapping)]
        if isinstance(answers, list)
        else []
    )
    by_number = {item.get("number"): item for item in items if isinstance(item.get("met"), bool)}
    return [
        CriterionOpinion(
            text,
            by_number[number]["met"],
            _text(by_number[number], "quote"),
            truncate(
                _text(by_number[number], "missing") or _text(by_number[number], "note"), LONGEST
            ),
        )
        for number, text in enumerate(criteria, 1)
        if number in by_number
    ]


def _text(answer: Mapping[str, Any], name: str) -> str:
    return str(answer.get(name) or "").strip()


def _unusable(opinion: Opinion) -> str:
    """Return why an opinion is unusable: it has no verdict, or no proof of it."""
    if opinion.verdict not in OPINIONS:
        verdict = f", but {format_value(opinion.verdict)}" if opinion.verdict else ""
        return f"gave no verdict through {JUDGE}{verdict}"
    if opinion.verdict == "false" and not (opinion.against or opinion.missing):
        return "names neither evidence against the words nor what no evidence shows"
    return ""


def _answered_wrongly(answer: Mapping[str, Any], problem: str) -> str:
    """Return the message to a judge that says why its first answer is unusable."""
    first = truncate(json.dumps(answer, ensure_ascii=False), LONGEST)
    return (
        f"# Your first answer\n{first}\nIt cannot be used: it {problem}. Answer again: quote words "
        "as they stand above, or leave the quotation of evidence empty and say what is missing."
    )
