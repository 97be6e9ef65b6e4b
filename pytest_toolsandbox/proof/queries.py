"""What has to be shown of a query: that each solution answers it, and that idle agents do not.

No solution has a finding, however the tools are augmented. No counterexample passes, nor does an
agent that says nothing, or nothing but "Done!", or what it was asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_toolsandbox.agents.scripted import scripted
from pytest_toolsandbox.conversation.query import ask
from pytest_toolsandbox.evaluation.judging import Judgement, judge
from pytest_toolsandbox.evaluation.queries import QueryEvaluation
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.steps import SayStep, Step, ToolStep
from pytest_toolsandbox.language.tasks import FINISH, Query

from .augmented import wrong_solutions
from .proof import Proof, or_reason


def prove_query(scenario: Scenario) -> Proof:
    """Prove a query. Meanings are compared by the embedder that is in use."""
    proof = Proof()
    proof.findings += wrong_solutions(scenario, _shortfall)
    proof.findings += _passing_counterexamples(scenario)
    proof.findings += _passing_idlers(scenario)
    return proof


def _shortfall(steps: Sequence[Step], scenario: Scenario, what: str) -> str | None:
    """Say why a solution does not answer the query without a fault, if it does not."""
    judgement = _judged(scenario, what, steps)
    if isinstance(judgement, str):
        return judgement
    result = judgement.result
    assert isinstance(result, QueryEvaluation)
    if result.conclusion is None:
        return f"{what} does not conclude within {scenario.max_calls} calls"
    if not result.answered:
        found = "; ".join(f"expected {d.expected}" for d in result.differences)
        return f"{what} gives the wrong answer {result.conclusion.answer!r}: {found}"
    if findings := judgement.patterns.findings:
        return f"{what} has findings: {'; '.join(finding.words for finding in findings)}"
    return None


def _passing_counterexamples(scenario: Scenario) -> Iterator[str]:
    for name, steps in scenario.counterexamples.items():
        judgement = _judged(scenario, f"counterexample {name!r}", steps)
        if isinstance(judgement, str):
            yield judgement
        elif judgement.passed:
            yield f"counterexample {name!r} passes"


def _passing_idlers(scenario: Scenario) -> Iterator[str]:
    answers = {
        "does nothing": "",
        "only says 'Done!'": "Done!",
        "repeats the question": scenario.task_as(Query).text,
    }
    for what, answer in answers.items():
        for step in (SayStep(answer), ToolStep(FINISH.name, {"answer": answer})):
            judgement = _judged(scenario, f"an agent that {what}", [step])
            if not isinstance(judgement, str) and judgement.passed:
                yield f"an agent that {what} passes"
                break


def _judged(scenario: Scenario, what: str, steps: Sequence[Step]) -> Judgement | str:
    """Return the judgement on taking these steps, or why there is none."""
    return or_reason(what, lambda: judge(scenario, ask(scenario, scripted(scenario, steps))))
