"""Score a query (SpecTool, section 6): the conclusion, its facts, and whether calls found them.

The conclusion is the argument of ``finish``, or the last message. A right answer that no call of
the agent found was guessed, and does not pass.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from pytest_toolsandbox.calls.tool_call import ToolTrace
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.language.error_patterns import Pattern
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.tasks import FINISH, Query
from pytest_toolsandbox.matchers import Deciding
from pytest_toolsandbox.matchers.mentions import Item, is_mentioned
from pytest_toolsandbox.scoring.milestones.comparison import compare_value
from pytest_toolsandbox.text.numerals import numbers_in, with_thousands
from pytest_toolsandbox.users.user import GO_ON
from pytest_toolsandbox.worlds.json_values import as_json

from .results import Difference


@dataclass(frozen=True)
class Conclusion:
    """The agent's answer, and the index of the message with it.

    ``by`` says whether the agent called ``finish`` or answered in a text; ``items`` are those of a
    list.
    """

    answer: str
    message: int
    by: Literal["finish", "text"]
    items: tuple[str, ...] = ()


def conclusion_of(trajectory: Trajectory) -> Conclusion | None:
    """Return the agent's last call of ``finish``, or else its last message.

    If the user told the agent to go on before the last message, the message before that belongs to
    the conclusion, too.
    """
    for index, message in reversed(list(enumerate(trajectory.messages))):
        trace = message.trace  # a tool of a user's own may be called finish, too
        if trace and trace.tool_name == FINISH.name and "answer" in trace.arguments:
            answer = trace.arguments["answer"]
            items = tuple(map(_text, answer)) if isinstance(answer, list) else ()
            return Conclusion(_text(answer), index, "finish", items)
    *earlier, last = trajectory.messages
    if (last.sender, last.recipient) != (Role.AGENT, Role.USER):
        return None
    texts = [last.content]
    if len(earlier) > 1 and earlier[-1].content == GO_ON:
        texts = [earlier[-2].content, *texts]
    return Conclusion("\n".join(texts), len(earlier), "text")


def _text(answer: Any) -> str:
    """Write an answer as text, with a line for each item or row of a list."""
    if isinstance(answer, list):
        return "\n".join(map(_text, answer))
    if isinstance(answer, Mapping):
        return ", ".join(f"{name}: {_text(value)}" for name, value in answer.items())
    return answer if isinstance(answer, str) else as_json(answer)


_Fact = tuple[Item, ...]
"""The alternatives of one required fact."""


def _unfound(
    facts: Sequence[_Fact],
    question: str,
    trajectory: Trajectory,
    solutions: Sequence[Trajectory],
    missing: Collection[str],
) -> Iterator[str]:
    """Yield the facts that every solution finds, but no call of the agent found.

    A fact that is calculated from results, such as a sum, counts as found unless the last tool of
    every solution is among the ``missing`` ones, which the agent should have called. If a solution
    makes no calls, its answer is common knowledge.
    """
    results = _results_text(trajectory)
    unfound = [
        fact
        for fact in facts
        if not _is_mentioned(fact, question) and not _is_mentioned(fact, results)
    ]
    other_results = [*map(_results_text, solutions)] if unfound else []
    if not all(other_results):
        return
    for fact in unfound if other_results else ():
        mentioned = [_is_mentioned(fact, text) for text in other_results]
        if all(mentioned):
            yield str(fact[0])
        # No solution has the fact in its results, so the solutions calculate it.
        elif not any(mentioned):
            last = {_look_ups(solution)[-1].tool_name for solution in solutions}
            if not results or last <= set(missing):
                yield str(fact[0])


def _is_mentioned(fact: _Fact, text: str) -> bool:
    """Return whether a text mentions one of the alternatives of a fact."""
    return any(is_mentioned(item, text) for item in fact)


def _results_text(trajectory: Trajectory) -> str:
    """Return the results of all calls, a value in each line."""
    return "\n".join(line for trace in _look_ups(trajectory) for line in _lines(trace.result))


def _look_ups(trajectory: Trajectory) -> list[ToolTrace]:
    traces = (call.trace for call in trajectory.calls)
    return [trace for trace in traces if trace and trace.tool_name != FINISH.name]


def _lines(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield str(name)
            yield from _lines(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _lines(item)
    else:
        yield str(value)


CALL_RESULT: Final = "what a call found"
"""The expectation in the difference for a guessed answer."""


@dataclass(frozen=True)
class QueryEvaluation:
    """Whether a query was answered as expected.

    Without a ``conclusion`` it was not answered at all. ``differences`` are those from the expected
    answer. ``forbidden`` are error patterns with which the query fails, whatever the answer. A
    conversation that a judge ``rejected`` for a criterion does not pass.
    """

    conclusion: Conclusion | None
    answered: bool
    differences: tuple[Difference, ...] = ()
    forbidden: tuple[Pattern, ...] = ()
    rejected: bool = False

    @property
    def passed(self) -> bool:
        """Whether the answer is right, without forbidden error patterns or a rejection."""
        return self.answered and not self.forbidden and not self.rejected

    @property
    def score(self) -> float:
        """1 if it passed, else 0."""
        return float(self.passed)


def evaluate_query(  # noqa: PLR0913  # each is something the answer is held against
    query: Query,
    trajectory: Trajectory,
    patterns: Collection[Pattern] = (),
    solutions: Sequence[Trajectory] = (),
    missing: Collection[str] = (),
    *,
    judged: bool = False,
) -> QueryEvaluation:
    """Judge a conversation about a query with these error ``patterns``.

    The answer must have the expected facts. If ``solutions`` found a fact by calls, a call of the
    agent must have found it, too; ``missing`` are tools that the agent should have called. With
    ``judged``, a judge reads the answer, and similarity measures do not decide.

    Raises :class:`~pytest_toolsandbox.matchers.embedding.EmbedderError`.
    """
    conclusion, differences = conclusion_of(trajectory), tuple[Difference, ...]()
    if conclusion is not None:
        expected = replace(query.answer, deciding=Deciding(judged=judged)).alternatives({})
        facts = tuple(dict.fromkeys(fact for alternative in expected for fact in alternative.facts))
        numbers = {number for fact in facts for item in fact for number in numbers_in(str(item))}
        # Only an expected number tells whether "1 234" is one number or two.
        answer = with_thousands(conclusion.answer, numbers)
        compared = compare_value("answer", expected, answer)
        guessed = _unfound(facts, query.text, trajectory, solutions, missing)
        differences = (
            *(() if compared.reached else compared.differences),
            *(
                Difference("answer", CALL_RESULT, conclusion.answer, 0.0, f"no call found {fact}")
                for fact in (guessed if compared.reached else ())
            ),
        )
    forbidden = tuple(pattern for pattern in query.forbidden if pattern in patterns)
    is_answered = conclusion is not None and not differences
    return QueryEvaluation(conclusion, is_answered, differences, forbidden)
