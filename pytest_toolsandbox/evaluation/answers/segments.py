"""The parts of a text's sentences: which facts stand in each, beside which words."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from pytest_toolsandbox.matchers.normal_text import normal_text
from pytest_toolsandbox.matchers.statements.stems import HOLLOW, stem

from .fact import Fact, has

_BORDER: Final = re.compile(
    r"[\n;|]+|,(?!\d| \d{4}\b)|[.!?](?=\s|$)"
    r"|\b(?:and|while|whereas|but|versus|vs|against|with|after|before|by whom|for whom)\b",
    re.IGNORECASE,
)
_MOST: Final = 40
"""Of a text of more segments nobody asks which fact stands where."""
_SHORTEST: Final = 3
"""Letters of a word that says what a fact is."""
_NAMES: Final = re.compile(r"[A-Z][\w'-]{2,}(?: [A-Z][\w'-]*)+")
"""Names of several words, of which a first name says not what a fact is."""
_FORM: Final = re.compile(r"(?<=\w{3})(?:(?:at)?ors?|y)$")
"""Endings of words of one stem: ``curator`` for ``curates``, ``reply`` for ``replied``."""

_HOLLOW: Final = HOLLOW | {"per"}

Segment = tuple[list[Fact], frozenset[str]]
"""The facts of a segment, with the stems of its other words."""


def segments(text: str, facts: Sequence[Fact], titles: Collection[str] = ()) -> list[Segment]:
    """Return the segments of a text that have facts; no title is cut apart."""
    return [
        (own, role_words(piece) - _stems(" ".join(str(one) for fact in own for one in fact)))
        for piece in pieces(text, titles)
        if (own := [fact for fact in facts if has(fact, piece)])
    ]


def pieces(text: str, titles: Collection[str] = ()) -> list[str]:
    """Return the segments of a text, or none if these are many."""
    inside = {
        place
        for title in titles
        if _BORDER.search(title)
        for found in re.finditer(re.escape(title), text)
        for place in range(*found.span())
    }
    cuts = [one.span() for one in _BORDER.finditer(text) if one.start() not in inside]
    ends, begins = [one for one, _ in cuts] + [len(text)], [0] + [one for _, one in cuts]
    found = [text[start:end].strip() for start, end in zip(begins, ends, strict=True)]
    found = [*filter(None, found)]
    return found if len(found) <= _MOST else []


def beside(fact: Fact, others: Iterable[Fact], known: Iterable[Segment]) -> frozenset[str]:
    """Return the words of the segments that have a fact, and none of the others."""
    others = [*others]
    own = (
        words for facts, words in known if fact in facts and not any(one in facts for one in others)
    )
    return frozenset().union(*own)


def alone(known: Iterable[Segment]) -> list[Segment]:
    """Return the segments that have one fact."""
    return [one for one in known if len(one[0]) == 1]


def role_words(text: str) -> frozenset[str]:
    """Return the stems of the words that may say what stands beside them, not of names."""
    return _stems(_NAMES.sub(" ", text))


def _stems(text: str) -> frozenset[str]:
    found = re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", normal_text(text))
    said = (one for one in found if len(one) >= _SHORTEST and one not in _HOLLOW)
    return frozenset(_FORM.sub("", stem(one)).removesuffix("i") for one in said)
