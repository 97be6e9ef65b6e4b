"""What a text tells of a fact that is the opposite of what was asked: youngest for oldest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from .fact import Fact, has_any
from .segments import pieces

_PAIRS: Final = (
    ("most", "least fewest"),
    ("more", "less fewer"),
    ("apart difference", "together altogether"),
    ("oldest", "youngest"),
    ("longest", "shortest briefest"),
    ("largest biggest", "smallest tiniest"),
    ("highest", "lowest"),
    ("earliest", "latest"),
    ("heaviest", "lightest"),
    ("fastest quickest", "slowest"),
    ("best", "worst"),
    ("cheapest", "dearest"),
    ("nearest closest", "farthest furthest"),
    ("westernmost", "easternmost"),
    ("northernmost", "southernmost"),
    ("independent", "dependent"),
    ("rejected dismissed unsuccessful failed", "succeeded successful upheld"),
)
_OPPOSITES: Final = {
    word: (frozenset(own.split()), frozenset(other.split()))
    for pair in _PAIRS
    for own, other in (pair, pair[::-1])
    for word in own.split()
}

_NAME: Final = re.compile(r"(?<=[a-z] )[A-Z][\w-]+(?: (?:[A-Z][\w-]+|\d+))*")


def opposites(
    text: str, question: str, rights: Iterable[str], facts: Sequence[Fact]
) -> Iterator[str]:
    """Yield words beside a fact whose opposite question or right texts have.

    A text that has the asked word as well tells of both, and which is which is not asked here; nor
    where it compares with the name that the question has first: ``B is 5 less than A``.
    """
    known = _words("\n".join((question, *rights)))
    said, first = _words(text), _NAME.search(question)
    for piece in pieces(text) if any(one in _OPPOSITES for one in said) else ():
        if has_any(facts, piece):
            for word in sorted(_words(piece) & _OPPOSITES.keys()):
                own, others = _OPPOSITES[word]
                is_asked = known & others and not known & own and not said & others
                if is_asked and not (first and f"than {first[0]}" in piece):
                    yield word


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W\d_]+", text.casefold()))
