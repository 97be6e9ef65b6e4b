"""What a text denies that another says, and the other way round."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pytest_toolsandbox.matchers.normal_text import split, typewritten
from pytest_toolsandbox.matchers.statements.asserted import asserted
from pytest_toolsandbox.matchers.statements.clauses import NEGATION, clauses
from pytest_toolsandbox.matchers.statements.stems import HOLLOW, stem

_SAYS_NOTHING: Final = HOLLOW | frozenset(
    split("both either else even ever every longer more much really until very hi hello sorry")
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


_NEED: Final = "need"
"""What is denied of that which is done already: "No need to buy milk, I have some"."""
_INSTEAD: Final = re.compile(r"\b(?:without|instead of|rather than)\b")
_LACKS: Final = re.compile(r"\b(?:has|have|with|is|are) no\b.*\b(?:yet|so far)\b")
"""What is told of something that is to be added, and denies nothing."""
_LACKING: Final = re.compile(
    r"\b(?:has|have|is|are|there's|'s) no (?!need\b|one\b|longer\b|more\b)"
    r"|\b(?:do|does) not have an?\b|n't have an?\b|\b(?:not|n't) (?:find|see) (?:an?|any|your)\b"
)
"""The same without a word for it, beside an order to add it."""
_ADD: Final = re.compile(
    r"\b(?:add|enter|put in|fill in|provide|supply) (?:an? |the |your |his |her |their )?"
    r"(\w+(?: (?!to\b|in\b|into\b|for\b|at\b)\w+){0,3})"
)
_GONE: Final = re.compile(r"\bout of\b|\bsold out\b|\b(?:is|are|was|were|called) off\b")
_OFF: Final = re.compile(r"\b(?:is|are|was|were|called) off$")
_VALUE_DENIED: Final = re.compile(
    r"\b(?:is not|isn't|are not|aren't) (?:at |on )?([+(]?[$\u20ac\u00a3]?\d[\d ().,-]*\d)"
    r"(?!.*\b(?:but|it's|it is|rather)\b)"
)


@dataclass(frozen=True)
class _Said:
    """Stems of what a text says and of what it denies.

    ``asserted`` has those of each clause that denies nothing, ``denied`` those of each that does,
    with the head: what its denial is about.
    """

    positive: frozenset[str]
    negative: frozenset[str]
    asserted: AbstractSet[frozenset[str]]
    denied: Mapping[frozenset[str], str]


def contradictions(expected: str, found: str) -> Iterator[tuple[str, str]]:
    """Yield what only one of two texts denies and the other says in the same words."""
    target = _said(expected)
    said = _said(found, _added(expected))
    denied = [*_opposed(target, said)]
    if not target.denied:
        denied += _only_denied(target, said, frozenset(_stems(asserted(found).casefold())))
        denied += (one[1] for one in _VALUE_DENIED.finditer(typewritten(found)))
    yield from (("denied", head) for head in dict.fromkeys(denied))
    yield from (("not denied", head) for head in _opposed(said, target))


def _added(text: str) -> frozenset[str]:
    """Return the stems of what is to be added."""
    return frozenset(stem(word) for one in _ADD.findall(text.casefold()) for word in one.split())


def _only_denied(target: _Said, said: _Said, stated: frozenset[str]) -> Iterator[str]:
    """Yield the heads of denials with all words of a clause, which is stated nowhere."""
    for words in target.asserted:
        if not words <= stated:
            denials = (one for one in said.denied if words <= one and not one & _LEXICAL)
            yield from (said.denied[one] for one in denials if said.denied[one] != _NEED)


def _opposed(one: _Said, other: _Said) -> Iterable[str]:
    """Return the heads of what one says and the other denies in the same words."""
    clear = one.positive - one.negative
    return dict.fromkeys(
        head for words, head in other.denied.items() if head in clear or words in one.asserted
    )


@lru_cache(maxsize=4096)
def _said(text: str, lacking: frozenset[str] = frozenset()) -> _Said:
    positive: set[str] = set()
    negative: set[str] = set()
    asserted: set[frozenset[str]] = set()
    denied: dict[frozenset[str], str] = {}
    for clause in clauses(text):
        stated, *instead = _INSTEAD.split(clause.text)
        words = _stems(stated)
        negative |= {*_stems(" ".join(instead))}
        lack = _LACKING.search(stated) if lacking else None
        if _LACKS.search(stated) or (lack and lacking & {*_stems(stated[lack.end() :])[:1]}):
            continue
        if (clause.is_negated or NEGATION.search(stated)) and not clause.is_question:
            negative |= {*words}
            denied[frozenset(words)] = "".join(_head(stated))
        else:
            positive |= {*words}
            asserted.add(frozenset(words))
            if _OFF.search(clause.text):
                denied[frozenset(words) - {"off"}] = "off"
            if _LEXICAL & {*words} or _GONE.search(clause.text):
                negative |= {*words} - _LEXICAL - {"out", "off", "sold"}
    return _Said(frozenset(positive), frozenset(negative), asserted - {frozenset()}, denied)


def _head(text: str) -> list[str]:
    """Return the first word that a negation is about; without one after it, the last before it."""
    match = NEGATION.search(text)
    if match is None:
        return _stems(text)[:1]
    return _stems(text[match.end() :])[:1] or _stems(text[: match.start()])[-1:]


def _stems(text: str) -> list[str]:
    words = re.findall(r"[^\W_]+", NEGATION.sub(" ", text))
    return [stem(word) for word in words if word not in _SAYS_NOTHING]
