"""The words of a clause that say something, with who does it, to whom, whose, where and when."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pytest_toolsandbox.matchers.normal_text import split
from pytest_toolsandbox.matchers.quantities.words import ordinal
from pytest_toolsandbox.matchers.statements.stems import HOLLOW, stem

from .same_words import may_stand_for
from .swaps import COUNTED

ME: Final = "i"
WE: Final = "we"
YOU: Final = "you"
THEY: Final = "they"
MAYBE_YOU: Final = "you?"
"""Who does it where a clause begins with a word that may be an order: ``Bring a blanket``."""
NUMBER: Final = "#"
"""The name of numbers, days and times, which are compared as such."""
PERSONS: Final = {
    word: person
    for person, words in (
        (ME, "i me my mine myself"),
        (WE, "we us our ours ourselves"),
        (YOU, "you your yours yourself"),
        ("somebody", "somebody someone"),
        (THEY, "he him his she her hers they them their theirs"),
    )
    for word in words.split()
}
BEGIN: Final = frozenset(split("but because since so while if unless whether although though as"))
"""Words with which a clause begins."""

_OWNERS: Final = frozenset(split("my our your his her their"))
_STAND_ALONE: Final = frozenset(split("mine ours yours hers theirs"))
_OBJECTS: Final = frozenset(split("me us him her them"))
_ARTICLES: Final = frozenset(split("the a an"))
_OF: Final = "'s"
_TENSES: Final = tuple(
    (tense, re.compile(pattern))
    for tense, pattern in (
        ("was", r"\b(?:was|were)\b"),
        ("will", r"\bwill\b"),
        ("is", r"\b(?:am|is|are)\b"),
        (
            "have",
            r"\bha(?:ve|s|d) (?:\w+ly |just |already |now )*(?:\w+ed|sent|told|put|made|been)\b",
        ),
    )
)
_RANK: Final = re.compile(r"\d+[a-z]+|[a-z]+")
_BE: Final = frozenset(split("is are was were be been being"))
_DONE: Final = re.compile(r"\w{3,}ed|sent|told|put|made|set")
_NO_ORDER: Final = re.compile(r"\w{3,}(?:ing|ed)")
_DAY: Final = re.compile(r"[a-z]+day|tomorrow|tonight")
_WHERE: Final = frozenset(
    split("""
    about after at before between by during for from here in into near of on onto out since
    through to toward under until till up with within without
    """)
)
_AUXILIARY: Final = split("""
    am is are was were be been being have has had do does did will would can could may might must
    shall should not never just already also now so to please really gladly kindly still no
    instead rather than and or that which who provided case
""")
_CLOCK: Final = frozenset(split("half past quarter o'clock oclock clock zero hundred thousand"))
EMPTY: Final = HOLLOW.union(_AUXILIARY, _WHERE, BEGIN)
"""Words that say nothing of their own."""
_PART: Final = 4
"""Letters of a word that may be part of another: ``milk`` of ``oatmilk``."""


@dataclass(frozen=True, slots=True)
class Word:
    """A stem, and who does it, to whom, whose and where it is, if that is said.

    ``sentence``, ``clause`` and its ``part`` beside an "and" are numbers, ``day`` what day the
    clause names. ``is_first`` tells whether it is the first word of a statement that says
    something, its verb, and ``is_thing`` whether an article or an owner stands before it.
    """

    name: str
    written: str
    sentence: int = 0
    clause: int = 0
    part: int = 0
    doer: str = ""
    whom: str = ""
    whose: str = ""
    where: str = ""
    tense: str = ""
    day: str = ""
    is_first: bool = False
    is_asked: bool = False
    is_denied: bool = False
    is_thing: bool = False


def alike(one: Word, other: Word) -> bool:
    """Whether two words may say the same, or one is part of the other."""
    if may_stand_for(one.name, other.name):
        return True
    short, long = sorted((one.name, other.name), key=len)
    return len(short) >= _PART and short in long and long != f"un{short}"


def not_in(others: Sequence[Word], words: Sequence[Word], spared: frozenset[str]) -> list[Word]:
    """Return which words, but for some, say something of which others say nothing."""
    telling = (one for one in words if one.name != NUMBER and one.name not in spared)
    return [one for one in telling if not any(alike(one, other) for other in others)]


def owners(clause: Sequence[str], persons: Mapping[str, str]) -> Iterator[str]:
    """Yield of whom something is said to be: ``it is yours``."""
    for place, word in enumerate(clause):
        is_last = clause[place + 1 : place + 2] in ([], ["now"], ["and"])
        if word in _STAND_ALONE:
            yield persons[word]
        elif word == _OF and place and is_last:
            yield persons.get(clause[place - 1], "")


def words_of(clause: Sequence[str], persons: Mapping[str, str], own: Word) -> Iterator[Word]:
    """Yield the words of a clause; ``own`` has what is known of all of them."""
    reader = _Reader(clause, persons, own)
    for place in range(len(clause)):
        yield from reader.read(place)


class _Reader:
    """Reads a clause from its first word to its last."""

    def __init__(self, clause: Sequence[str], persons: Mapping[str, str], own: Word) -> None:
        days = [*filter(_DAY.fullmatch, clause)]
        tense = next((name for name, form in _TENSES if form.search(" ".join(clause))), "")
        self.own = replace(own, day=days[0] if len(days) == 1 else "", tense=tense)
        self.words = ["", *clause, "", ""]
        self.persons = persons
        self.is_said = False
        self.ordered = ""

    def read(self, place: int) -> Iterator[Word]:
        """Yield the word at a place, if it says something, and keep what it tells of the next."""
        before, word, after, then = self.words[place : place + 4]
        if word == "please":
            self.ordered = YOU
        elif not place and not (word in self.persons or word in EMPTY or _NO_ORDER.fullmatch(word)):
            self.ordered = MAYBE_YOU
        self._read_empty(before, word)
        if word in self.persons:
            self._read_person(before, word, after, is_late=place > 1)
        rank = ordinal(word) if _RANK.fullmatch(word) else None
        if not rank and (word[0].isdigit() or word in _CLOCK or (word in COUNTED - {"am"})):
            yield replace(self.own, name=NUMBER, written=word)
        elif word not in EMPTY and word != _OF and self.persons.get(word, word) == word:
            name = f"{NUMBER}{rank}" if rank else stem(word)
            is_thing = before in _ARTICLES or before in _OWNERS
            is_owner = after in _OWNERS or then == _OF
            is_done = before in _BE and bool(_DONE.fullmatch(word))  # by anybody
            yield replace(
                self.own,
                name=name,
                written=word,
                doer="" if is_done else self.own.doer or ("" if self.is_said else self.ordered),
                whom="" if is_owner else self.persons.get(after, ""),
                is_first=not self.is_said and word not in self.persons,
                is_thing=is_thing,
            )
            if word not in self.persons:
                self.is_said, self.own = True, replace(self.own, whose="")

    def _read_empty(self, before: str, word: str) -> None:
        if word in _WHERE and before != "out":
            self.own = replace(self.own, where=word)
            self.own = replace(self.own, is_denied=self.own.is_denied or word == "without")
        elif word in ("not", "never", "no"):
            self.own = replace(self.own, is_denied=True)
        elif word == "and":
            self.is_said = False
            self.own = replace(self.own, where="", part=self.own.part + 1)

    def _read_person(self, before: str, word: str, after: str, *, is_late: bool) -> None:
        """Read who does something or whose it is; to whom, the word before has read already."""
        person = self.persons[word]
        if word in _OWNERS or after == _OF:
            self.own = replace(self.own, whose=person)
            return
        is_object = word in _OBJECTS or (bool(before) and before not in EMPTY)
        is_beside = before in _WHERE or (is_late and before == "the")
        if not is_beside and not (is_object and (self.own.doer or word in _OBJECTS)):
            self.own = replace(self.own, doer=person, is_denied=False)
            self.is_said, self.ordered = False, ""
