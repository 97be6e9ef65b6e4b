"""Names of people, places and things: words with a capital that no sentence begins with."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pytest_toolsandbox.matchers.normal_text import split, typewritten

_CAPITAL: Final = r"[^\W\d_a-z][^\W\d_]+"
_NAME: Final = re.compile(rf"(?<!\w){_CAPITAL}(?: {_CAPITAL})*")
_START: Final = re.compile(r"(?:^|[.!?:\n]|[-*>] )\W*$")
_GREETS: Final = frozenset(("hi", "hello", "hey", "dear", "thanks", "morning", "evening"))
_CLOSES: Final = re.compile(
    r"(?:[.!?\n]|\b(?:love|best|cheers|regards|thanks),?)\s*$", re.IGNORECASE
)
_NEAR: Final = 20
"""How many letters before a name are read."""

_SHORT: Final = {
    "street": "st", "avenue": "ave", "road": "rd", "boulevard": "blvd", "doctor": "dr",
    "mum": "mom", "mother": "mom", "father": "dad", "square": "sq",
}  # fmt: skip
_GENERIC: Final = frozenset(split("st ave rd blvd sq dr mr mrs ms room the"))
_NO_NAMES: Final = frozenset(
    split("""
    monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays
    fridays saturdays sundays january february march april may june july august september october
    november december am pm ok okay eta asap sms btw fyi hi hello hey dear thanks sorry please yes
    no love best cheers regards i'm i'll i've
    """)
)


_SPELLED: Final = str.maketrans({"\u00e4": "ae", "\u00f6": "oe", "\u00fc": "ue", "\u00df": "ss"})


def spellings(word: str) -> frozenset[str]:
    """Return a word in small letters as it is written without umlauts and accents, in both ways."""
    plain = unicodedata.normalize("NFKD", word.replace("\u00df", "ss"))
    without = "".join(char for char in plain if not unicodedata.combining(char))
    return frozenset((without, word.translate(_SPELLED)))


@dataclass(frozen=True)
class Name:
    """Words that follow one another, in small letters, and whether a text greets with them."""

    words: tuple[str, ...]
    is_greeted: bool


def other_names(expected: str, found: str) -> Iterator[tuple[str, str]]:
    """Yield the names that a text lacks or has otherwise, and who is greeted in another's place."""
    there = names_in(found)
    words = words_in(found)
    greeted = [name for name in there if name.is_greeted]
    for name in names_in(expected):
        if name.is_greeted:
            if greeted and not any(set(name.words) & set(one.words) for one in greeted):
                yield "another name", " ".join(greeted[0].words)
        elif not _is_there(name, there, words):
            yield "missing", " ".join(name.words)


def _is_there(name: Name, there: Sequence[Name], words: frozenset[str]) -> bool:
    """Whether a text has a name, or a part of it that it does not complete otherwise."""
    own = set(name.words)
    if own <= words:
        return True
    if not (own - _GENERIC) & words:
        return False
    return all(set(one.words) <= own for one in there if own & set(one.words))


@lru_cache(maxsize=4096)
def names_in(text: str) -> tuple[Name, ...]:
    """Return the names of a text, as :class:`Name` has them."""
    plain = typewritten(text)
    found = []
    for match in _NAME.finditer(plain):
        before = plain[max(0, match.start() - _NEAR) : match.start()]
        words = [_plain(word) for word in match[0].split()]
        is_greeted = words[0] in _GREETS or before.rstrip(" ,").casefold() in _GREETS
        first = 0 if is_greeted or not _START.search(before) else 1
        is_signed = _CLOSES.search(before) and not re.search(r"\w", plain[match.end() :])
        own = tuple(word for word in words[first:] if word not in _NO_NAMES)
        if own and (is_greeted or not is_signed):
            found.append(Name(own, is_greeted))
    return tuple(found)


@lru_cache(maxsize=4096)
def words_in(text: str) -> frozenset[str]:
    """Return the words of a text as names are compared: in small letters, ``street`` as ``st``."""
    return frozenset(map(_plain, re.findall(r"[^\W\d_]+", typewritten(text))))


def _plain(word: str) -> str:
    small = word.casefold()
    return _SHORT.get(small, small)
