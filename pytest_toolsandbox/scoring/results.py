"""Results of scoring: differences, constraints, milestones and minefields, opinions of judges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol


class Result(Protocol):
    """What the results of all protocols share."""

    @property
    def passed(self) -> bool:
        """Whether the conversation is what its scenario asks for."""
        ...

    @property
    def score(self) -> float:
        """How near it came, from 0 to 1."""
        ...


@dataclass(frozen=True)
class Difference:
    """One value that is not what was expected.

    ``where`` is a column, an argument, or ``rows``; ``expected`` a matcher in words; ``found`` a
    JSON value; ``similarity`` is from 0 to 1; ``note`` says more, where there is more to say;
    ``threshold`` is what the similarity must reach.
    """

    where: str
    expected: str
    found: Any
    similarity: float
    note: str | None = None
    threshold: float = 1.0


@dataclass(frozen=True)
class ConstraintResult:
    """How well one constraint holds at a snapshot; a guardrail is 0 or 1.

    An ``unread`` one asks for words that only a judge can tell, and counts as met.
    """

    label: str
    similarity: float
    reached: bool
    is_guardrail: bool = False
    differences: tuple[Difference, ...] = ()
    unread: bool = False


@dataclass(frozen=True)
class Nearest:
    """The snapshot that came nearest to an event that was missed, and how it differs.

    ``broken`` is what else keeps the event from being mapped there: later predecessors, or violated
    implicit guardrails.
    """

    snapshot: int
    constraints: tuple[ConstraintResult, ...]
    broken: tuple[ConstraintResult, ...] = ()


@dataclass(frozen=True)
class EventResult:
    """Where a milestone or minefield was matched (a message's index), and how well."""

    name: str
    snapshot: int
    similarity: float
    reached: bool
    constraints: tuple[ConstraintResult, ...]
    nearest: Nearest | None = None


@dataclass(frozen=True)
class TableChange:
    """A table that changed though it must not, and the message at which it did first."""

    table: str
    snapshot: int


SearchBudget = Literal["matching", "rows"]


@dataclass(frozen=True)
class Evaluation:
    """The whole result.

    All scores are from 0 to 1. ``score`` is the milestone score, or 0 where a minefield was hit
    (ToolSandbox, equation 1), a protected table changed, or there were side effects: changes that
    no milestone asks for, in a conversation that reached them all. ``ran_out`` names the searches
    that came to the end of their budget, for the best mapping or for the best assignment of rows;
    the scores are then those of the best ones found.
    """

    milestones: tuple[EventResult, ...]
    minefields: tuple[EventResult, ...]
    protected: tuple[TableChange, ...]
    milestone_score: float
    minefield_score: float
    score: float
    passed: bool
    side_effects: tuple[TableChange, ...] = ()
    ran_out: tuple[SearchBudget, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether the scores are known to be the greatest possible ones."""
        return not self.ran_out


OpinionVerdict = Literal["right", "false", "incomplete"]
OPINIONS: Final[tuple[OpinionVerdict, ...]] = ("right", "false", "incomplete")


@dataclass(frozen=True)
class CriterionOpinion:
    """Whether a criterion is met, the words that show it, and why.

    Of the criteria with the same number ``any_of`` one is enough; without a number it must be met.
    """

    criterion: str
    met: bool
    quote: str = ""
    why: str = ""
    any_of: int | None = None


@dataclass(frozen=True)
class Opinion:
    """A verdict on the words, the words that it is about, and why; and one for each criterion.

    ``false`` words say what is not so, ``incomplete`` ones lack what they should say. Words that
    are ``false`` are quoted as the agent wrote them; of others the ``quote`` may be empty.
    ``against`` are words of the evidence that contradict the quotation, ``missing`` says what is
    not said or not shown. ``votes`` counts the verdicts where a judge was asked several times.
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
        """Whether the words are as they should be."""
        return self.verdict == "right"

    @property
    def unmet(self) -> tuple[CriterionOpinion, ...]:
        """The criteria for which the item fails: required ones, and groups of which none is met."""
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
        """Whether the criteria are met as far as they have to be."""
        return not self.unmet

    @property
    def passed(self) -> bool:
        """Whether the words are right, and the criteria met."""
        return self.is_right and self.criteria_met

    @property
    def fault(self) -> str:
        """What is wrong, in a sentence: with the words, or else with the first unmet criterion."""
        if not self.is_right or not self.unmet:
            return self.why
        first = self.unmet[0]
        return f"not met: {first.criterion}" + (f" ({first.why})" if first.why else "")
