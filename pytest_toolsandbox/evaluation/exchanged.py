"""Facts of a text that have changed places: each stands where a right text has the other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Final

from pytest_toolsandbox.matchers.normal_text import normal_text
from pytest_toolsandbox.matchers.statements.stems import HOLLOW, stem

from .other_answers import Fact, has

_SEGMENT: Final = re.compile(
    r"[\n;|]+|,(?!\d)|[.!?](?=\s|$)"
    r"|\b(?:and|while|whereas|but|versus|vs|against|with|after|before|by whom|for whom)\b",
    re.IGNORECASE,
)
_MOST: Final = 40
"""Of a text of more segments nobody asks which fact stands where."""
_SHORTEST: Final = 3
"""Letters of a word that says what a fact is."""

Segment = tuple[list[Fact], frozenset[str]]
"""The facts of a segment, with the stems of its other words."""


def exchanged(text: str, rights: Iterable[str], facts: Sequence[Fact]) -> Iterator[str]:
    """Yield two facts of a text, each of which is told what the right texts tell of the other.

    Only what is plain counts: they stand in different segments, each with words that right texts
    have beside the other one alone, and with none that they have beside itself.
    """
    told = _segments(text, facts)
    named = [one for one in facts if any(one in own for own, _ in told)]
    if len(named) < 2:  # noqa: PLR2004  # two change places
        return
    known = [segment for right in rights for segment in _segments(right, facts)]
    for one, other in combinations(named, 2):
        own, others = _beside(one, other, known), _beside(other, one, known)
        of_one, of_other = _beside(one, other, told), _beside(other, one, told)
        is_one = bool(of_one & (others - own)) and not of_one & (own - others)
        is_other = bool(of_other & (own - others)) and not of_other & (others - own)
        if is_one and is_other:
            yield f"{one[0]} in the place of {other[0]}"


def _beside(fact: Fact, other: Fact, segments: Iterable[Segment]) -> frozenset[str]:
    """Return the words of the segments that have a fact, and not the other one."""
    own = (words for facts, words in segments if fact in facts and other not in facts)
    return frozenset().union(*own)


def _segments(text: str, facts: Sequence[Fact]) -> list[Segment]:
    pieces = [one for one in _SEGMENT.split(text) if one and one.strip()]
    return [
        (own, _words(piece) - _words(" ".join(str(one) for fact in own for one in fact)))
        for piece in (pieces if len(pieces) <= _MOST else ())
        if (own := [fact for fact in facts if has(fact, piece)])
    ]


def _words(text: str) -> frozenset[str]:
    found = re.findall(r"[^\W\d_]+", normal_text(text))
    return frozenset(stem(one) for one in found if len(one) >= _SHORTEST and one not in HOLLOW)
