"""Judges how an agent concluded a query (SpecTool, section 6)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Final

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.language.error_patterns import Pattern
from pytest_toolsandbox.language.tasks import Query
from pytest_toolsandbox.matchers.numerals import numbers_in, with_thousands
from pytest_toolsandbox.matchers.statements.asserted import asserted

from .answers.asked import Asked, shared
from .answers.conclusion import Conclusion, conclusion_of
from .answers.exchanged_facts import exchanged_facts
from .answers.extras import extras
from .answers.fact import Fact
from .answers.opposites import opposites
from .answers.other_answers import given_out
from .answers.unfound import unfound
from .milestones.comparison import compare_value
from .reports.errands import errands
from .results import Difference

FOUND: Final = "what a call found"
DONE: Final = "nothing that was not done"
"""What is expected of a right answer beside being right."""


@dataclass(frozen=True)
class QueryEvaluation:
    """Whether a query was answered as expected.

    Without a ``conclusion`` it was not answered at all. ``differences`` say how the answer is not
    the expected one; ``forbidden`` are the error patterns for which the query does not count as
    answered, whatever the answer.
    """

    conclusion: Conclusion | None
    answered: bool
    differences: tuple[Difference, ...] = ()
    forbidden: tuple[Pattern, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether the answer is right, and nothing is in its way."""
        return self.answered and not self.forbidden

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
    in_any_words: bool = False,
) -> QueryEvaluation:
    """Judge a conversation about a query, in which the error patterns ``found`` were found.

    What the answer denies or leaves open does not count, and it must name nothing else in the place
    of what was asked: of that, what the ``solutions`` found and answered tells more. What they
    found, the agent's calls must have found, too; ``missing`` are tools that it should have called.
    ``in_any_words`` that is all: the answer counts as right.

    Raises :class:`~pytest_toolsandbox.matchers.embedding.EmbedderError`.
    """
    conclusion = conclusion_of(trajectory)
    compare = _unfounded if in_any_words else _differences
    differences = compare(query, conclusion, trajectory, solutions, missing) if conclusion else ()
    forbidden = tuple(pattern for pattern in query.forbidden if pattern in found)
    different = tuple(differences)
    is_answered = conclusion is not None and not different
    return QueryEvaluation(conclusion, is_answered, different, forbidden)


def _differences(
    query: Query,
    conclusion: Conclusion,
    trajectory: Trajectory,
    solutions: Sequence[Trajectory],
    missing: Collection[str],
) -> Iterator[Difference]:
    expected = query.answer.alternatives({})
    facts = _facts(query)
    numbers = {number for fact in facts for one in fact for number in numbers_in(str(one))}
    answer = with_thousands(conclusion.answer, numbers)
    concluded = [one.answer for one in map(conclusion_of, solutions) if one is not None]
    asked = shared(Asked(facts, query.text, concluded, _results((trajectory, *solutions))))
    may_deny = any(  # what was asked for is a denial, such as "No"
        not compare_value("", expected, asserted(one, asked.headlines)).reached for one in concluded
    )
    stated = asserted(answer, asked.headlines, may_deny=may_deny)
    comparison = compare_value("answer", expected, stated)
    if not comparison.reached:
        was_said = compare_value("answer", expected, answer).reached
        for one in comparison.differences:
            note = "it is denied, asked or left open" if was_said else one.note
            yield replace(one, found=answer, note=note)
        return
    rivals = (
        one
        for one in given_out(answer, asked.facts)
        if not compare_value("answer", expected, one).reached
    )
    for extra in dict.fromkeys((*extras(stated, asked), *rivals)):
        yield Difference("answer", "nothing else in its place", answer, 0.0, f"also: {extra}")
    for swapped in exchanged_facts(stated, concluded, asked.facts, query.text, asked.headlines):
        yield Difference("answer", "each in its place", answer, 0.0, swapped)
    reverse = opposites(stated, query.text, concluded, asked.facts)
    for word in dict.fromkeys(reverse):
        yield Difference("answer", "what was asked", answer, 0.0, f"the opposite: {word}")
    has_changed = any(one != trajectory.start for one in trajectory.states)
    if not has_changed and not any(any(errands(one)) for one in concluded):
        for deed in dict.fromkeys(errands(answer, "\n".join(concluded))):
            yield Difference("answer", DONE, answer, 0.0, f"not done: {deed}")
    yield from _unfounded(query, conclusion, trajectory, solutions, missing)


def _unfounded(
    query: Query,
    conclusion: Conclusion,
    trajectory: Trajectory,
    solutions: Sequence[Trajectory],
    missing: Collection[str],
) -> Iterator[Difference]:
    """Yield the facts of the answer that solutions found by calls, and no call of the agent."""
    for fact in unfound(_facts(query), query.text, trajectory, solutions, missing):
        yield Difference("answer", FOUND, conclusion.answer, 0.0, f"no call found {fact}")


def _facts(query: Query) -> tuple[Fact, ...]:
    return tuple(dict.fromkeys(fact for one in query.answer.alternatives({}) for fact in one.facts))


def _results(trajectories: Iterable[Trajectory]) -> list[tuple[str, Any]]:
    """Return what tools returned, each with the tool; what several calls found alike once."""
    found: list[tuple[str, Any]] = []
    for call in chain.from_iterable(one.calls for one in trajectories):
        result = (call.trace.tool_name, call.trace.result) if call.trace else None
        if result and result not in found:
            found.append(result)
    return found
