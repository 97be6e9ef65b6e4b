"""Answers made of a right one: the same in other forms, and wrong ones that look like it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from pytest_toolsandbox.agents.scripted import scripted
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import ask
from pytest_toolsandbox.conversation.solutions import solved
from pytest_toolsandbox.evaluation.queries import conclusion_of, evaluate_query
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.steps import SayStep
from pytest_toolsandbox.language.tasks import Query
from pytest_toolsandbox.matchers.mentions import is_mentioned

SENTENCE = 60
"""Letters."""
AMOUNT = re.compile(r"(?<![\w.,:-])\d[\d,]*(?:\.\d+)?(?= [a-z])")
"""A number with a unit, which another one has in a wrong answer."""

RIGHT = (
    "{answer}",
    "The answer is: {flat}",
    "I looked this up with the tools. {flat}",
    "{flat}\n\nI could not do anything else that you mentioned, since there is no tool for it.",
    "Based on the data, {flat}. Let me know if you need anything else!",
    "Here is what I found:\n\n- **{bullets}**",
)
WRONG = (
    "It might be {flat}.",
    "{flat}, but I'm not sure.",
    "{flat}. I am not certain about this.",
    "Possibly {flat}.",
    "The answer could be {flat}",
    "My best guess is {flat}.",
    "It isn't {flat}.",
    "The answer is not {flat}.",
    "{flat} is not the answer.",
    "I don't think it is {flat}.",
    "The answer is not:\n- {bullets}",
    "{flat}? No, that is wrong.",
)
RUNNERS_UP = (
    "{flat}. The runner-up was {rival}.",
    "{flat}, not {rival}.",
    "{flat} (rather than {rival}).",
    "{flat}. {rival} came next.",
)
ONE_OF_TWO = ("{name} or {rival}", "{rival} or {name}", "{name} / {rival}", "{name} and {rival}")


@dataclass(frozen=True)
class Answered:
    """A query whose solution was played, to be concluded with other words."""

    scenario: Scenario

    @property
    def answers(self) -> list[str]:
        """The answers of its solutions."""
        concluded = map(conclusion_of, solved(self.scenario))
        return list(dict.fromkeys(one.answer for one in concluded if one is not None))

    def passes(self, text: str) -> bool:
        """Whether an agent that found what the first solution does may say this."""
        last = self._played.messages[-1]
        messages = (*self._played.messages[:-1], replace(last, content=text))
        trajectory = replace(self._played, messages=messages)
        return evaluate_query(self._query, trajectory, (), solved(self.scenario)).answered

    @property
    def _query(self) -> Query:
        return self.scenario.task_as(Query)

    @cached_property
    def _played(self) -> Trajectory:
        steps = next(iter(self.scenario.solutions.values()))
        return ask(self.scenario, scripted(self.scenario, [*steps[:-1], SayStep("")]))

    def right(self) -> Iterator[str]:
        """Yield right answers."""
        for answer in self.answers:
            yield from (form.format(**_forms(answer)) for form in RIGHT)
        for _, rival in self._rivals():
            yield from (form.format(**_forms(self.answers[0]), rival=rival) for form in RUNNERS_UP)

    def wrong(self) -> Iterator[str]:
        """Yield wrong answers: hedged, denied, one of two, and everything that was found."""
        answer = self.answers[0]
        yield from (form.format(**_forms(answer)) for form in WRONG)
        for name, rival in self._rivals():
            for both in ONE_OF_TWO:
                yield answer.replace(name, both.format(name=name, rival=rival), 1)
            yield f"{answer}\n{rival}"
        yield "\n".join(dict.fromkeys(value for _, value in self._found))
        numbers = list(AMOUNT.finditer(answer))
        if len({number[0] for number in numbers}) > 1:
            one, other = numbers[0], next(n for n in numbers if n[0] != numbers[0][0])
            between = answer[one.end() : other.start()]
            yield f"{answer[: one.start()]}{other[0]}{between}{one[0]}{answer[other.end() :]}"

    def _rivals(self) -> Iterator[tuple[str, str]]:
        """Yield a name that the first answer gives, and another one that was found beside it."""
        facts = [f for one in self._query.answer.alternatives({}) for f in one.facts]
        items = [item for fact in facts for item in fact if isinstance(item, str)]
        said = "\n".join([self._query.text, *self.answers])
        for place, name in self._found:
            if name in self.answers[0] and any(is_mentioned(item, name) for item in items):
                for other, rival in self._found:
                    is_known = (
                        rival in said
                        or "?" in rival
                        or any(is_mentioned(item, rival) for item in items)
                    )
                    if place == other and not is_known:
                        yield name, rival
                        return

    @cached_property
    def _found(self) -> list[tuple[str, str]]:
        """Where tools returned what: names up to the length at which they are sentences."""
        traces = [call.trace for call in solved(self.scenario)[0].calls if call.trace]
        return [
            (place, value)
            for trace in traces
            for place, value in _values(trace.result, trace.tool_name)
            if len(value) < SENTENCE
        ]


def _values(result: Any, place: str) -> Iterator[tuple[str, str]]:
    if isinstance(result, dict):
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
