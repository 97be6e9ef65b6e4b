"""A judge of somebody's own: any callable that has an opinion."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.evaluation.opinion import OPINIONS, Opinion
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.models.errors import JudgeError, ProviderError
from pytest_toolsandbox.models.one_tool import arguments_of, reply_through
from pytest_toolsandbox.models.outages import whose
from pytest_toolsandbox.models.requests import asked_by, request_context
from pytest_toolsandbox.waiting.event_loop import run_coroutine
from pytest_toolsandbox.waiting.time_limit import OutOfTime, call_in_time
from pytest_toolsandbox.wording.error_text import blamed, describe_exception
from pytest_toolsandbox.wording.phrases import cut, listed, literal, type_of

from .model_judge import JUDGE, LONGEST
from .question import JudgeQuestion, lacking, question_of


@dataclass(frozen=True)
class OwnJudge:
    """Asks ``asked``, a function of one question or a coroutine of it, which ``name`` names."""

    name: str
    asked: Callable[[JudgeQuestion], Any]

    def opinion(self, scenario: Scenario, trajectory: Trajectory) -> Opinion:
        """Return what it thinks of a conversation. It has the ``timeout`` of the scenario for it.

        Raises ``JudgeError``, and ``ProviderError`` where an outage kept it from an answer.
        """
        question = question_of(scenario, trajectory)

        def ask() -> dict[str, Any]:
            return reply_through(JUDGE, self._checked(question))

        if (stand_in := request_context().stand_in) is None:
            reply: Mapping[str, Any] = ask()
        else:
            reply = stand_in.judge(self.name, question.text, ask)
        return Opinion(**arguments_of(reply, JUDGE))

    def _checked(self, question: JudgeQuestion) -> dict[str, str]:
        with asked_by("judge"):
            opinion: Opinion = self._answer(question)
        if problem := _malformed(opinion) or lacking(opinion, question):
            raise JudgeError(f"{self.name}: the judge {problem}")
        why = cut(opinion.why, LONGEST)
        return {"verdict": opinion.verdict, "quote": opinion.quote, "why": why}

    def _answer(self, question: JudgeQuestion) -> Any:
        timeout = question.scenario.timeout
        with blamed(lambda error: self._told(error, timeout), JudgeError, ProviderError):
            answer = call_in_time(lambda: self.asked(question), timeout)
            return run_coroutine(answer, timeout) if inspect.isawaitable(answer) else answer

    def _told(self, error: BaseException, timeout: float | None) -> Exception:
        if isinstance(error, OutOfTime):
            limit = f"{timeout:g} s for an opinion; the scenario's 'timeout' sets another"
            return JudgeError(f"{self.name}: the judge took longer than {limit}")
        told = f"{self.name}: the judge raised {describe_exception(error)}"
        return whose(error, told, JudgeError)


def _malformed(opinion: object) -> str:
    """Say why an answer is no opinion."""
    if not isinstance(opinion, Opinion):
        return f"returned {type_of(opinion)}; expected an Opinion"
    if opinion.verdict not in OPINIONS:
        return f"gave the verdict {literal(opinion.verdict)}; expected {listed(OPINIONS)}"
    for name in ("quote", "why"):
        if not isinstance(found := getattr(opinion, name), str):
            return f"returned an Opinion whose {name} is {type_of(found)}; expected text"
    return ""
