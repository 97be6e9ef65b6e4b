"""``asks``: the text asks for a piece of information, with or without a question mark."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from .registry import matcher
from .statements.clauses import Clause, by_sentence
from .statements.statement import Statement, has, is_empty

_EARLIER: Final = 20
"""Sentences before ``Which one is it?`` in which it may stand what that is about."""

_GIVE: Final = (
    r"(?:tell|let me know|provide|share|send|give|specify|clarify|confirm|enter|choose|pick|reply|"
    r"state|name|type|answer|say (?:which|what|who|when|where)|indicate|supply|repeat)\b"
)
_FIRST: Final = (
    r"^\W*(?:before (?:\S+ ){1,5})?"
    r"(?:(?:just|kindly|simply|so|then|first|and|or|but|also|please|thanks|only|now|to \w+)"
    r"\b[ ,:]*)*"
)
_REQUEST: Final = re.compile(
    "|".join(
        (
            rf"{_FIRST}{_GIVE}(?! (?:you|him|her|them)\b)",
            rf"\bplease {_GIVE}",
            (
                r"(?:^|\b(?:i|we) )(?:(?:just|still|only|would|will|also|first|then|do) )*"
                r"(?:need|require|am missing|are missing|lack)\b(?! to (?!know\b|ask\b|have\b))"
            ),
            r"\bneed to know\b|\bhelp(?:s|ful)? to know\b|\b(?:may|might) i ask\b",
            r"\b(?:if|once|when|as soon as) i (?:have|know|had|knew|get)\b",
            r"\byou (?:can |could )?(?:give|send|share|tell|provide|let) me\b",
        )
    )
)
_NO_REQUEST: Final = re.compile(
    r"\blet me know if (?!(?:you (?:mean|meant|have)|it is|that is|this is)\b)"
    r"|\b(?:not|no|never) (?:\w+ )?(?:need|require|have to)\b"
)
_PLEASE: Final = re.compile(r"^(?:\w+ ){1,5}, please$")
_WHICH: Final = re.compile(
    r"^\W*(?:(?:and|or|but|so) )*(?:(?:for|in|on|about) (?:\S+ ){1,3}, )?"
    r"(?:what|which|who|whose|where|when|how)\b"
)
_WHICH_ONE: Final = re.compile(r"\b(?:which|what) (?:one|of (?:them|these|those|the))\b")
_OFFER: Final = re.compile(
    r"\b(?:like|want|need|wish|prefer) (?:me|us) to\b|\bwant me\b|\b(?:shall|should) (?:i|we)\b"
    r"|\bdo you (?:want|need|wish)\b|\bwould you like\b|\b(?:can|could|may) i (?!have|ask|get)"
    r"|\bany(?:thing)? else\b|\bis that all\b|\bhave (?:i|we)\b"
)


@matcher("asks")
@dataclass(frozen=True)
class Asks(Statement):
    """A text that asks for this, with or without a question mark.

    An offer (``Shall I send the address?``) and a question that is quoted ask for nothing.
    """

    def states(self, text: str) -> bool:
        return any(all(has(item, said) for item in self.items) for said in _asked(text))


@lru_cache(maxsize=4096)
def _asked(text: str) -> tuple[str, ...]:
    """Return what is asked for, a text for each question and request, without what leads to it."""
    sentences = by_sentence(text)
    asked = []
    for number, sentence in enumerate(sentences):
        said = _question(sentence) or _request(sentence)
        if said and (_WHICH_ONE.search(said) or is_empty(said)):
            earlier = sentences[max(0, number - _EARLIER) : number + 1]
            said = " ".join(clause.text for one in earlier for clause in one)
        asked.append(said)
    return tuple(filter(None, asked))


def _question(sentence: tuple[Clause, ...]) -> str:
    said = " ".join(one.text for one in sentence if one.is_question)
    return "" if _OFFER.search(said) and not _WHICH.match(said) else said


def _request(sentence: tuple[Clause, ...]) -> str:
    said = " ".join(f"{one.opener} {one.text}".strip() for one in sentence)
    request = _REQUEST.search(said)
    if request and not _NO_REQUEST.search(said):
        return said[request.start() :]
    return said if _PLEASE.match(said) or _WHICH.match(said) else ""
