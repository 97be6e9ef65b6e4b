"""A right answer counts where the agent's calls found it."""

from __future__ import annotations

import pytest
from pantry import scenario

from pytest_toolsandbox.agents.scripted import scripted
from pytest_toolsandbox.conversation.play import ask
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.scoring.judging import Judgement, judge
from pytest_toolsandbox.scoring.queries import QueryEvaluation

QUERY = """
query: {question}
answer: {answer}
solutions:
  one: {solution}
counterexamples:
  agent: {agent}
"""
LISTS = "[list_items: {}, finish: {answer: rice 2}]"
WEIGHS = "[list_items: {}, weigh: {name: rice}, finish: {answer: 40}]"


def judged(scene: Scenario) -> Judgement:
    (steps,) = scene.counterexamples.values()
    return judge(scene, ask(scene, scripted(scene, steps)))


def notes(judgement: Judgement) -> list[str | None]:
    result = judgement.result
    assert isinstance(result, QueryEvaluation)
    return [one.note for one in result.differences]


@pytest.mark.parametrize(
    ("question", "answer", "solution", "agent", "expected"),
    [
        ("What is it?", "rice", LISTS, "[say: rice]", ["no call found rice"]),
        ("What is it?", "rice", LISTS, "[finish: {answer: rice}]", ["no call found rice"]),
        ("What is it?", "rice", LISTS, "[list_items: {}, say: rice]", []),
        ("Rice or salt?", "rice", LISTS, "[say: rice]", []),
        ("What is it?", "rice", "[say: rice]", "[say: rice]", []),
        ("How much?", "40", WEIGHS, "[finish: {answer: 40}]", ["no call found 40"]),
        ("How much?", "40", WEIGHS, "[list_items: {}, finish: {answer: 40}]", ["no call found 40"]),
        ("How much?", "40", WEIGHS, "[weigh: {name: rice}, finish: {answer: 40}]", []),
        ("What?", "{mentions: [rice, 40]}", LISTS.replace("2", "40"), "[say: rice 40]", 2),
    ],
)
def test_what_no_call_found(
    question: str, answer: str, solution: str, agent: str, expected: list[str] | int
) -> None:
    scene = scenario(QUERY.format(question=question, answer=answer, solution=solution, agent=agent))
    found = notes(judged(scene))
    assert (len(found) if isinstance(expected, int) else found) == expected
    assert judged(scene).passed is not bool(expected)
