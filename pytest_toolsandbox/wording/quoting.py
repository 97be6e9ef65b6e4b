"""Compare a quotation with a text, whatever marks, case and accents stand between its words."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from typing import Any, Final

_WORD: Final = re.compile(r"[^\W_]+")
_LEFT_OUT: Final = re.compile(r"[\[(]?(?:\u2026|\.{3,})[\])]?")


def stands_in(quote: str, text: str) -> bool:
    """Return whether the words of a quotation follow one another in a text.

    ``a ... b`` is a quotation of two parts, which stand there in this order. In scripts that put no
    spaces between words each letter is a word. Characters that are not seen do not count.
    """
    parts = [words for part in _LEFT_OUT.split(quote) if (words := _words(part))]
    if not parts:
        sought = _visible(quote)
        return bool(sought) and sought in _visible(text)
    stated, place = f" {' '.join(_words(text))} ", 0
    for words in parts:
        sought = f" {' '.join(words)} "
        place = stated.find(sought, place)
        if place < 0:
            return False
        place += len(sought) - 1
    return True


def texts_in(arguments: str) -> Iterator[str]:
    """Yield the arguments of a call as they are written, and each value in them, at any depth."""
    yield arguments
    try:
        left: list[Any] = [json.loads(arguments)]
    except (ValueError, RecursionError):
        return
    while left:
        value = left.pop()
        if isinstance(value, (list, dict)):
            left += value.values() if isinstance(value, dict) else value
        else:
            yield str(value)


def _visible(text: str) -> str:
    """Return a text without format characters, such as those without a width."""
    shown = (letter for letter in text if unicodedata.category(letter) != "Cf")
    return " ".join("".join(shown).split())


def _words(text: str) -> list[str]:
    found = _WORD.findall(unicodedata.normalize("NFKC", _visible(text)).casefold())
    return [part for word in found for part in (word if _is_unspaced(word) else (word,))]


def _is_unspaced(word: str) -> bool:
    return any(unicodedata.category(letter) == "Lo" for letter in word)
