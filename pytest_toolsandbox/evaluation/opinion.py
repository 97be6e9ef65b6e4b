"""What a judge thinks of a conversation: of the agent's words, and of an author's criteria."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

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
        enough = {one.any_of for one in self.criteria if one.met and one.any_of is not None}
        return tuple(one for one in self.criteria if not one.met and one.any_of not in enough)

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
