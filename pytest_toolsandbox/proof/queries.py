"""Queries: every solution answers without a finding, however the tools are augmented.

No counterexample passes, nor an agent that says nothing, just "Done!", or what it was asked. The
right answer passes in other forms, and answers with other facts do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_toolsandbox.agents.scripted import scripted
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import ask as ask_agent
from pytest_toolsandbox.evaluation.conclusion import conclusion_of
from pytest_toolsandbox.evaluation.judging import judge
from pytest_toolsandbox.evaluation.queries import FOUND, QueryEvaluation
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.steps import SayStep, Step, ToolStep
from pytest_toolsandbox.language.tasks import FINISH, Query
from pytest_toolsandbox.wording.phrases import quoted

from .answers import Answers
from .proof import IDLE, Ask, Idler, Proof, find_wrong_scripts
from .solved import as_written


def prove_query(scenario: Scenario, ask: Ask | None = None) -> Proof:
    """Prove a query. Meanings are compared by the embedder that is in use."""
    proof = Proof(ask)
    find_wrong_scripts(proof, scenario, _played, _shortfall, _idlers(scenario))
    if scenario.solutions and not proof.findings:
        _try_answers(Answers(scenario), proof)
        _try_without_calls(scenario, proof)
    return proof


def _try_answers(answers: Answers, proof: Proof) -> None:
    """Conclude the first solution in other words, right and wrong ones."""
    for text in answers.right():
        if not answers.pass_with(text):
            proof.findings.append(f"a right answer in other words does not pass: {quoted(text)}")
    for kind, text in answers.wrong():
        passes = answers.pass_with(text)
        proof.tried(kind, quoted(text), "nothing asks for more" if passes else None)


def _try_without_calls(scenario: Scenario, proof: Proof) -> None:
    """Leave out each call of the first solution, whose other calls keep their values.

    That is a fault wherever no other solution does without the call.
    """
    played = _played(scenario, next(iter(scenario.solutions.values())))
    concluded = conclusion_of(played)
    if concluded is None:
        return
    calls = [as_written(call.call) for call in played.calls]
    conclusion = SayStep(concluded.answer) if concluded.by == "text" else calls.pop()
    for place, call in enumerate(calls):
        judgement = judge(
            scenario, _played(scenario, [*calls[:place], *calls[place + 1 :], conclusion])
        )
        if judgement.patterns.closest == 0:
            is_fault = judgement.patterns.findings or not judgement.passed
            reason = None if is_fault else "the other calls tell as much"
            proof.tried("call dropped", call.tool, reason)


def _played(scenario: Scenario, steps: Sequence[Step]) -> Trajectory:
    return ask_agent(scenario, scripted(scenario, steps))


def _shortfall(scenario: Scenario, trajectory: Trajectory) -> str | None:
    """Say what is wrong with a solution; with other arguments, it may look up another row."""
    judgement = judge(scenario, trajectory)
    result = judgement.result
    assert isinstance(result, QueryEvaluation)
    if result.conclusion is None:
        return f"does not conclude within {scenario.max_calls} calls"
    if wrong := [one for one in result.differences if one.expected != FOUND]:
        found = "; ".join(f"expected {one.expected}" for one in wrong)
        return f"gives the wrong answer {result.conclusion.answer!r}: {found}"
    if findings := judgement.patterns.findings:
        return f"has findings: {'; '.join(finding.words for finding in findings)}"
    return None


def _idlers(scenario: Scenario) -> Iterator[Idler]:
    answers = IDLE | {"repeats the question": scenario.task_as(Query).text}
    for what, answer in answers.items():
        yield what, [SayStep(answer)]
        yield what, [ToolStep(FINISH.name, {"answer": answer})]
