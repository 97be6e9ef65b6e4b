"""Normalises texts for comparison: case, curly quotes, dashes, digits, Markdown emphasis.

People type scenarios on a keyboard, but models answer with non-breaking hyphens, narrow spaces and
Markdown.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise
from typing import Final

WITHOUT_SPACES: Final = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f"  # Burmese
    "\u1780-\u17ff"  # Khmer
    "\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Chinese, Japanese
    "\u1100-\u11ff\uac00-\ud7af"  # Korean: particles follow a name without a space
)
"""Ranges of a character class: letters of scripts without spaces between words."""

_ALIKE: Final = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201b\u02bc", "'"),
        **dict.fromkeys("\u201c\u201d\u201f", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-"),
        **dict.fromkeys("\u00ad\u200b\u2060\ufeff", None),  # soft hyphens, joiners: invisible
    }
)
_EMPHASIS: Final = re.compile(r"(?<!\w)_+|_+(?!\w)")


@lru_cache(maxsize=4096)
def normal_text(text: str) -> str:
    """Return a text in NFKC with folded case and with plain quotes, hyphens and digits.

    Underscores at the edges of words, Markdown's emphasis, become spaces.
    """
    if text.isascii():
        return _EMPHASIS.sub(" ", text.casefold())
    folded = unicodedata.normalize("NFKC", _compatible(text).casefold())
    return _EMPHASIS.sub(" ", _with_plain_digits(folded))


@lru_cache(maxsize=4096)
def typewritten(text: str) -> str:
    """Return a text as :func:`normal_text` does, but with its case; asterisks become spaces."""
    return _EMPHASIS.sub(" ", re.sub("[*`]", " ", _with_plain_digits(_compatible(text))))


def _compatible(text: str) -> str:
    """Return the NFKC of a text, with a gap in ``10²``, which would become ``102``."""
    if text.isascii():
        return text
    with_gaps = "".join(
        f" {char}" if before.isdecimal() and unicodedata.category(char) == "No" else char
        for before, char in pairwise(f" {text}")
    )
    return unicodedata.normalize("NFKC", with_gaps.translate(_ALIKE))


def _with_plain_digits(text: str) -> str:
    if text.isascii():
        return text
    return "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in text)


def split(words: str) -> list[str]:
    """Return the words of a text."""
    return words.split()
