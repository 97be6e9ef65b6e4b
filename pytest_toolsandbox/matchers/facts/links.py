"""What follows from what in a letter, on what condition, and what comes before what."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice, product
from typing import Final, Literal, NamedTuple

from pytest_toolsandbox.matchers.normal_text import split
from pytest_toolsandbox.matchers.statements.stems import stem

from .letter_words import EMPTY, NUMBER, PERSONS
from .letters import POLITE, Letter
from .swaps import COUNTED

_NOT_A_LINK: Final = r"(?! (?:that|much|far|long|many|well|good|sorry|glad|happy|excited|on)\b)"
_MARKS: Final = re.compile(
    r"\b(?P<reason>because|since(?! (?:then|yesterday|last)\b))\b"
    r"|\b(?P<case>if|in case|provided(?: that)?|as long as|on condition that)\b"
    rf"|\b(?P<result>so{_NOT_A_LINK}|which is why|that is why|therefore|hence)\b"
)
_ORDER: Final = re.compile(r"\b(before|after)\b")
_INVITED: Final = frozenset(
    map(stem, split("want like wonder interest care fancy wish free time mind feel keen mood"))
)
"""What a condition is about that only invites: ``if you would like to come``."""

_MOST: Final = 10
_LONGEST: Final = 1000
"""How many marks and letters of a sentence are read; the time grows with both."""

Kind = Literal["reason", "case"]
Stems = frozenset[str]


class Link(NamedTuple):
    """What is so because of what, or in what case."""

    kind: Kind
    premise: Stems
    conclusion: Stems


def other_links(expected: Letter, found: Letter) -> Iterator[tuple[str, str]]:
    """Yield causes, conditions and what comes first that a letter has the other way round."""
    own, given = _links(expected.sentences), _links(found.sentences)
    for one, other in product(own, given):
        if _is_turned(one, other):
            yield "exchanged", f"{' '.join(sorted(other.premise & one.conclusion))} as {other.kind}"
    if not any(one.kind == "case" for one in own):
        told = {one.name for one in expected.words if not one.is_asked}
        for one in given:
            if one.kind == "case" and _limits(one, told):
                yield "left open", f"if {' '.join(sorted(one.premise))}"
    orders = _orders(expected.sentences), _orders(found.sentences)
    for first, then in sorted(orders[0]):
        if (then, first) in orders[1] and (first, then) not in orders[1]:
            yield "exchanged", f"{then} before {first}"


def _is_turned(one: Link, other: Link) -> bool:
    """Whether what follows in one is what the other follows from."""
    turned = one.premise & other.conclusion, one.conclusion & other.premise
    same = one.premise & other.premise, one.conclusion & other.conclusion
    return all(turned) and sum(map(len, turned)) > sum(map(len, same))


def _limits(one: Link, told: set[str]) -> bool:
    """Whether a condition is put to what another letter tells without one."""
    known = {it for it in one.conclusion - POLITE if it[0] != NUMBER}
    is_told = bool(known) and len(known & told) * 2 > len(known)
    return is_told and bool(one.premise - POLITE) and not one.premise & _INVITED


@lru_cache(maxsize=1024)
def _links(sentences: Sequence[str]) -> tuple[Link, ...]:
    found: list[Link] = []
    before = ""
    for sentence in (one[:_LONGEST] for one in sentences):
        for mark in islice(_MARKS.finditer(sentence), _MOST):
            found += _link(mark, sentence, before)
        before = sentence
    return tuple(one for one in found if one.premise and one.conclusion)


def _link(mark: re.Match[str], sentence: str, before: str) -> Iterator[Link]:
    """Yield the link at a mark, where a comma tells at what place the other part begins."""
    head, tail = sentence[: mark.start()], sentence[mark.end() :]
    if mark["result"]:
        yield Link("reason", _stems(head if _stems(head) else before), _stems(tail))
        return
    kind: Kind = "reason" if mark["reason"] else "case"
    premise, _, rest = tail.partition(",")
    if said := _stems(head):
        yield Link(kind, _stems(premise), said)
    elif rest:
        yield Link(kind, _stems(premise), _stems(rest))


@lru_cache(maxsize=1024)
def _orders(sentences: Sequence[str]) -> frozenset[tuple[str, str]]:
    """Return which words are said to be before which."""
    found: set[tuple[str, str]] = set()
    for sentence in (one[:_LONGEST] for one in sentences):
        for mark in islice(_ORDER.finditer(sentence), _MOST):
            head, tail = sentence[: mark.start()], sentence[mark.end() :]
            last = next(_telling(tail), NUMBER)
            firsts = _stems(head) or _stems(tail) - {last}
            pairs = [
                (one, last) for one in firsts if one != last and NUMBER not in one[0] + last[0]
            ]
            found.update((b, a) if mark[0] == "after" else (a, b) for a, b in pairs)
    return frozenset(found)


def _stems(text: str) -> Stems:
    return frozenset(_telling(text))


def _telling(text: str) -> Iterator[str]:
    """Yield the stems of what says something; numbers and days are marked as such."""
    for word in re.findall(r"[^\W\d_]+", text):
        if word in COUNTED:
            yield f"{NUMBER}{word}"
        elif not (word in EMPTY or word in PERSONS):
            yield stem(word)
