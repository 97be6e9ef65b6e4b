"""What follows from what in a letter, and on what condition."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice, product
from typing import Final, Literal, NamedTuple

from pytest_toolsandbox.matchers.normal_text import split
from pytest_toolsandbox.matchers.statements.stems import stem

from .letter_words import EMPTY, MAYBE_YOU, NUMBER, PERSONS, YOU
from .letters import POLITE, Letter
from .same_words import may_stand_for
from .swaps import COUNTED

_NOT_A_LINK: Final = r"(?! (?:that|much|far|long|many|well|good|sorry|glad|happy|excited|on)\b)"
_MARKS: Final = re.compile(
    r"\b(?P<reason>because|since(?! (?:then|yesterday|last)\b))\b"
    r"|\b(?P<case>if|in case|provided(?: that)?|as long as|on (?:the )?condition that)\b"
    rf"|\b(?P<result>so{_NOT_A_LINK}|which is why|that is why|therefore|hence)\b"
)
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
    """Yield causes and conditions of a letter that are none, or other ones, in the expected one."""
    own, given = _links(expected.sentences), _links(found.sentences)
    for one, other in product(own, given):
        if _is_turned(one, other):
            yield "exchanged", f"{_written(other.premise & one.conclusion)} as {other.kind}"
    cases = [[it for it in links if it.kind == "case"] for links in (own, given)]
    if cases[0]:
        yield from _other_cases(*cases)
    else:
        told = {one.name for one in expected.words if not one.is_asked}
        limits = (one for one in cases[1] if _limits(one, told))
        yield from (("left open", f"if {_written(one.premise)}") for one in limits)
    asked = {*_wanted(expected)}
    for one in given:
        is_known = any(it.premise & one.premise for it in own)
        if one.kind == "reason" and one.premise & asked and not is_known:
            yield "exchanged", f"because {_written(one.premise)}"


def _other_cases(own: Sequence[Link], given: Sequence[Link]) -> Iterator[tuple[str, str]]:
    """Yield the conditions of what depends on other ones."""
    for one in own:
        same = [it for it in given if it.conclusion & one.conclusion]
        if same and not any(_are_like(one.premise, it.premise) for it in same):
            yield "another word", f"if {_written(same[0].premise)}"


def _written(words: Stems) -> str:
    return " ".join(sorted(words)).replace(NUMBER, "")


def _wanted(text: Letter) -> Iterator[str]:
    """Yield the verbs of what is ordered or asked for, which is no reason."""
    clause = -1
    polite = {place for place, one in enumerate(text.sentences) if "please" in one}
    for one in text.words:
        is_pleased = one.doer == YOU and one.sentence in polite
        is_ordered = (one.doer == MAYBE_YOU or is_pleased) and not one.tense
        if one.clause != clause and one.is_first and (is_ordered or one.is_asked):
            yield one.name
        clause = one.clause


def _are_like(one: Stems, other: Stems) -> bool:
    return any(may_stand_for(first, second) for first, second in product(one, other))


def _is_turned(one: Link, other: Link) -> bool:
    """Whether what follows in one is what the other follows from."""
    turned = one.premise & other.conclusion, one.conclusion & other.premise
    same = one.premise & other.premise, one.conclusion & other.conclusion
    is_more = sum(map(len, turned)) > sum(map(len, same))
    return all(turned) and (is_more or not same[0])


def _limits(one: Link, told: set[str]) -> bool:
    """Whether a condition is put to what another letter tells without one."""
    known = {it for it in one.conclusion - POLITE if it[0] != NUMBER}
    premise = {it for it in one.premise - POLITE if it[0] != NUMBER}
    is_told = len(known & told) * 2 > len(known)
    is_put = bool(known) and (is_told or premise <= told)
    return bool(premise) and is_put and not premise & _INVITED


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


def _stems(text: str) -> Stems:
    return frozenset(telling_stems(text))


def telling_stems(text: str) -> Iterator[str]:
    """Yield the stems of what says something; numbers and days are marked as such."""
    for word in re.findall(r"[^\W\d_]+", text):
        if word in COUNTED:
            yield f"{NUMBER}{word}"
        elif not (word in EMPTY or word in PERSONS):
            yield stem(word)
