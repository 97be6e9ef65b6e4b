"""A letter without its greeting and signature."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Final

from pytest_toolsandbox.matchers.normal_text import split, typewritten
from pytest_toolsandbox.matchers.statements.canonical import canonical
from pytest_toolsandbox.matchers.statements.stems import stem
from pytest_toolsandbox.wording.sentences import sentences

from .letter_words import (
    BEGIN,
    EMPTY,
    ME,
    NUMBER,
    PERSONS,
    YOU,
    Word,
    alike,
    owners,
    words_of,
)
from .swaps import COUNTED
from .transfers import Transfer, transfers

POLITE: Final = frozenset(
    map(
        stem,
        split("""
        able add also alright ask best bye care check cheers dear excited find get glad good goodbye
        great happy hear hello here hi hope inform information just kind know let like look love
        make mean much nice note okay ok please question quick really regards right say see soon
        sure take tell thank thanks think today use very want wish wonder work
        """),
    )
)
"""Words that letters have anyway."""
OPTIONAL: Final = frozenset(
    map(
        stem,
        split("alright also dear hope kind know like love right sorry thank thanks want"),
    )
)
"""Words that a letter may leave out."""
_ANYWAY: Final = POLITE | OPTIONAL
_MOST: Final = 200
"""Words of a letter that are read; the time grows with their square."""
_GREETED: Final = 3
"""How many greetings a letter may begin with: ``Dear Ada, dear Ben``."""
_GREETING: Final = re.compile(
    r"^\W*(?:(?:hi|hello|hey|dear|good (?:morning|afternoon|evening|day))\b"
    r"[^.,!:;\n-]{0,40}[.,!:;\n-]|(?:sorry|thanks)(?: \w+)?[.,!:;\n-]"
    r"|(?-i:[A-Z][a-z]+(?: [A-Z][a-z]+)?),)\s*",
    re.IGNORECASE,
)
_SIGNATURE: Final = re.compile(r"(?:[.!?\n:,)]|- )\s*((?:[A-Z][\w'-]+[ ,\n&]*){1,6})$")
_NOT_FORGET: Final = re.compile(r"\bdo not (?:forget|hesitate) to\b")
_REASONS: Final = frozenset(split("because since although though"))
"""With what a clause begins that is told, and not asked, in a question, too."""
_SINCE: Final = re.compile(r"\bsince (?=\d|noon\b|midnight\b|\w+day\b)")
_WORD: Final = re.compile(r"'s\b|\d[\w:.,/-]*|[^\W\d_]+|[.!?;:,()]|(?<= )-(?= )")
_CAPITAL: Final = re.compile(
    r"(?<=[a-z,;] )[A-Z][a-z]{2,}(?![\w-])|(?<![\w'-])[A-Z][a-z]{2,}(?= [A-Z][a-z]{2,})"
)
_SMALL: Final = re.compile(r"(?<![\w'@./-])[a-z]{3,}(?![\w@/-]|\.\w)")


@dataclass(frozen=True, slots=True)
class Letter:
    """The words of a letter that say something, and whose things are that stand alone.

    ``owners`` are words, too, of which the name is a person. ``sentences`` are in small letters, as
    :func:`canonical` has them. ``transfers`` has the stems of things.
    """

    words: tuple[Word, ...]
    owners: tuple[Word, ...]
    text: str
    sentences: tuple[str, ...]
    transfers: Mapping[str, tuple[Transfer, ...]]


@lru_cache(maxsize=2048)
def letter(text: str, names: frozenset[str]) -> Letter:
    """Read a letter in which these words are names."""
    plain = typewritten(text).strip()
    persons = {**PERSONS, **{one: one for one in names}}
    for _ in range(_GREETED):
        if greeting := _GREETING.match(plain):
            plain = plain[greeting.end() :]
            persons |= dict.fromkeys(_words_in(greeting[0]) & names, YOU)
    if signature := _SIGNATURE.search(plain):
        plain = plain[: signature.start() + 1]
        persons |= dict.fromkeys(_words_in(signature[1]) & names, ME)
    words: list[Word] = []
    owned: list[Word] = []
    all_told = []
    given: dict[str, tuple[Transfer, ...]] = {}
    marked = zip(sentences(plain), canonical(plain), strict=True)
    for number, (sentence, whole) in enumerate(marked):
        told = _SINCE.sub("after ", _NOT_FORGET.sub("please", whole))
        all_told.append(told)
        clauses = [*_clauses(_WORD.findall(told))]
        for (begin, clause), (then, _) in pairwise([*clauses, ("", [])]):
            is_asked = sentence.mark == "?" and begin not in _REASONS and then != "so"
            last = words[-1] if words else Word("", "", clause=-1, part=-1)
            own = Word("", "", number, last.clause + 1, last.part + 1, is_asked=is_asked)
            words += words_of(clause, persons, own)
            owned += [replace(own, name=one, written=one) for one in owners(clause, persons)]
            for thing, transfer in transfers(clause, persons):
                given[thing] = (*given.get(thing, ()), transfer)
    return Letter(tuple(words[:_MOST]), tuple(owned), plain, tuple(all_told), given)


def likeness(expected: Letter, found: Letter) -> float:
    """Return the F1 of the words that two letters need, in [0, 1]; words may stand for others.

    Numbers and times, which are compared as such, and words that letters have anyway count nothing.
    """
    own, given = (
        [it for it in one.words if it.name[0] != NUMBER and it.name not in _ANYWAY]
        for one in (expected, found)
    )
    met = sum(any(alike(one, it) for it in given) for one in own)
    known = sum(any(alike(one, it) for it in own) for one in given)
    return (met + known) / max(1, len(own) + len(given))


def begins_with_greeting(text: str) -> bool:
    """Whether a letter begins with a greeting."""
    return bool(_GREETING.match(typewritten(text).strip()))


@lru_cache(maxsize=256)
def names_of(text: str) -> frozenset[str]:
    """Return the words, in small letters, that a text has with a capital alone."""
    plain = typewritten(text)
    names = {one.casefold() for one in _CAPITAL.findall(plain)}
    return frozenset(names - {*_SMALL.findall(plain)} - EMPTY - COUNTED)


def _words_in(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W\d_]+", text.casefold()))


def _clauses(words: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield clauses, each after the word or the mark with which it begins."""
    begin, clause = "", list[str]()
    for word in (*words, "."):
        if word not in BEGIN and word.strip("'")[0].isalnum():
            clause.append(word)
            continue
        if clause:
            yield begin, clause
        begin, clause = word, []
