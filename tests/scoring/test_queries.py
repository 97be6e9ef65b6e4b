"""How a query was concluded, and whether that is the answer."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pantry import scenario
from rows import every

from pytest_toolsandbox.agents.scripted import scripted
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import ask
from pytest_toolsandbox.language.error_patterns import Pattern
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Query
from pytest_toolsandbox.scoring.judging import Judgement, judge
from pytest_toolsandbox.scoring.queries import (
    Conclusion,
    QueryEvaluation,
    conclusion_of,
    evaluate_query,
)


def query(answer: str, more: str = "") -> Scenario:
    return scenario(f"query: How much rice is there?\nanswer: {answer}\nmax_calls: 3\n{more}")


def call(name: str, /, **arguments: Any) -> dict[str, Any]:
    return {"id": name, "function": {"name": name, "arguments": json.dumps(arguments)}}


def asked(scene: Scenario, *replies: Any) -> Trajectory:
    left = list(replies)

    def agent(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        del messages, tools
        reply = left.pop(0)
        return reply if isinstance(reply, str) else {"content": None, "tool_calls": reply}

    return ask(scene, agent)


def of(scene: Scenario) -> Query:
    return scene.task_as(Query)


LIST, FINISH = [call("list_items")], [call("finish", answer="two")]
NOT_FINISHED = [call("finish")]


@every(
    ("replies", "conclusion"),
    [
        (["two"], Conclusion("two", 2, "text")),
        ([""], Conclusion("", 2, "text")),
        ([FINISH], Conclusion("two", 3, "finish")),
        ([LIST, FINISH], Conclusion("two", 5, "finish")),
        (
            [[call("finish", answer="one"), call("finish", answer="two")]],
            Conclusion("two", 5, "finish"),
        ),
        ([NOT_FINISHED, "two"], Conclusion("two", 4, "text")),
        ([[call("finish", answer=2.5)]], Conclusion("2.5", 3, "finish")),
        ([[call("finish", answer=True)]], Conclusion("true", 3, "finish")),
        ([[call("finish", answer=["rice", 2])]], Conclusion("rice\n2", 3, "finish", ("rice", "2"))),
        (["One moment.", "two"], Conclusion("One moment.\ntwo", 4, "text")),
        (["Let me sum up: two.", "Bye."], Conclusion("Let me sum up: two.\nBye.", 4, "text")),
        (["One moment.", FINISH], Conclusion("two", 5, "finish")),
        (["One moment.", *[LIST] * 3], None),
        ([LIST] * 3, None),
        ([NOT_FINISHED] * 3, None),
    ],
)
def test_conclusions(replies: list[Any], conclusion: Conclusion | None) -> None:
    assert conclusion_of(asked(query("two"), *replies)) == conclusion


@every(
    ("answer", "right", "wrong"),
    [
        ("two", "There are two.", "There are three."),
        ("2", "2 notes", "12"),
        ("2.5", 2.5, 2.25),
        ("{mentions: [milk, [eggs, egg]]}", ["milk", "egg"], "milk"),
        ("{exact: milk}", "milk", "some milk"),
        ("{any_of: [{exact: a}, {exact: b}]}", "b", "c"),
    ],
)
def test_answers(answer: str, right: Any, wrong: Any) -> None:
    scene = query(answer)
    for concluded, passes in ((right, True), (wrong, False)):
        replies = [[call("finish", answer=concluded)]]
        for reply in [*replies, concluded] if isinstance(concluded, str) else replies:
            result = evaluate_query(of(scene), asked(scene, reply))
            assert (result.answered, result.passed) == (passes, passes)
            assert bool(result.differences) is not passes


def test_a_wrong_answer_has_differences() -> None:
    scene = query("{mentions: [milk, [eggs, egg]]}")
    (difference,) = evaluate_query(of(scene), asked(scene, "milk")).differences
    assert difference.expected == "mentions milk, eggs | egg"
    assert (difference.found, difference.note) == ("milk", "missing: eggs | egg")
    result = evaluate_query(of(scene), asked(scene, LIST, LIST, LIST))
    assert (result.conclusion, result.answered, result.passed) == (None, False, False)


@every(
    ("patterns", "forbidden"),
    [([], ()), (["IAC"], ()), (["IFN"], ("IFN",)), (["IFN", "RAC", "IAC"], ("RAC", "IFN"))],
)
def test_forbidden_patterns(patterns: list[Pattern], forbidden: tuple[Pattern, ...]) -> None:
    scene = query("two", "forbidden: [RAC, IFN]")
    result = evaluate_query(of(scene), asked(scene, "two"), patterns)
    assert (result.answered, result.forbidden) == (True, forbidden)
    assert result.passed is not bool(forbidden)


def test_rows_are_lines() -> None:
    scene = scenario(
        "query: How much of each is there?\nanswer: {pairs: {rice: 2, salt: 5}}\n"
        "finish: {name: string, amount: integer}\n"
        "solutions: {one: [finish: {answer: [{name: rice, amount: 2}, {name: salt, amount: 5}]}]}"
    )
    for amounts, answered in (((2, 5), True), ((5, 2), False), ((2, 7), False)):
        rows = [{"name": n, "amount": a} for n, a in zip(("rice", "salt"), amounts, strict=True)]
        trajectory = asked(scene, [call("finish", answer=rows)])
        result = evaluate_query(scene.task_as(Query), trajectory)
        assert result.answered == answered
        assert result.conclusion is not None
        first, second = result.conclusion.answer.splitlines()
        assert first == f"name: rice, amount: {amounts[0]}"
        assert second == f"name: salt, amount: {amounts[1]}"


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
    return [difference.note for difference in result.differences]


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
def test_answers_that_no_call_found(
    question: str, answer: str, solution: str, agent: str, expected: list[str] | int
) -> None:
    scene = scenario(QUERY.format(question=question, answer=answer, solution=solution, agent=agent))
    guessed = notes(judged(scene))
    assert (len(guessed) if isinstance(expected, int) else guessed) == expected
    assert judged(scene).passed is not bool(expected)
