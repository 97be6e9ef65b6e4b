"""Queries: every solution answers without a finding, however the tools are augmented.

No counterexample passes, nor an agent that says nothing, just "Done!", or what it was asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_toolsandbox.agents.scripted import scripted
from pytest_toolsandbox.conversation.play import ask
from pytest_toolsandbox.evaluation.judging import Judgement, judge
from pytest_toolsandbox.evaluation.queries import QueryEvaluation
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.steps import SayStep, Step, ToolStep
from pytest_toolsandbox.language.tasks import FINISH, Query

from .proof import IDLE, Idler, Proof, wrong_scripts


def prove_query(scenario: Scenario) -> Proof:
    """Prove a query. Meanings are compared by the embedder that is in use."""
    return Proof([*wrong_scripts(scenario, _judged, _shortfall, _idlers(scenario))])


def _judged(scenario: Scenario, steps: Sequence[Step]) -> Judgement:
    return judge(scenario, ask(scenario, scripted(scenario, steps)))


def _shortfall(scenario: Scenario, judgement: Judgement) -> str | None:
    result = judgement.result
    assert isinstance(result, QueryEvaluation)
    if result.conclusion is None:
        return f"does not conclude within {scenario.max_calls} calls"
    if not result.answered:
        found = "; ".join(f"expected {d.expected}" for d in result.differences)
        return f"gives the wrong answer {result.conclusion.answer!r}: {found}"
    if findings := judgement.patterns.findings:
        return f"has findings: {'; '.join(finding.words for finding in findings)}"
    return None


def _idlers(scenario: Scenario) -> Iterator[Idler]:
    answers = IDLE | {"repeats the question": scenario.task_as(Query).text}
    for what, answer in answers.items():
        yield what, [SayStep(answer)]
        yield what, [ToolStep(FINISH.name, {"answer": answer})]
