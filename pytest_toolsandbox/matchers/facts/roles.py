"""Who does what in a letter, to whom, when and where, beside another."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Final

from pytest_toolsandbox.matchers.normal_text import split
from pytest_toolsandbox.matchers.statements.stems import stem

from .letter_words import MAYBE_YOU, ME, NUMBER, PERSONS, THEY, WE, YOU, Word
from .letters import Letter, letter
from .same_words import are_opposed, may_stand_for
from .transfers import agree, are_at_odds

_OPPOSED: Final = frozenset(
    [
        *(("from", "to"), ("before", "after"), ("after", "before")),
        *(("with", "without"), ("in", "out"), ("into", "out")),
    ]
)
"""Words of which the second excludes the first."""
_TERMS: Final = frozenset(product(split("by until till before"), split("from since after")))
"""The same before a day or a time."""
_IS_MINE: Final = re.compile(
    r"\b(?:is|are|was|were) (?:now |not |all )?(?:mine|yours|ours|hers|theirs)\b"
)
_NOBODY: Final = {"", MAYBE_YOU}


def is_told(head: str, expected: str, found: str, names: frozenset[str]) -> bool:
    """Whether a letter says of somebody what it denies of another: ``I can't, but he comes``."""
    its = _telling(stem(head), letter(expected, names), letter(found, names))
    denied, told = ({one.doer for one in its if one.is_denied == it} for it in (True, False))
    sentences = " ".join(letter(expected, names).sentences)
    if denied and all(one in names and _cannot(one, sentences) for one in denied):
        return True
    return any(one != other for one in denied - _NOBODY for other in told - _NOBODY)


def _cannot(name: str, text: str) -> bool:
    """Whether a text denies of somebody what he does: ``since Ada can not``."""
    return bool(re.search(rf"\b{re.escape(name)} (?:\w+ )?not\b", text))


def _telling(name: str, expected: Letter, found: Letter) -> list[Word]:
    """Return the words of a letter that may stand for one, but those that are expected beside."""
    others = {one.name for one in expected.words} - {name}
    return [it for it in found.words if may_stand_for(it.name, name) and it.name not in others]


def other_roles(expected: Letter, found: Letter) -> Iterator[tuple[str, str]]:
    """Yield who does something that another does, to whom, whose it is, and what is denied."""
    own, given = ({one.name for one in it.owners} for it in (expected, found))
    if own and given and not own & given and not _stand_in(expected, found, own, given):
        yield "another person", min(given)
    for one in expected.words:
        there = _same(one, found.words)
        both = [it.transfers.get(one.name, ()) for it in (expected, found)]
        if are_at_odds(*both):
            yield "another person", f"{both[1][0].getter or both[1][0].giver} {one.written}"
        is_read = there and not agree(*both)
        if one.whose in given and {it.whose for it in there} <= own:
            there = [replace(it, whose=one.whose) for it in there]  # mine, and your own one
        others = [*_other_persons(one, there)] if is_read else []
        yield from (("another person", f"{person} {one.written}") for person in others)
        sides = {(one.where, it.where) for it in there}
        if sides and sides <= (_TERMS if one.name == NUMBER else _OPPOSED):
            yield "another word", f"{there[0].where} {one.written}"
        verbs = [it for it in found.words if it.is_first and it.doer == one.doer not in _NOBODY]
        if one.is_first and verbs and all(are_opposed(one.name, it.name) for it in verbs):
            yield "another word", f"{verbs[0].written} for {one.written}"
        its = _telling(one.name, expected, found)
        said = {it.is_denied for it in its if not _are_two(one.doer, it.doer)}
        if one.is_first and not one.is_asked and said == {not one.is_denied}:
            yield ("not denied" if one.is_denied else "denied"), one.written


def _stand_in(expected: Letter, found: Letter, own: set[str], given: set[str]) -> bool:
    """Whether of one thing of two persons the other one's is named: ``your keys, and mine``."""
    if any(_IS_MINE.search(one) for one in (*expected.sentences, *found.sentences)):
        return False
    return any(
        one.whose in given and it.whose in own
        for one in expected.words
        for it in _same(one, found.words)
    )


def other_times(expected: Letter, found: Letter) -> Iterator[tuple[str, str]]:
    """Yield what was where it will be, will be where it was, and is on another day."""
    for one in expected.words:
        there = _same(one, found.words) if one.name[0] != NUMBER else []
        tenses = {it.tense for it in there if not it.is_asked or one.is_asked}
        is_past = tenses == {"was"} and one.tense in ("is", "will")
        if is_past or (tenses == {"will"} and one.tense == "have"):
            yield "another time", f"{one.written} {min(tenses)}"
        days = {it.day for it in there}
        if one.day and there and not days & {"", one.day}:
            yield "another day", f"{one.written} {min(days)}"


def _same(one: Word, words: Sequence[Word]) -> list[Word]:
    """Return where else a word stands; a number is the one that is written alike."""
    same = [it for it in words if it.name == one.name]
    return [it for it in same if it.written == one.written] if one.name == NUMBER else same


def _other_persons(one: Word, there: Sequence[Word]) -> Iterator[str]:
    """Yield who has the part of somebody else in all places where a word stands."""
    alike = [it for it in there if it.is_denied == one.is_denied]
    for role in ("doer", "whom", "whose"):
        person, others = getattr(one, role), [_role(it, role) for it in alike]
        if role == "doer":
            if not one.is_first or (person == WE and one.is_asked):
                continue
            if person == WE:
                others = [it if it in (ME, YOU) else "" for it in others]  # maybe our firm
        if others and all(_excludes(person, it) for it in others):
            yield others[0]
    if one.whom and all(it.doer == one.whom != one.doer for it in there):
        yield one.whom


def _are_two(one: str, other: str) -> bool:
    return one != other and not {one, other} & {*_NOBODY, *PERSONS.values()}


def _role(word: Word, role: str) -> str:
    return "" if role == "doer" and not word.is_first else str(getattr(word, role))


def _excludes(person: str, other: str) -> bool:
    person = YOU if person == MAYBE_YOU else person
    if not person or other in ("", MAYBE_YOU, person) or {person, other} == {ME, WE}:
        return False
    return THEY not in (person, other) or bool({ME, WE, YOU} & {person, other})
