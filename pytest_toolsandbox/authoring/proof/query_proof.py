"""Prove a query: solutions answer it, counterexamples and idle agents do not.

Idle agents say nothing, "Done!", or repeat the question. Other forms of the right answer must pass,
and answers with other facts, derived from the right one, must fail.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from pytest_toolsandbox.agents.scripted import scripted
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import ask as ask_agent
from pytest_toolsandbox.conversation.solutions import solved
from pytest_toolsandbox.language.roles import SayStep, Step, ToolStep
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import FINISH, Query
from pytest_toolsandbox.matchers.mentions import is_mentioned
from pytest_toolsandbox.scoring.judging import judge
from pytest_toolsandbox.scoring.queries import (
    CALL_RESULT,
    QueryEvaluation,
    conclusion_of,
    evaluate_query,
)
from pytest_toolsandbox.text.formatting import quote

from .mutants import Kind
from .played_solution import as_written
from .proof import IDLE, Ask, Idler, Proof, find_wrong_scripts

SENTENCE: Final = 60
"""The length from which a result is a text and not a name."""
_FIGURE: Final = re.compile(r"(?<![\w.,:/-])\d[\w.,:/-]*")
"""A number, a date or a time: it begins with a digit."""

RIGHT: Final = (
    "{answer}",
    "The answer is: {flat}",
    "I looked this up with the tools. {flat}",
    "{flat}\n\nI could not do anything else that you mentioned, since there is no tool for it.",
    "Based on the data, {flat}. Let me know if you need anything else!",
    "Here is what I found:\n\n- **{bullets}**",
)
_NAMED_AS_SUCH: Final = (
    "{flat}. The runner-up was {rival}.",
    "{flat}, not {rival}.",
    "{flat} (rather than {rival}).",
    "{flat}. {rival} came next.",
)


@dataclass(frozen=True)
class Answers:
    """A query with its first solution, which can conclude with other words."""

    scenario: Scenario

    def pass_with(self, text: str) -> bool:
        """Return whether an agent with the results of the first solution may give this answer."""
        last = self._played.messages[-1]
        messages = (*self._played.messages[:-1], replace(last, content=text))
        trajectory = replace(self._played, messages=messages)
        return evaluate_query(self._query, trajectory, (), solved(self.scenario)).answered

    def right(self) -> Iterator[str]:
        """Yield right answers."""
        for answer in self._answers:
            yield from (form.format(**_forms(answer)) for form in RIGHT)
        for _, rival in self._rivals():
            yield from (form.format(**_forms(self._first), rival=rival) for form in _NAMED_AS_SUCH)
            return

    def wrong(self) -> Iterator[tuple[Kind, str]]:
        """Yield answers with other facts, and an empty one."""
        with_rivals = (self._first.replace(*names, 1) for names in self._rivals())
        for text in (*with_rivals, *self._with_other_figures()):
            yield "answer changed", text
        yield "answer emptied", ""

    def _with_other_figures(self) -> Iterator[str]:
        """Yield the answer with another first digit in each figure outside of names."""
        names = [name for _, name in self._named_values if re.search(r"[^\W\d]", name)]
        inside = [
            match.span() for name in names for match in re.finditer(re.escape(name), self._first)
        ]
        for figure in _FIGURE.finditer(self._first):
            at = figure.start()
            if not any(start <= at < end for start, end in inside):
                digit = str(int(self._first[at]) % 9 + 1)
                yield f"{self._first[:at]}{digit}{self._first[at + 1 :]}"

    def _rivals(self) -> Iterator[tuple[str, str]]:
        """Yield the names in the answer, each with another name from the same place of a result."""
        facts = [
            f for alternative in self._query.answer.alternatives({}) for f in alternative.facts
        ]
        items = [item for fact in facts for item in fact if isinstance(item, str)]
        text = "\n".join([self._query.text, *self._answers])
        asked = [
            (place, name)
            for place, name in dict.fromkeys(self._named_values)
            if name in self._first and any(is_mentioned(item, name) for item in items)
        ]
        named = set[str]()
        for place, name in asked:
            rivals = (
                rival
                for rival_place, rival in self._named_values
                if place == rival_place
                and not (rival in text or "?" in rival)
                and not any(is_mentioned(item, rival) for item in items)
            )
            if name not in named and (rival := next(rivals, None)) is not None:
                named.add(name)
                yield name, rival

    @property
    def _query(self) -> Query:
        return self.scenario.task_as(Query)

    @cached_property
    def _answers(self) -> list[str]:
        """The answers of all solutions."""
        concluded = map(conclusion_of, solved(self.scenario))
        return list(
            dict.fromkeys(conclusion.answer for conclusion in concluded if conclusion is not None)
        )

    @property
    def _first(self) -> str:
        return self._answers[0]

    @cached_property
    def _played(self) -> Trajectory:
        steps = next(iter(self.scenario.solutions.values()))
        return _played(self.scenario, [*steps[:-1], SayStep("")])

    @cached_property
    def _named_values(self) -> list[tuple[str, str]]:
        """Where tools returned what: names up to the length at which they are sentences."""
        traces = [call.trace for call in self._played.calls if call.trace]
        return [
            (place, value)
            for trace in traces
            for place, value in _values(trace.result, trace.tool_name)
            if value and len(value) < SENTENCE
        ]


def _values(result: Any, place: str) -> Iterator[tuple[str, str]]:
    if isinstance(result, Mapping):
        for key, value in result.items():
            yield from _values(value, f"{place}.{key}")
    elif isinstance(result, list):
        for value in result:
            yield from _values(value, place)
    elif isinstance(result, str):
        yield place, result.rstrip(".")


def _forms(answer: str) -> dict[str, str]:
    lines = answer.splitlines()
    flat = "; ".join(lines).rstrip(".")
    return {"answer": answer, "flat": flat, "bullets": "\n- ".join(lines)}


def prove_query(scenario: Scenario, ask: Ask | None = None) -> Proof:
    """Prove a query. The embedder in use compares meanings."""
    proof = Proof(ask)
    find_wrong_scripts(proof, scenario, _played, _shortfall, _idlers(scenario))
    if scenario.solutions and not proof.findings:
        _try_answers(Answers(scenario), proof)
        _try_without_calls(scenario, proof)
    return proof


def _try_answers(answers: Answers, proof: Proof) -> None:
    """Conclude the first solution with right and wrong answers."""
    for text in answers.right():
        if not answers.pass_with(text):
            proof.findings.append(f"a right answer in other words does not pass: {quote(text)}")
    for kind, text in answers.wrong():
        passes = answers.pass_with(text)
        proof.tried(kind, quote(text), "nothing asks for more" if passes else None)


def _try_without_calls(scenario: Scenario, proof: Proof) -> None:
    """Leave out each call of the first solution, with unchanged values in the other calls.

    This must fail, unless another solution also lacks the call.
    """
    played = _played(scenario, next(iter(scenario.solutions.values())))
    conclusion = conclusion_of(played)
    if conclusion is None:
        return
    calls = [as_written(call.call) for call in played.calls]
    last = SayStep(conclusion.answer) if conclusion.by == "text" else calls.pop()
    for place, call in enumerate(calls):
        without = _played(scenario, [*calls[:place], *calls[place + 1 :], last])
        judgement = judge(scenario, without)
        if judgement.patterns.closest == 0:
            is_fault = judgement.patterns.findings or not judgement.passed
            reason = None if is_fault else "the other calls tell as much"
            proof.tried("call dropped", call.tool, reason)


def _played(scenario: Scenario, steps: Sequence[Step]) -> Trajectory:
    return ask_agent(scenario, scripted(scenario, steps))


def _shortfall(scenario: Scenario, trajectory: Trajectory) -> str | None:
    """Return the fault of a solution; with other arguments, it may look up another row."""
    judgement = judge(scenario, trajectory)
    result = judgement.result
    assert isinstance(result, QueryEvaluation)
    if result.conclusion is None:
        return f"does not conclude within {scenario.max_calls} calls"
    if wrong := [
        difference for difference in result.differences if difference.expected != CALL_RESULT
    ]:
        details = "; ".join(f"expected {difference.expected}" for difference in wrong)
        return f"gives the wrong answer {result.conclusion.answer!r}: {details}"
    if findings := judgement.patterns.findings:
        return f"has findings: {'; '.join(finding.words for finding in findings)}"
    return None


def _idlers(scenario: Scenario) -> Iterator[Idler]:
    answers = IDLE | {"repeats the question": scenario.task_as(Query).text}
    for what, answer in answers.items():
        yield what, [SayStep(answer)]
        yield what, [ToolStep(FINISH.name, {"answer": answer})]
