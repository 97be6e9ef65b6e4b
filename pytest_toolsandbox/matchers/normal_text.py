"""Texts without the differences that nobody means: case, curly quotes, kinds of dashes, emphasis.

People write scenarios on a keyboard; models answer in typeset text, with non-breaking hyphens,
narrow spaces and Markdown.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise
from typing import Final

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
    """Return a text as it is compared: case folded, NFKC, plain quotes, hyphens and digits.

    Underscores at the edges of words are Markdown's emphasis and become spaces; those inside of
    words stay.
    """
    folded = text.casefold() if text.isascii() else _unified(text)
    return _EMPHASIS.sub(" ", folded)


@lru_cache(maxsize=4096)
def typewritten(text: str) -> str:
    """Return a text as :func:`normal_text` does, with its case; asterisks become spaces too."""
    compatible = unicodedata.normalize("NFKC", _with_gaps(text).translate(_ALIKE))
    plain = "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in compatible)
    return _EMPHASIS.sub(" ", re.sub("[*`]", " ", plain))


def _unified(text: str) -> str:
    compatible = unicodedata.normalize("NFKC", _with_gaps(text).translate(_ALIKE))
    folded = unicodedata.normalize("NFKC", compatible.casefold())
    return "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in folded)


def _with_gaps(text: str) -> str:
    """Keep digits apart from what would become digits: in 10² there is no 102."""
    return "".join(
        f" {char}" if before.isdecimal() and unicodedata.category(char) == "No" else char
        for before, char in pairwise(f" {text}")
    )
