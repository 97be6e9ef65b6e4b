"""What a text denies that another says, and the other way round."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pytest_toolsandbox.matchers.quantities.words import split
from pytest_toolsandbox.matchers.rouge_l import stem
from pytest_toolsandbox.matchers.statements.clauses import NEGATION, clauses

_HOLLOW: Final = frozenset(
    split("""
    a able about all already also am an and any anything are as at be been being both but by can
    could did do does done either else even ever every for from get going got had has have he her
    him his i in is it its just longer may me might more much must my now of on or our really she
    should so some still than that the their them then these they this those to too until us very
    was we were will with would yet you your please sorry hi hello
    """)
)
_LEXICAL: Final = frozenset(
    map(
        stem,
        split("""
        cancel cancelled canceled cancellation skip miss pass decline late delayed lost lose losing
        without lack leave unable sick ill busy closed refuse avoid stop postpone instead unlock
        forget remember gone locked unlocked
        """),
    )
)
"""Words that may deny what stands beside them: ``skip the run``, ``out of soap``."""


_INSTEAD: Final = re.compile(r"\b(?:without|instead of|rather than)\b")
_GONE: Final = re.compile(r"\bout of\b|\bsold out\b|\b(?:is|are|was|were|called) off\b")

_PAST: Final = dict(
    pair.split(":")
    for pair in split("""
    went:go gone:go goes:go came:come sent:send told:tell left:leave found:find lost:lose took:take
    taken:take made:make brought:bring bought:buy met:meet saw:see seen:see knew:know paid:pay
    gave:give given:give ran:run kept:keep said:say
    """)
)


@dataclass(frozen=True)
class _Said:
    """Stems of what a text says and of what it denies; ``heads`` are what a denial is about."""

    positive: frozenset[str]
    negative: frozenset[str]
    heads: tuple[str, ...]


def contradictions(expected: str, found: str) -> Iterator[tuple[str, str]]:
    """Yield what only one of two texts denies and the other says in the same words."""
    target, said = _said(expected), _said(found)
    for head in said.heads:
        if head in target.positive - target.negative:
            yield "denied", head
    for head in target.heads:
        if head in said.positive - said.negative:
            yield "not denied", head


@lru_cache(maxsize=4096)
def _said(text: str) -> _Said:
    positive: set[str] = set()
    negative: set[str] = set()
    heads: list[str] = []
    for clause in clauses(text):
        stated, *instead = _INSTEAD.split(clause.text)
        words = _stems(stated)
        negative |= {*_stems(" ".join(instead))}
        if (clause.is_negated or NEGATION.search(stated)) and not clause.is_question:
            negative |= {*words}
            heads += _head(stated)
        else:
            positive |= {*words}
            if _LEXICAL & {*words} or _GONE.search(clause.text):
                negative |= {*words} - _LEXICAL - {"out", "off", "sold"}
    return _Said(frozenset(positive), frozenset(negative), tuple(dict.fromkeys(heads)))


def _head(text: str) -> list[str]:
    """Return the first word that a negation is about; without one after it, the last before it."""
    match = NEGATION.search(text)
    if match is None:
        return _stems(text)[:1]
    return _stems(text[match.end() :])[:1] or _stems(text[: match.start()])[-1:]


def _stems(text: str) -> list[str]:
    words = re.findall(r"[^\W_]+", NEGATION.sub(" ", text))
    return [stem(_PAST.get(word, word)) for word in words if word not in _HOLLOW]
