"""``refuses``: the text says that its writer cannot or will not do something."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from .claims import is_done
from .registry import matcher
from .statements.clauses import Clause, by_sentence
from .statements.deeds import deeds_of
from .statements.statement import Statement, has, is_bare

_ADVERBS: Final = r"(?:(?:\w+ly|also|still|just) )*"
_I: Final = rf"(?:^|\b(?:i|we|and|but|or|so) ){_ADVERBS}"
_NOT: Final = rf"(?:not|never|no longer)\b ?{_ADVERBS}"
_IDIOM: Final = r"(?:believe|imagine|complain|thank|stress|overstate)\b"
"""``I can't believe it``, which refuses nothing."""
_MEANS: Final = (
    r"(?:tools?|way|means|access|abilit(?:y|ies)|permission|option|function\w*|feature|"
    r"capabilit(?:y|ies)|possibility|service|information|data)\b"
)
REFUSAL: Final = re.compile(
    "|".join(
        (
            rf"{_I}(?:can|could|will|would rather|may) {_ADVERBS}{_NOT}(?! ?{_IDIOM})",
            rf"{_I}(?:do|did|have|had) {_NOT}(?:have|know|see|find|get|got|been able)\b",
            (
                rf"{_I}(?:(?:am|are|was|were|be|been) )?{_ADVERBS}(?:{_NOT}(?:able|allowed"
                r"|permitted|equipped|in a position)|unable)\b"
            ),
            rf"{_I}(?:(?:have|see|has|find) no|lack|can only|am only able)\b",
            rf"{_I}have nothing (?:that|which|to (?:look|find|search|check)|with which)\b",
            r"\bnothing (?:that |which )?i (?:can|could|may)\b",
            rf"\bno (?:\w+ )?{_MEANS}",
            rf"\bnot (?:have |a |any |the ){{1,3}}(?:\w+ )?{_MEANS}",
            (
                rf"\b(?:is|are|was|were) {_NOT}(?:something|known|possible|available|supported"
                r"|working|included|within|accessible|an option)\b"
            ),
            (
                rf"(?:^|[:\u2013\u2014-] ){_NOT}(?:something i|possible|available|supported|working"
                r"|included|accessible|an option)\b"
            ),
            r"\b(?:impossible|unavailable|unsupported|inaccessible|unknown|beyond)\b",
            r"\bno can do\b|\bnone of my\b",
            r"\bnot (?:among|one of)\b",
            r"\bout(?:side)? (?:of )?(?:\w+ )?(?:reach|scope|abilities|what)\b",
            r"\bwish i could\b|\bafraid (?:\w+ )?not\b",
            r"(?<!\bhe )(?<!\bthey )\b(?:can|could|may) not (?:\w+ly )?be\b",
            r"\b(?:can|could) only be \w+ by you\b",
            r"\bonly you can\b|\byou (?:(?:would|will) )?(?:have|need) to\b.{1,80}\byourself\b",
            r"\btools?\b.{0,80}?\b(?:do|does|can|is|are) not\b",
            r"\btoo late (?:for|to)\b",
            r"\b(?:it|that|this) (?:did not (?:work|go through)|failed)\b",
            (
                r"\b(?:system|policy|policies|rules?|bank|shop|tool|app|service|software)\b.{0,40}?"
                r" (?:(?:would|will|does|did|do|can|could) not (?:let|allow|permit|accept|support)"
                r"|(?:only )?lets? me only|only lets?|only allows?|forbids?|prevents?|refused"
                r"|rejected|declined)\b"
            ),
            rf"\b(?:was|were|is|are|been|got) {_ADVERBS}(?:declined|rejected|refused)\b",
            r"(?<!\bhe )(?<!\bthey )\b(?:can|could|may) (?:no longer|only) (?:\w+ )?be\b",
            r"\b(?:is|are) no longer (?:possible|available|an option|allowed)\b",
        )
    )
)
"""What says that something cannot be done, or that its means are missing."""


@matcher("refuses")
@dataclass(frozen=True)
class Refuses(Statement):
    """A text that says that the agent cannot or will not do this, or lacks what it takes.

    It is said of these words, or of ``that`` alone.
    """

    def states(self, text: str) -> bool:
        return any(
            self._is_said_of(clause, sentence)
            for sentence in by_sentence(text)
            for clause in sentence
            if clause.is_stated and REFUSAL.search(clause.text)
        )

    def _is_done(self, clause: Clause) -> bool:
        """Whether what the words stand for was done: ``I couldn't find it, so I booked this``."""
        words = (one if deeds_of(one) else f"{one.removesuffix('e')}ed" for one in self.items[0])
        return is_done(tuple(words), clause, frozenset())

    def _is_said_of(self, clause: Clause, sentence: tuple[Clause, ...]) -> bool:
        said = " ".join(one.text for one in sentence if one.is_stated and not self._is_done(one))
        return is_bare(clause, ()) or all(has(item, said) for item in self.items)
