"""The protocol ``query``: a question that the agent answers with tools (SpecTool).

It reads queries, scores them by answer and error patterns, and shows the answer on a page.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from pytest_toolsandbox.agents.agent import Agent
from pytest_toolsandbox.builtin.queries.finish import finish, finish_with
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import ask, requests_in
from pytest_toolsandbox.conversation.solutions import solutions_taken, solved
from pytest_toolsandbox.language import models
from pytest_toolsandbox.language.error_patterns import PATTERNS
from pytest_toolsandbox.language.failure_modes import failure_words
from pytest_toolsandbox.language.mistakes import Mistakes
from pytest_toolsandbox.language.protocol import InWorld, Protocol
from pytest_toolsandbox.language.readers.base_reader import Reader
from pytest_toolsandbox.language.readers.events import ExpectedReader
from pytest_toolsandbox.language.readers.steps import ONE_OF, read_solutions
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Query
from pytest_toolsandbox.language.values import as_text
from pytest_toolsandbox.output.pages.shared_sections import (
    fault_text,
    is_faulted,
    opinion_sections,
    pattern_sections,
    reached_limits,
    with_findings,
    words_sections,
)
from pytest_toolsandbox.output.pages.view import (
    Compared,
    Entry,
    PageView,
    section_of,
    verdict_line,
)
from pytest_toolsandbox.output.pages.wording import shortened, value_text
from pytest_toolsandbox.records.parts import QueryRecord
from pytest_toolsandbox.records.record import Budget, Record
from pytest_toolsandbox.scoring.judges.plain_words import expected_words
from pytest_toolsandbox.scoring.judging import Judgement, patterns_against_solutions
from pytest_toolsandbox.scoring.queries import QueryEvaluation, conclusion_of, evaluate_query
from pytest_toolsandbox.scoring.results import Difference, Opinion
from pytest_toolsandbox.scoring.words import WordsReading

if TYPE_CHECKING:
    from pytest_toolsandbox.authoring.proof.proof import Ask, Proof


def _read_query(model: models.QueryDocument, in_world: InWorld) -> dict[str, Any]:
    """Return the fields of a query; its base must be another query of the file."""
    reader = in_world.reader
    if finish.name in reader.world.agent_tools:
        text = f"the world {reader.world.name!r} has a tool finish, but that name ends every query"
        reader.mistakes.add(("world",), text)
    if model.base is None and model.manner is not None:
        reader.mistakes.add(("manner",), "also give the base that it was made from", key=True)
    if model.base is not None:
        if model.manner is None:
            text = "also give the manner in which it was made from the base"
            reader.mistakes.add(("base",), text, key=True)
        if "query" not in in_world.siblings.get(model.base, ()):
            queries = (name for name, keys in in_world.siblings.items() if "query" in keys)
            text = reader.mistakes.unknown_text("query of this file", model.base, queries)
            reader.mistakes.add(("base",), text)
    if not model.query.strip():
        reader.mistakes.add(("query",), "expected a question, found an empty text")
    _check_conclusions(reader, model.solutions)
    expecting = ExpectedReader(*reader.context, thresholds=in_world.thresholds)
    answer = expecting.message_content(as_text(model.answer), ("answer",), matcher="mentions")
    columns = tuple(model.finish.items())
    further = {finish.name: finish_with(columns) if columns else finish}
    is_set = "max_messages" in model.model_fields_set
    forbidden = tuple(dict.fromkeys(model.forbidden))
    return {
        "max_messages": model.max_messages if is_set else 2 * model.max_calls,
        "task": Query(model.query, answer, model.manner, model.base, forbidden, columns),
        **read_solutions(in_world, model.solutions, model.counterexamples, further),
    }


def _check_conclusions(reader: Reader, solutions: Mapping[str, Any]) -> None:
    """Note solutions that do not conclude, and steps after the conclusion."""
    for name, steps in solutions.items():
        if not isinstance(steps, list):
            continue
        concluding = [place for place, step in enumerate(steps) if _concludes(step)]
        if steps and not concluding:
            reader.mistakes.add(("solutions", name), "the last step must be finish or say")
        elif concluding and concluding[0] < len(steps) - 1:
            path = ("solutions", name, concluding[0] + 1)
            reader.mistakes.add(
                path, "an earlier finish or say ends the solution; remove this step"
            )


def _concludes(step: Any) -> bool:
    """Whether a written step ends a query."""
    keys = step if isinstance(step, dict) else {}
    inside = step if isinstance(step, list) else keys.get("parallel", keys.get(ONE_OF))
    within = any(map(_concludes, inside)) if isinstance(inside, list) else False
    return finish.name in keys or "say" in keys or within


def _query_view(record: Record) -> PageView:
    """Return the page of a query."""
    query = record["query"]
    answer = (*words_sections(record), *section_of("answer", _query_answer(query)))
    sections = (*answer, *opinion_sections(record), *pattern_sections(record))
    end = tuple(reached_limits(record))
    return PageView(_verdict(record, query), sections, with_findings(record, {}), end)


def _query_answer(query: QueryRecord) -> Iterator[Entry]:
    for difference in query["differences"]:
        note = f"  ({shortened(difference.note)})" if difference.note else ""
        answer = f"{shortened(value_text(query['answer']))}{note}"
        yield Entry("", (Compared("", shortened(difference.expected), answer),), kind="missed")


def _verdict(record: Record, query: QueryRecord) -> str:
    if record["outcome"] == "passed":
        return f"score 1 of 1: answered {shortened(value_text(query['answer']))}"
    if is_faulted(record):
        text = fault_text(record)
    elif query["answer"] is None:
        (limit,) = reached_limits(record)
        text = f"not answered: {limit.removeprefix('  cut off: ')}"
    elif not query["answered"]:
        text = f"wrong answer {shortened(value_text(query['answer']))}"
    else:
        forbidden = ", ".join(f"{name} ({PATTERNS[name].name})" for name in query["forbidden"])
        text = f"the answer is right, but there is a forbidden error pattern: {forbidden}"
    return verdict_line([text], "0 of 1")


QUERY_PROMPT = (
    "You answer a question by calling the tools that you are given. Nobody can tell you more than "
    "the question says. Take every fact of the answer from what the tools return."
)
CONCLUDING = (
    "When you know the answer, call finish with it, and with nothing that was not asked. "
    "You may make {max_calls} calls in all, the one of finish included."
)


class QueryProtocol(Protocol):
    """Scores questions by their answer and by error patterns."""

    name = "query"
    key = "query"
    model = models.QueryDocument
    placeholders: ClassVar[Mapping[str, Any]] = {"query": "", "answer": ""}

    def read(
        self, model: models.QueryDocument, _mistakes: Mistakes, in_world: InWorld | None
    ) -> dict[str, Any]:
        """Read the question, the expected answer and forbidden error patterns."""
        return {} if in_world is None else _read_query(model, in_world)

    def prompt(self, scenario: Scenario) -> str:
        """Return a prompt without a user to ask."""
        del scenario
        return QUERY_PROMPT

    def facts(self, scenario: Scenario) -> str:
        """Say how to conclude, and how many calls are allowed."""
        return CONCLUDING.format(max_calls=scenario.max_calls)

    def converse(self, scenario: Scenario, agent: Agent, _user: object) -> Trajectory:
        """Play until the agent concludes."""
        return ask(scenario, agent)

    def judge(
        self, scenario: Scenario, trajectory: Trajectory, *, judged: bool = False
    ) -> Judgement:
        """Compare the answer, and look for the forbidden patterns."""
        patterns = patterns_against_solutions(scenario, trajectory)
        occurring = [pattern for pattern in PATTERNS if patterns.calls[pattern]]
        never_made = [finding.function for finding in patterns.findings if finding.pattern == "IAC"]
        missing = {scenario.tool_views[name].tool.name for name in never_made}
        query, solutions = scenario.task_as(Query), solved(scenario)
        result = evaluate_query(query, trajectory, occurring, solutions, missing, judged=judged)
        return Judgement(result, patterns)

    def words(self, scenario: Scenario, trajectory: Trajectory) -> WordsReading:
        """Say whether the answer is a solution's, or is checked by facts."""
        concluded = filter(None, map(conclusion_of, (trajectory, *solved(scenario))))
        answer, *solution_answers = (
            " ".join(conclusion.answer.split()) for conclusion in concluded
        )
        return "exact" if answer in solution_answers else "facts"

    def right_words(
        self, scenario: Scenario, trajectory: Trajectory
    ) -> list[tuple[str, list[str]]]:
        """Return the answers of the solutions, and what an answer must contain."""
        taken = solutions_taken(scenario, trajectory)
        concluded = filter(None, map(conclusion_of, taken or solved(scenario)))
        answers = dict.fromkeys(conclusion.answer for conclusion in concluded)
        title = "Right words, for example" + ("" if taken else ", found in another way")
        wanted = expected_words(scenario.task_as(Query).answer)
        return [
            (title, [f"- {answer}" for answer in answers]),
            ("What the user must be told", [f"- {wanted}"] if wanted else []),
        ]

    def with_opinion(
        self, scenario: Scenario, _trajectory: Trajectory, result: QueryEvaluation, opinion: Opinion
    ) -> QueryEvaluation:
        """Return the evaluation of a wrong answer, or of a right one with an unmet criterion."""
        assert result.conclusion is not None
        if opinion.is_right:
            return replace(result, rejected=True)
        matchers = scenario.task_as(Query).answer.alternatives({})
        expected = " or ".join(matcher.describe() for matcher in matchers)
        wrong = Difference("answer", expected, result.conclusion.answer, 0.0, opinion.why)
        return replace(result, answered=False, differences=(wrong,))

    def view(self, record: Record) -> PageView:
        """Return the page of a conversation that was judged."""
        return _query_view(record)

    def summary(self, scenario: Scenario, result: QueryEvaluation | None) -> dict[str, Any]:
        """Return how the query was made and answered."""
        task = scenario.task_as(Query)
        about = {"manner": task.manner, "base": task.base}
        return {"query": about if result is None else about | _answer(result)}

    def failure_modes(self, _scenario: Scenario, judgement: Judgement) -> list[str]:
        """Return whether an answer is missing or wrong, unless by calls, or a criterion unmet."""
        result: Any = judgement.result
        if result.conclusion is None:
            return [failure_words("no answer")]
        if not result.answered:
            return [] if judgement.is_lost_by_calls else [failure_words("wrong answer")]
        return [failure_words("criterion not met")] if result.rejected else []

    def ran_out(
        self, scenario: Scenario, trajectory: Trajectory, result: QueryEvaluation
    ) -> list[Budget]:
        """Return the limit that ended the query without a conclusion."""
        if result.conclusion is not None:
            return []
        asked = requests_in(trajectory.messages)
        return ["max_calls" if asked >= scenario.max_calls else "max_messages"]

    def prove(self, scenario: Scenario, ask: Ask | None = None) -> Proof:
        """Prove the query with solutions, counterexamples and idle agents."""
        from pytest_toolsandbox.authoring.proof.query_proof import prove_query

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
