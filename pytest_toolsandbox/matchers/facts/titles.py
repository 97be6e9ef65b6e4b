"""Titles and places that somebody dictated: words in the place of others, left out, or beside."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import Final, NamedTuple

from pytest_toolsandbox.matchers.normal_text import split, typewritten
from pytest_toolsandbox.matchers.quantities.words import ordinal
from pytest_toolsandbox.matchers.statements.stems import stem

from .same_words import may_stand_for
from .swaps import COUNTED

_LITTLE: Final = frozenset(
    split("a an and or the this that these please re fwd no nr number is are be to am pm")
)
"""Words that may be there or not."""
_GROUPS: Final = tuple(
    enumerate(
        map(split, ("at by in on inside", "of about on for re regarding", "to for", "with and"))
    )
)
"""Words of which one may stand for the other."""
_ONLY: Final = split("after before near off out since until with without")
"""Words that say something else where none is expected."""
_PREPOSITIONS: Final = frozenset(
    split("about after at before by for from in near of off on out over since to until with")
    + split("within without")
)
_JOINTS: Final = frozenset(split("and or"))
_SMALL: Final = frozenset(split("the a an my your"))
_OWNERS: Final = frozenset(split("my your his her our their"))
_SHORT: Final = split(
    "jan feb mar apr may jun jul aug sep oct nov dec mon tue wed thu fri sat sun tod tom ton"
)
"""How the names of months and days begin."""
_PLACES: Final = frozenset(
    map(
        stem,
        split("appointment desk home house meeting number office phone place room shop team visit"),
    )
)
"""What of a person may stand for that person: ``call the dentist's office``."""
_WORD: Final = re.compile(r"(?<!\d)\d++(?:st|nd|rd|th)\b|[^\W\d_]+(?:'s\b|(?<=s)'(?!\w))?|[(,;:]")


class _Word(NamedTuple):
    name: str
    written: str
    where: str
    whose: str
    is_joined: bool
    is_owner: bool


def other_title(expected: str, found: str) -> Iterator[tuple[str, str]]:
    """Yield in what a title differs; words that only add to it are none of that."""
    own, given = _words(expected), _words(found)
    lost = [one for one in own if not any(_alike(one, other) for other in given)]
    more = [one for one in given if not any(_alike(one, other) for other in own)]
    if not more:
        lost = [one for one in lost if one.name != "room"]
    if lost:
        yield (
            ("another word", f"{more[0].written} for {lost[0].written}")
            if more
            else (
                "missing",
                lost[0].written,
            )
        )
    yield from (("another word", one.written) for one in more if one.is_joined)
    yield from (("another word", f"{one.whose}'s {one.written}") for one in _owned(own, given))
    for one in own:
        there = [other for other in given if _alike(one, other)]
        if there and all(_is_elsewhere(one.where, other.where) for other in there):
            yield "another word", f"{there[0].where} {one.written}"
        if there and all(other.whose not in ("", one.whose) for other in there) and one.whose:
            yield "another word", f"{there[0].whose} {one.written}"


def _owned(own: Sequence[_Word], given: Sequence[_Word]) -> Iterator[_Word]:
    """Yield things that stand in the place of their owner: ``lunch with Ada's sister``."""
    for one, then in zip_longest(given, given[1:]):
        is_head = then is None or then.where or then.is_joined
        if not is_head or one.name in _PLACES or any(_alike(one, it) for it in own):
            continue
        owners = (it for it in given if it.is_owner and it.written == one.whose)
        if any(_alike(it, other) and not other.is_owner for it in owners for other in own):
            yield one


def _alike(one: _Word, other: _Word) -> bool:
    if may_stand_for(one.name, other.name):
        return True
    short, long = sorted((one.name, other.name), key=len)
    return len(short) > 3 and long.endswith(short) and long != f"un{short}"  # noqa: PLR2004


def _is_elsewhere(one: str, other: str) -> bool:
    groups = [{group for group, words in _GROUPS if it in words} for it in (one, other)]
    return (
        bool(other) and one != other and not groups[0] & groups[1] and bool(one or other in _ONLY)
    )


@lru_cache(maxsize=1024)
def _words(text: str) -> tuple[_Word, ...]:
    plain = unicodedata.normalize("NFKD", typewritten(text).casefold())
    plain = "".join(one for one in plain if not unicodedata.combining(one))
    found, where, whose, before = [], "", "", ""
    for written in _WORD.findall(plain):
        word = written.removesuffix("'s").removesuffix("'")
        if word in _PREPOSITIONS:
            where = word
        elif word in _OWNERS:
            whose = word
        elif name := _name(word):
            is_owner = word != written
            whose_it_is = "" if is_owner else whose
            found.append(_Word(name, word, where, whose_it_is, before in _JOINTS, is_owner))
            where, whose = (where, word) if is_owner else ("", "")
        if word not in _SMALL:
            before = word
    return tuple(found)


def _name(word: str) -> str:
    """Return by what a word is known; days and months by their first letters."""
    if rank := ordinal(word):
        return f"#{rank}"
    if word in _LITTLE or not word[0].isalpha():
        return ""
    if word in COUNTED:  # other numbers are compared as such
        return word[:3] if word[:3] in _SHORT else ""
    return stem(word)
