"""Fuzzy search for places, cities and stocks by words and names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cached_property

ALIKE = 85
WHOLE_ALIKE = 90

SMALL_WORDS = frozenset(
    """
    a an and any around at by close closest for here in me my near nearby nearest next of on our
    some the to
    """.split()  # noqa: SIM905  # a list would take a line for each
)
_INSIDE_WORDS = re.compile("['.\N{RIGHT SINGLE QUOTATION MARK}]")
_MEANING = {
    "st": "street",
    "ave": "avenue",
    "blvd": "boulevard",
    "rd": "road",
    "dr": "drive",
    "pkwy": "parkway",
    "shop": "store",
    "shops": "store",
    "theatre": "theater",
    "centre": "center",
}
"""Word → the word by which it is replaced."""


def words(text: str) -> tuple[str, ...]:
    """Return the words of a text in the form in which they are compared.

    Case, accents, punctuation and small words do not count, abbreviations of streets are written
    out, a shop is a store, and words in -ie and -ies end in -y.
    """
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(sign for sign in decomposed if not unicodedata.combining(sign))
    return tuple(
        _MEANING.get(word, re.sub(r"(?<=\w\w)ies?$", "y", word))
        for word in re.findall(r"\w+", _INSIDE_WORDS.sub("", bare))
        if word not in SMALL_WORDS
    )


def words_of(*texts: str) -> frozenset[str]:
    """Return the words of several texts."""
    return frozenset(words("\n".join(texts)))


class Index:
    """Entries that are found by any of their words."""

    def __init__(self, entries: Iterable[frozenset[str]]) -> None:
        self._words = list(entries)

    @cached_property
    def _vocabulary(self) -> Sequence[str]:
        return sorted(frozenset[str]().union(*self._words))

    def having(self, query: str) -> list[int]:
        """Return the entries that have a word like every word of a query, in their order.

        Two words are alike if rapidfuzz's ``ratio`` is 85 (percent) or more.
        """
        from rapidfuzz import fuzz, process

        entries = set(range(len(self._words)))
        asked = words(query)
        for word in asked:
            alike = {
                known
                for known, _, _ in process.extract_iter(
                    word, self._vocabulary, scorer=fuzz.ratio, processor=None, score_cutoff=ALIKE
                )
            }
            entries = {entry for entry in entries if alike & self._words[entry]}
        return sorted(entries) if asked else []


class Names:
    """Entries that are found by a whole name."""

    def __init__(self, names: Iterable[Iterable[str]]) -> None:
        self._names = [
            (" ".join(sorted(words(name))), entry)
            for entry, several in enumerate(names)
            for name in several
        ]

    def meant(self, query: str) -> list[int]:
        """Return the entries with a name that is, as a whole, like a query, in their order.

        That is the case if rapidfuzz's ``ratio`` of their words in alphabetical order is 90
        (percent) or more.
        """
        from rapidfuzz import fuzz, process

        asked = " ".join(sorted(words(query)))
        matches = process.extract_iter(
            asked,
            [name for name, _ in self._names],
            scorer=fuzz.ratio,
            processor=None,
            score_cutoff=WHOLE_ALIKE,
        )
        return sorted({self._names[index][1] for _, _, index in matches}) if asked else []
