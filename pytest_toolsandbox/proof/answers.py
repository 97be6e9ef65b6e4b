"""Answers made of a right one: the same in other forms, and others with other facts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from pytest_toolsandbox.agents.scripted import scripted
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import ask
from pytest_toolsandbox.conversation.solutions import solved
from pytest_toolsandbox.evaluation.conclusion import conclusion_of
from pytest_toolsandbox.evaluation.queries import evaluate_query
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.steps import SayStep
from pytest_toolsandbox.language.tasks import Query
from pytest_toolsandbox.matchers.mentions import is_mentioned

from .mutants import Kind

SENTENCE: Final = 60
"""Letters from which on a result is no name."""
_FIGURE: Final = re.compile(r"(?<![\w.,:/-])\d[\w.,:/-]*")
"""A number, a date, a time: what begins with a digit."""

RIGHT: Final = (
    "{answer}",
    "The answer is: {flat}",
    "I looked this up with the tools. {flat}",
    "{flat}\n\nI could not do anything else that you mentioned, since there is no tool for it.",
    "Based on the data, {flat}. Let me know if you need anything else!",
    "Here is what I found:\n\n- **{bullets}**",
)
NAMED_AS_SUCH: Final = (
    "{flat}. The runner-up was {rival}.",
    "{flat}, not {rival}.",
    "{flat} (rather than {rival}).",
    "{flat}. {rival} came next.",
)


@dataclass(frozen=True)
class Answers:
    """A query whose first solution is played, to be concluded with other words."""

    scenario: Scenario

    def pass_with(self, text: str) -> bool:
        """Whether an agent that found what the first solution does may say this."""
        last = self._played.messages[-1]
        messages = (*self._played.messages[:-1], replace(last, content=text))
        trajectory = replace(self._played, messages=messages)
        return evaluate_query(self._query, trajectory, (), solved(self.scenario)).answered

    def right(self) -> Iterator[str]:
        """Yield right answers."""
        for answer in self._given:
            yield from (form.format(**_forms(answer)) for form in RIGHT)
        for _, rival in self._rivals():
            yield from (form.format(**_forms(self._first), rival=rival) for form in NAMED_AS_SUCH)
            return

    def wrong(self) -> Iterator[tuple[Kind, str]]:
        """Yield answers with other facts, and an empty one."""
        for text in (*self._with_rivals(), *self._with_other_figures()):
            yield "answer changed", text
        yield "answer emptied", ""

    def _with_rivals(self) -> Iterator[str]:
        for name, rival in self._rivals():
            yield self._first.replace(name, rival, 1)

    def _with_other_figures(self) -> Iterator[str]:
        """Yield the answer with another first digit in each figure that is in no name."""
        names = [name for _, name in self._found if re.search(r"[^\W\d]", name)]
        inside = [one.span() for name in names for one in re.finditer(re.escape(name), self._first)]
        for figure in _FIGURE.finditer(self._first):
            at = figure.start()
            if not any(start <= at < end for start, end in inside):
                other = str(int(self._first[at]) % 9 + 1)
                yield f"{self._first[:at]}{other}{self._first[at + 1 :]}"

    def _rivals(self) -> Iterator[tuple[str, str]]:
        """Yield the names that the answer gives, each with another one found in its place."""
        facts = [f for one in self._query.answer.alternatives({}) for f in one.facts]
        items = [item for fact in facts for item in fact if isinstance(item, str)]
        said = "\n".join([self._query.text, *self._given])
        asked = [
            (place, name)
            for place, name in dict.fromkeys(self._found)
            if name in self._first and any(is_mentioned(item, name) for item in items)
        ]
        told = set[str]()
        for place, name in asked:
            others = (
                rival
                for other, rival in self._found
                if place == other
                and not (rival in said or "?" in rival)
                and not any(is_mentioned(item, rival) for item in items)
            )
            if name not in told and (rival := next(others, None)) is not None:
                told.add(name)
                yield name, rival

    @property
    def _query(self) -> Query:
        return self.scenario.task_as(Query)

    @cached_property
    def _given(self) -> list[str]:
        """The answers of the solutions."""
        concluded = map(conclusion_of, solved(self.scenario))
        return list(dict.fromkeys(one.answer for one in concluded if one is not None))

    @property
    def _first(self) -> str:
        return self._given[0]

    @cached_property
    def _played(self) -> Trajectory:
        steps = next(iter(self.scenario.solutions.values()))
        return ask(self.scenario, scripted(self.scenario, [*steps[:-1], SayStep("")]))

    @cached_property
    def _found(self) -> list[tuple[str, str]]:
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
