"""What is read of a text that is too long: an agent may write megabytes."""

from __future__ import annotations

import re
from typing import Final

MOST: Final = 20_000
"""Characters of a text that are read: some eight pages, which take all readers half a second."""
_HALF: Final = MOST // 2
_NEAR: Final = 1000
"""How many of them may be left out so that no sentence, or at least no word, is read in part."""
_EDGES: Final = (re.compile(r"[.!?…][\"')\]*_]*\s|[。\uff01\uff1f]|\n"), re.compile(r"\s"))


def in_part(text: str) -> str:
    """Return a text of at most ``MOST`` characters, else its beginning and its end.

    Both halves are cut at the end of a sentence, if there is one near.
    """
    if len(text) <= MOST:
        return text
    start = len(text) - _HALF
    stop, start = _edge(text, _HALF - _NEAR, _HALF, -1), _edge(text, start, start + _NEAR, 0)
    return f"{text[:stop]}\n\n{text[start:]}"


def _edge(text: str, begin: int, end: int, which: int) -> int:
    """Return the last edge (-1), or the first one (0), between two places of a text."""
    for edge in _EDGES:
        if found := [match.end() for match in edge.finditer(text, begin, end)]:
            return found[which]
    return (begin, end)[which]
