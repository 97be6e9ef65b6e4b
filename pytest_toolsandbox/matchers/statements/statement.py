"""What the matchers of statements share: the words they are given, and where these may stand."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Final, Self

from pytest_toolsandbox.matchers.matcher import Matcher, MatcherMistake, Reading
from pytest_toolsandbox.matchers.mentions import WORDS, described, is_mentioned, read_items
from pytest_toolsandbox.matchers.normal_text import split
from pytest_toolsandbox.wording.long_texts import in_part
from pytest_toolsandbox.wording.phrases import literal

from .clauses import Clause, clauses
from .deeds import ANY_FORM, wordings
from .stems import HOLLOW, stem

Words = tuple[str, ...]
"""One of these is looked for."""

_EMPTY: Final = HOLLOW | frozenset(
    split("""
    abilities ability afraid again ahead anyone apologies asked back beyond both chat check checked
    course each either else every everything everyone everybody fail failed find first gone help
    here hope let like look looked looks luck matter message messages moment neither never none nor
    nothing note notes off ok okay one only other out outside over perform possible problem provide
    qqq quite request requested right something soon sorry sure task tell text thing things through
    tool tools unable very way well without work worked
    """)
)
"""Words that do not say what a clause is about."""

_SHORT: Final = 3
"""Letters of words that are no other form of a word, whatever they begin with."""
_SPARED: Final = re.compile(
    r"you will (?:not|no longer) be\b|(?:\w+ ){1,4}will (?:not|no longer)\b(?! be (?!reminded))"
)
"""What begins a consequence, which denies nothing that was done."""

_FAILS: Final = re.compile(
    r"\b(?:do|did|work|able|unable|could|can|luck|fail(?:ed|s)?|possible|impossible)\b"
)


@dataclass(frozen=True)
class Statement(Matcher):
    """A text that states something of these words; the first say what, the others of what."""

    argument_schema: ClassVar[Mapping[str, Any]] = WORDS

    items: tuple[Words, ...]

    @classmethod
    def read(cls, argument: Any, _: Reading) -> Self:
        items = enumerate(read_items(argument))
        is_list = isinstance(argument, (list, tuple))
        return cls(tuple(_choices(item, *([place] if is_list else [])) for place, item in items))

    @abstractmethod
    def states(self, text: str) -> bool:
        """Whether a text says so."""

    def similarity(self, found: Any) -> float:
        return float(isinstance(found, str) and self.states(in_part(found)))

    def describe(self) -> str:
        """Write it as ``claims sent | texted, Fred``."""
        return f"{self.name} {', '.join(map(described, self.items))}"

    def explain(self, found: Any) -> str | None:
        if not isinstance(found, str) or self.states(text := in_part(found)):
            return None
        near = [one for one in clauses(text) if has(self.items[0], one.text)]
        if not near:
            return f"nothing is said of: {described(self.items[0])}"
        said = dict.fromkeys(f"{_mood(one)} {literal(one.text)}" for one in near)
        return f"only: {', '.join(said)}"

    def has_others(self, clause: Clause, free: frozenset[int]) -> bool:
        """Whether a clause has one of each of the words, or quotes it.

        One that says of nothing in particular what it says, such as ``it was sent to him``, needs
        none of the items that are ``free``, by their places.
        """
        said = f"{clause.text} {clause.quoted}".strip()
        missing = {place for place, item in enumerate(self.items) if not has(item, said)}
        return not missing or (missing <= free and is_bare(clause, self.items))


def _choices(item: Iterable[Any], *path: int) -> Words:
    """Return the alternatives of an item, among them those of ``sent|texted``."""
    words = [one.strip().casefold() for each in item for one in str(each).split("|")]
    if not all(words):
        whole = " ".join(map(str, item))
        raise MatcherMistake(f"expected a word on each side of |, found {literal(whole)}", path)
    return tuple(words)


def has(words: Words, text: str) -> bool:
    """Whether a text has one of these words, in any form that the words for a deed have."""
    return bool(wordings(words, ANY_FORM).search(text)) or any(
        (len(word) > _SHORT and stem(word) in text and stem(word) in _stems(text))
        or is_mentioned(word, text)
        for word in words
    )


@lru_cache(maxsize=1024)
def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, re.findall(r"[^\W\d_]+", text)))


def around(items: Iterable[Words], text: str, *, is_denial: bool = False) -> frozenset[int]:
    """Return the places of the items of which a clause need not say that it is about them.

    They stand in a clause around it which is no denial and no question, or nowhere. Around a
    denial they may stand in another one.
    """
    clear, doubtful = _by_mood(text, is_denial)
    return frozenset(
        place for place, item in enumerate(items) if has(item, clear) or not has(item, doubtful)
    )


@lru_cache(maxsize=1024)
def _by_mood(text: str, is_denial: bool) -> tuple[str, str]:
    """Return the clauses of a text that are no questions and no denials, and the others.

    Where denials are looked for, ``is_denial``, they are among the former.
    """
    found = [
        (one.is_question or (not is_denial and _leaves_open(one)), one.text)
        for one in clauses(text)
    ]
    clear, doubtful = (
        "\n".join(one for is_so, one in found if is_so is it) for it in (False, True)
    )
    return clear, doubtful


def _leaves_open(clause: Clause) -> bool:
    return clause.has_negation() and not _SPARED.match(clause.text)


def is_bare(clause: Clause, items: Iterable[Words]) -> bool:
    """Whether a clause says of nothing in particular what it says: ``done``, ``it was sent``."""
    rest = clause.text
    for item in items:
        rest = wordings(item, ANY_FORM).removed_from(rest)
    return is_empty(rest)


def is_empty(text: str) -> bool:
    """Whether a text has no word that says what it is about, as ``can you tell me`` has none."""
    words = re.findall(r"[^\W\d_]+|\d+", text)
    return all(word in _EMPTY or word.endswith("ly") for word in words)


def is_failure(clause: Clause) -> bool:
    """Whether a clause says that what was asked for failed: ``I could not do that``."""
    return clause.has_negation() and bool(_FAILS.search(clause.text)) and is_bare(clause, ())


def _mood(clause: Clause) -> str:
    moods = (
        ("asked", clause.is_question),
        ("as a condition", clause.is_conditional),
        ("as somebody's words", clause.is_reported),
        ("denied", clause.has_negation()),
        ("planned", clause.has_modality()),
    )
    return next((mood for mood, is_so in moods if is_so), "said")
