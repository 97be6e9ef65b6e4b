"""Judges how an agent concluded a query (SpecTool, section 6)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.language.error_patterns import Pattern
from pytest_toolsandbox.language.tasks import Query
from pytest_toolsandbox.matchers import Deciding
from pytest_toolsandbox.matchers.numerals import numbers_in, with_thousands

from .conclusion import Conclusion, conclusion_of
from .milestones.comparison import compare_value
from .results import Difference
from .unfound import unfound

FOUND: Final = "what a call found"
"""What is expected of a right answer beside being right."""


@dataclass(frozen=True)
class QueryEvaluation:
    """Whether a query was answered as expected.

    Without a ``conclusion`` it was not answered at all. ``differences`` say how the answer is not
    the expected one; ``forbidden`` are the error patterns for which the query does not count as
    answered, whatever the answer. One that a judge ``rejected`` for a criterion does not pass.
    """

    conclusion: Conclusion | None
    answered: bool
    differences: tuple[Difference, ...] = ()
    forbidden: tuple[Pattern, ...] = ()
    rejected: bool = False

    @property
    def passed(self) -> bool:
        """Whether the answer is right, and nothing is in its way."""
        return self.answered and not self.forbidden and not self.rejected

    @property
    def score(self) -> float:
        """1 where it passed, else 0."""
        return float(self.passed)


def evaluate_query(  # noqa: PLR0913  # each is something the answer is held against
    query: Query,
    trajectory: Trajectory,
    found: Collection[Pattern] = (),
    solutions: Sequence[Trajectory] = (),
    missing: Collection[str] = (),
    *,
    judged: bool = False,
) -> QueryEvaluation:
    """Judge a conversation about a query, in which the error patterns ``found`` were found.

    The answer must have the expected facts, and what ``solutions`` found by calls, the agent's
    calls must have found, too; ``missing`` are tools that it should have called. With ``judged`` a
    judge reads the answer, and measures of likeness do not decide.

    Raises :class:`~pytest_toolsandbox.matchers.embedding.EmbedderError`.
    """
    conclusion, differences = conclusion_of(trajectory), tuple[Difference, ...]()
    if conclusion is not None:
        expected = replace(query.answer, deciding=Deciding(judged=judged)).alternatives({})
        facts = tuple(dict.fromkeys(fact for one in expected for fact in one.facts))
        numbers = {number for fact in facts for one in fact for number in numbers_in(str(one))}
        answer = with_thousands(conclusion.answer, numbers)
        compared = compare_value("answer", expected, answer)
        guessed = unfound(facts, query.text, trajectory, solutions, missing)
        differences = (
            *(() if compared.reached else compared.differences),
            *(
                Difference("answer", FOUND, conclusion.answer, 0.0, f"no call found {fact}")
                for fact in (guessed if compared.reached else ())
            ),
        )
    forbidden = tuple(pattern for pattern in query.forbidden if pattern in found)
    is_answered = conclusion is not None and not differences
    return QueryEvaluation(conclusion, is_answered, differences, forbidden)
