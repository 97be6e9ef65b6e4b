"""Whether quoted words stand in a text, whatever marks, case and accents stand between them."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from typing import Any, Final

_WORD: Final = re.compile(r"[^\W_]+")


def stands_in(quote: str, text: str) -> bool:
    """Whether the words of a quotation follow one another in a text; ``+1`` and signs as they are.

    In scripts that put no spaces between words each letter is one.
    """
    words = _words(quote)
    if not words:
        return bool(quote.strip()) and quote.strip() in text
    return f" {' '.join(words)} " in f" {' '.join(_words(text))} "


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


def _words(text: str) -> list[str]:
    found = _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
    return [part for word in found for part in (word if _is_unspaced(word) else (word,))]


def _is_unspaced(word: str) -> bool:
    return any(unicodedata.category(letter) == "Lo" for letter in word)
