"""Where lines may break in names, values and commands of the HTML report.

A short word stays whole. A longer one may break where the words of a name end, and only a part that
is longer than a line of a phone may break anywhere. An option of a command stays whole.
"""

from __future__ import annotations

import re
from typing import Any, Final

from markupsafe import Markup, escape

_SHORT: Final = 14
"""Characters of a word that never breaks."""
_LONGEST: Final = 28
"""Characters of a part for which each column of a table has room."""
_LONGEST_OPTION: Final = 40
_WORD: Final = re.compile(r"\S+")
_WORD_END: Final = re.compile(
    r"(?<=[_/.])(?=[^\W\d_])|(?<=::)|(?<=\w[(,])(?=[^\W\d])|(?<=\w)(?=\[)"
)
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d")
_OPTION: Final = re.compile(r"(--?[a-z][\w-]*=?)(.*)", re.DOTALL)


def with_breaks(text: str) -> Markup:
    """Return a text as HTML of which a line breaks only at spaces and where words of names end."""
    parts: list[Any] = []
    end = 0
    for match in _WORD.finditer(text):
        parts += [text[end : match.start()], _word(match[0])]
        end = match.end()
    return Markup("").join([*parts, text[end:]])


def _word(word: str) -> Markup:
    if (option := _OPTION.fullmatch(word)) is not None:
        if len(word) <= _LONGEST_OPTION:
            return _whole(word)
        return _whole(option[1]) + _broken(option[2])
    return _broken(word)


def _broken(word: str) -> Markup:
    if _DATE.search(word) and len(word) <= _LONGEST:
        return _whole(word)
    if len(word) <= _SHORT:
        return escape(word)
    return Markup("<wbr>").join(map(_part, _WORD_END.split(word)))


def _part(part: str) -> Markup:
    is_long = max(map(len, part.split("-"))) > _LONGEST  # lines break after hyphens, too
    return Markup('<span class="any">{}</span>').format(part) if is_long else escape(part)


def _whole(word: str) -> Markup:
    return Markup('<span class="whole">{}</span>').format(word)
