"""The types of results: differences, constraints, milestones and minefields, opinions of judges."""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Generic, Literal, Protocol, TypeVar

_Value = TypeVar("_Value")


class LatestResults(Generic[_Value]):
    """What was computed of the latest conversations.

    Agents often do exactly the same in all variants and trials of a scenario.
    """

    def __init__(self) -> None:
        self._latest: deque[tuple[tuple[object, ...], object, _Value]] = deque(maxlen=16)

    def value(
        self, sources: tuple[object, ...], done: object, compute: Callable[[], _Value]
    ) -> _Value:
        """Return the value, which must depend on what was done and these very objects alone."""
        for known, same, value in tuple(self._latest):
            if all(map(operator.is_, known, sources)) and same == done:
                return value
        value = compute()
        self._latest.append((sources, done, value))
        return value


class Result(Protocol):
    """The common interface of the results of all protocols."""

    @property
    def passed(self) -> bool:
        """Whether the conversation meets all requirements of its scenario."""
        ...

    @property
    def score(self) -> float:
        """The score, from 0 to 1."""
        ...


@dataclass(frozen=True)
class Difference:
    """A value that differs from what was expected.

    ``where`` is a column, an argument, or ``rows``; ``expected`` is a matcher in words; ``found``
    is a JSON value; ``similarity`` is from 0 to 1; ``note`` has further information, if any;
    ``threshold`` is the required similarity.
    """

    where: str
    expected: str
    found: Any
    similarity: float
    note: str | None = None
    threshold: float = 1.0


@dataclass(frozen=True)
class ConstraintResult:
    """How well a constraint holds at a snapshot; a guardrail has 0 or 1.

    An ``unread`` constraint requires words that only a judge can read, and counts as met.
    """

    label: str
    similarity: float
    reached: bool
    is_guardrail: bool = False
    differences: tuple[Difference, ...] = ()
    unread: bool = False


@dataclass(frozen=True)
class Nearest:
    """The snapshot that came nearest to a missed event, and its differences.

    ``broken`` is what else excludes the event there: later predecessors, or violated implicit
    guardrails.
    """

    snapshot: int
    constraints: tuple[ConstraintResult, ...]
    broken: tuple[ConstraintResult, ...] = ()


@dataclass(frozen=True)
class EventResult:
    """The message at which a milestone or minefield was matched, and how well."""

    name: str
    snapshot: int
    similarity: float
    reached: bool
    constraints: tuple[ConstraintResult, ...]
    nearest: Nearest | None = None


@dataclass(frozen=True)
class TableChange:
    """An unrequested change of a table, and the first message with it."""

    table: str
    snapshot: int


@dataclass(frozen=True)
class MissingConsent:
    """A call without the consent that it needs: the message with its result, and the reason."""

    tool: str
    snapshot: int
    reason: str


SearchBudget = Literal["matching", "rows"]


@dataclass(frozen=True)
class Evaluation:
    """The complete result of a conversation with milestones.

    All scores are from 0 to 1. ``score`` is the milestone score, or 0 if a minefield was hit
    (ToolSandbox, equation 1), a protected table changed, a call was made without the consent that
    it needs, or there were side effects: changes that no milestone requests, in a conversation that
    reached all milestones. ``ran_out`` names the
    searches that exceeded their budget, for the best mapping or the best assignment of rows; the
    scores are then those of the best results found.
    """

    milestones: tuple[EventResult, ...]
    minefields: tuple[EventResult, ...]
    protected: tuple[TableChange, ...]
    milestone_score: float
    minefield_score: float
    score: float
    passed: bool
    side_effects: tuple[TableChange, ...] = ()
    without_consent: tuple[MissingConsent, ...] = ()
    ran_out: tuple[SearchBudget, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether the scores are known to be the greatest possible ones."""
        return not self.ran_out


OpinionVerdict = Literal["right", "false", "incomplete"]
OPINIONS: Final[tuple[OpinionVerdict, ...]] = ("right", "false", "incomplete")


@dataclass(frozen=True)
class CriterionOpinion:
    """Whether a criterion is met, the words that show it, and the reason.

    Of the criteria with the same number ``any_of``, one must be met; without a number, the
    criterion itself must be met.
    """

    criterion: str
    met: bool
    quote: str = ""
    why: str = ""
    any_of: int | None = None


@dataclass(frozen=True)
class Opinion:
    """A verdict on the words, a quotation and a reason, and an opinion on each criterion.

    ``false`` words say something untrue, ``incomplete`` words lack something. The ``quote`` of
    ``false`` words is as the agent wrote it; otherwise it may be empty. ``against`` is the part of
    the evidence that contradicts the quotation; ``missing`` is what was not said or not shown.
    ``votes`` counts the verdicts if a judge was asked several times.
    """

    verdict: OpinionVerdict
    quote: str = ""
    why: str = ""
    against: str = ""
    missing: str = ""
    criteria: tuple[CriterionOpinion, ...] = ()
    votes: Mapping[str, int] = field(default_factory=dict, hash=False)

    @property
    def is_right(self) -> bool:
        """Whether the words are neither false nor incomplete."""
        return self.verdict == "right"

    @property
    def unmet(self) -> tuple[CriterionOpinion, ...]:
        """The unmet criteria that fail the item: required ones, and groups without a met one."""
        enough = {
            criterion.any_of
            for criterion in self.criteria
            if criterion.met and criterion.any_of is not None
        }
        return tuple(
            criterion
            for criterion in self.criteria
            if not criterion.met and criterion.any_of not in enough
        )

    @property
    def criteria_met(self) -> bool:
        """Whether all required criteria and groups are met."""
        return not self.unmet

    @property
    def passed(self) -> bool:
        """Whether the words are right and the criteria are met."""
        return self.is_right and self.criteria_met

    @property
    def fault(self) -> str:
        """The fault in a sentence: of the words, or else of the first unmet criterion."""
        if not self.is_right or not self.unmet:
            return self.why
        first = self.unmet[0]
        return f"not met: {first.criterion}" + (f" ({first.why})" if first.why else "")
