"""One question, and the answer with which the agent concludes (SpecTool)."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from pytest_toolsandbox.agents.agent import Agent
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import ask, requests_in
from pytest_toolsandbox.conversation.solutions import solutions_taken, solved
from pytest_toolsandbox.judges.plain_words import expected_words
from pytest_toolsandbox.language import models
from pytest_toolsandbox.language.error_patterns import PATTERNS
from pytest_toolsandbox.language.mistakes import Mistakes
from pytest_toolsandbox.language.protocol import InWorld, Protocol
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Query
from pytest_toolsandbox.records.record import Budget, Record

if TYPE_CHECKING:
    from pytest_toolsandbox.evaluation.judging import Judgement
    from pytest_toolsandbox.evaluation.opinion import Opinion
    from pytest_toolsandbox.evaluation.queries import QueryEvaluation
    from pytest_toolsandbox.evaluation.words import WordsReading
    from pytest_toolsandbox.proof.proof import Ask, Proof
    from pytest_toolsandbox.reporting.pages.view import PageView


QUERY_PROMPT = (
    "You answer a question by calling the tools that you are given. Nobody can tell you more than "
    "the question says. Take every fact of the answer from what the tools return."
)
CONCLUDING = (
    "When you know the answer, call finish with it, and with nothing that was not asked. "
    "You may make {max_calls} calls in all, the one of finish included."
)


class QueryProtocol(Protocol):
    """Questions that are judged by their answer and by error patterns."""

    name = "query"
    key = "query"
    model = models.QueryDocument
    placeholders: ClassVar[Mapping[str, Any]] = {"query": "", "answer": ""}

    def read(
        self, model: models.QueryDocument, _mistakes: Mistakes, in_world: InWorld | None
    ) -> dict[str, Any]:
        """Read the question, the expected answer and forbidden error patterns."""
        if in_world is None:
            return {}
        from pytest_toolsandbox.language.readers.queries import read_query

        return read_query(model, in_world)

    def prompt(self, scenario: Scenario) -> str:
        """Say that there is no user to ask."""
        del scenario
        return QUERY_PROMPT

    def facts(self, scenario: Scenario) -> str:
        """Say how to conclude, and within how many calls."""
        return CONCLUDING.format(max_calls=scenario.max_calls)

    def converse(self, scenario: Scenario, agent: Agent, _user: object) -> Trajectory:
        """Ask until the agent concludes."""
        return ask(scenario, agent)

    def judge(
        self, scenario: Scenario, trajectory: Trajectory, *, judged: bool = False
    ) -> Judgement:
        """Compare the answer, and look for the forbidden patterns."""
        from pytest_toolsandbox.evaluation.judging import Judgement, patterns_against_solutions
        from pytest_toolsandbox.evaluation.queries import evaluate_query

        patterns = patterns_against_solutions(scenario, trajectory)
        found = [pattern for pattern in PATTERNS if patterns.calls[pattern]]
        never_made = [one.function for one in patterns.findings if one.pattern == "IAC"]
        missing = {scenario.tool_views[name].tool.name for name in never_made}
        query, solutions = scenario.task_as(Query), solved(scenario)
        result = evaluate_query(query, trajectory, found, solutions, missing, judged=judged)
        return Judgement(result, patterns)

    def words(self, scenario: Scenario, trajectory: Trajectory) -> WordsReading:
        """Say whether the answer is a solution's, or has the facts that were asked for."""
        from pytest_toolsandbox.evaluation.conclusion import conclusion_of

        concluded = filter(None, map(conclusion_of, (trajectory, *solved(scenario))))
        answer, *others = (" ".join(one.answer.split()) for one in concluded)
        return "exact" if answer in others else "facts"

    def right_words(
        self, scenario: Scenario, trajectory: Trajectory
    ) -> list[tuple[str, list[str]]]:
        """Return the answers of the solutions, and what an answer must tell."""
        from pytest_toolsandbox.evaluation.conclusion import conclusion_of

        taken = solutions_taken(scenario, trajectory)
        found = filter(None, map(conclusion_of, taken or solved(scenario)))
        answers = dict.fromkeys(one.answer for one in found)
        title = "Right words, for example" + ("" if taken else ", found in another way")
        wanted = expected_words(scenario.task_as(Query).answer)
        return [
            (title, [f"- {answer}" for answer in answers]),
            ("What the user must be told", [f"- {wanted}"] if wanted else []),
        ]

    def with_opinion(
        self, scenario: Scenario, _trajectory: Trajectory, result: QueryEvaluation, opinion: Opinion
    ) -> QueryEvaluation:
        """Return the evaluation of an answer that is wrong, or right but for a criterion."""
        from pytest_toolsandbox.evaluation.results import Difference

        assert result.conclusion is not None
        if opinion.is_right:
            return replace(result, rejected=True)
        asked = scenario.task_as(Query).answer.alternatives({})
        expected = " or ".join(one.describe() for one in asked)
        wrong = Difference("answer", expected, result.conclusion.answer, 0.0, opinion.why)
        return replace(result, answered=False, differences=(wrong,))

    def page(self, record: Record) -> str:
        """Show the answer beside the expected one."""
        from pytest_toolsandbox.reporting.pages.findings import page_text

        return page_text(record, self.view(record))

    def view(self, record: Record) -> PageView:
        """Say the same, of conversations that passed as well."""
        from pytest_toolsandbox.reporting.pages.query import query_view

        return query_view(record)

    def summary(self, scenario: Scenario, result: QueryEvaluation | None) -> dict[str, Any]:
        """Return how it was made, and how it was answered."""
        task = scenario.task_as(Query)
        about = {"manner": task.manner, "base": task.base}
        return {"query": about if result is None else about | _answer(result)}

    def ran_out(
        self, scenario: Scenario, trajectory: Trajectory, result: QueryEvaluation
    ) -> list[Budget]:
        """Say what ended it without a conclusion."""
        if result.conclusion is not None:
            return []
        asked = requests_in(trajectory.messages)
        return ["max_calls" if asked >= scenario.max_calls else "max_messages"]

    def prove(self, scenario: Scenario, ask: Ask | None = None) -> Proof:
        """Play the solutions, counterexamples and idle agents on the question."""
        from pytest_toolsandbox.proof.queries import prove_query

        return prove_query(scenario, ask)


def _answer(result: QueryEvaluation) -> dict[str, Any]:
    conclusion = result.conclusion
    return {
        "answer": conclusion.answer if conclusion else None,
        "concluded_by": conclusion.by if conclusion else None,
        "answered": result.answered,
        "differences": list(map(dataclasses.asdict, result.differences)),
        "forbidden": result.forbidden,
    }


PROTOCOL = QueryProtocol()
