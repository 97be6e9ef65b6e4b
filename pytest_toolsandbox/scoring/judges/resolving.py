"""Resolve ``--sandbox-judge`` to a judge: a model, or the user's own callable (``OwnJudge``)."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from pytest_toolsandbox.concurrency.event_loop import run_coroutine
from pytest_toolsandbox.concurrency.time_limit import OutOfTime, call_in_time
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.models.aliases import ALIASES, NO_JUDGE, model_name
from pytest_toolsandbox.models.errors import JudgeError, ProviderError, outage_or
from pytest_toolsandbox.models.model_agent import arguments_of, load_client, reply_through
from pytest_toolsandbox.models.requests import asked_by, request_context
from pytest_toolsandbox.scoring.results import OPINIONS, CriterionOpinion, Opinion
from pytest_toolsandbox.text.error_text import blamed, describe_exception
from pytest_toolsandbox.text.formatting import format_value, join_words, truncate, type_name
from pytest_toolsandbox.text.import_strings import ExpectedCallable, import_callable
from pytest_toolsandbox.text.nearest_name import did_you_mean

from .model_judge import JUDGE, LONGEST, ModelJudge, NamedJudge, majority
from .question import JudgeQuestion, lacking, question_of, with_groups

_TEXTS: Final = ("quote", "why", "against", "missing")
"""The texts in an opinion."""


@dataclass(frozen=True)
class OwnJudge:
    """Asks a user's function or coroutine function; ``name`` is its name in records."""

    name: str
    asked: Callable[[JudgeQuestion], Any]
    votes: int = 1

    def opinion(self, scenario: Scenario, trajectory: Trajectory) -> Opinion:
        """Return an opinion on a conversation, within the ``timeout`` of the scenario.

        Raises ``JudgeError``, and ``ProviderError`` if a model was unavailable.
        """
        question = question_of(scenario, trajectory)
        return majority(partial(self._opinion, question), self.votes)

    def _opinion(self, question: JudgeQuestion) -> Opinion:
        def ask() -> dict[str, Any]:
            return reply_through(JUDGE, self._checked(question))

        reply = request_context().stand_in.judge(self.name, question.text, ask)
        values = dict(arguments_of(reply, JUDGE))
        criteria = tuple(CriterionOpinion(**criterion) for criterion in values.pop("criteria", ()))
        return with_groups(Opinion(**values, criteria=criteria), question)

    def _checked(self, question: JudgeQuestion) -> dict[str, Any]:
        """Return an opinion as plain values, without empty ones."""
        with asked_by("judge"):
            opinion: Opinion = self._answer(question)
        if problem := _malformed(opinion) or lacking(opinion, question):
            raise JudgeError(f"{self.name}: the judge {problem}")
        by_text = {criterion.criterion: criterion for criterion in opinion.criteria}
        fields = ("criterion", "met", "quote", "why")
        criteria = [
            {name: getattr(by_text[text], name) for name in fields} for text in question.criteria
        ]
        why = truncate(opinion.why, LONGEST)
        values = {"verdict": opinion.verdict, "quote": opinion.quote, "why": why}
        further = {"against": opinion.against, "missing": opinion.missing, "criteria": criteria}
        return values | {name: value for name, value in further.items() if value}

    def _answer(self, question: JudgeQuestion) -> Any:
        timeout = question.scenario.timeout
        with blamed(lambda error: self._as_judge_error(error, timeout), JudgeError, ProviderError):
            answer = call_in_time(lambda: self.asked(question), timeout)
            return run_coroutine(answer, timeout) if inspect.isawaitable(answer) else answer

    def _as_judge_error(self, error: BaseException, timeout: float | None) -> Exception:
        if isinstance(error, OutOfTime):
            limit = f"{timeout:g} s for an opinion; the scenario's 'timeout' sets another"
            return JudgeError(f"{self.name}: the judge took longer than {limit}")
        reason = f"{self.name}: the judge raised {describe_exception(error)}"
        return outage_or(error, reason, JudgeError)


def _malformed(opinion: object) -> str:
    """Return why an answer is not an opinion."""
    if not isinstance(opinion, Opinion):
        return f"returned {type_name(opinion)}; expected an Opinion"
    if opinion.verdict not in OPINIONS:
        return f"gave the verdict {format_value(opinion.verdict)}; expected {join_words(OPINIONS)}"
    for name in _TEXTS:
        if not isinstance(text := getattr(opinion, name), str):
            return f"returned an Opinion whose {name} is {type_name(text)}; expected text"
    criteria: object = opinion.criteria
    if not isinstance(criteria, (list, tuple)):
        return f"returned an Opinion whose criteria are {type_name(criteria)}; expected a list"
    return next(filter(None, map(_malformed_criterion, criteria)), "")


def _malformed_criterion(criterion: object) -> str:
    if not isinstance(criterion, CriterionOpinion):
        return f"returned {type_name(criterion)} among the criteria; expected a CriterionOpinion"
    met: object = criterion.met
    if not isinstance(met, bool):
        return f"returned a CriterionOpinion whose met is {type_name(met)}; expected true or false"
    for name in ("criterion", "quote", "why"):
        if not isinstance(text := getattr(criterion, name), str):
            return f"returned a CriterionOpinion whose {name} is {type_name(text)}; expected text"
    return ""


_EXPECTED: Final = ExpectedCallable(
    ("question",),
    "a judge takes (question) or is a ModelJudge, and a factory, which makes one, takes nothing",
    "an async factory; a judge may be async, a factory not",
    "names no judge; write module:attribute",
    JudgeError,
    lambda judge: issubclass(type(judge), ModelJudge),
)


def resolve_judge(
    text: str, aliases: Mapping[str, str], *, is_asked: bool = True, votes: int | None = None
) -> ModelJudge | NamedJudge | OwnJudge:
    """Return the judge that ``text`` names; ``aliases`` are the user's. Raises ``JudgeError``.

    A model that is not asked, because its replies are recorded, need not be installed. The judge is
    asked ``votes`` times, or as often as it says itself.
    """
    names = {**ALIASES, **aliases}
    model = model_name(text, names)
    if not model and ":" not in text:
        known = (NO_JUDGE, *names)
        allowed = f"{', '.join(known)}, provider/model, module:attribute"
        raise JudgeError(f"there is no such judge{did_you_mean(text, known)} (allowed: {allowed})")
    imported: Any = None if model else import_callable(text, _EXPECTED)
    if not (model or issubclass(type(imported), ModelJudge)):
        return OwnJudge(text, imported, votes or 1)
    if is_asked:
        load_client(model or imported.model)
    if model:
        return ModelJudge(model, votes=votes or 1)
    return NamedJudge(text, _asked(imported, votes) if votes else imported)


def _asked(judge: ModelJudge, votes: int) -> ModelJudge:
    """Return a judge that is asked ``votes`` times; a user's own class may accept anything."""
    copied = copy.copy(judge)
    object.__setattr__(copied, "votes", votes)
    return copied
