"""Token F1: how many words two texts share. It stands in where there is no embedder."""

from __future__ import annotations

import string
from collections import Counter
from typing import Final

_NO_PUNCTUATION: Final = str.maketrans("", "", string.punctuation)


def token_f1(one: str, other: str) -> float:
    """Return the F1 of the words of two texts, in [0, 1]; each counts as often as it occurs.

    Case and ASCII punctuation do not count: ``it's`` is the word ``its``. Two texts without words
    are alike, one with words and one without have nothing in common.
    """
    words, others = _words(one), _words(other)
    if not words and not others:
        return 1.0
    shared = sum((Counter(words) & Counter(others)).values())
    return 2 * shared / (len(words) + len(others))


def _words(text: str) -> list[str]:
    return text.casefold().translate(_NO_PUNCTUATION).split()
