"""How texts from outside are written: in one line, cut, without what a terminal obeys."""

from __future__ import annotations

import re
from typing import Final

VALUE_LIMIT: Final = 80
"""Characters of a value that a report or a message repeats."""

_CONTROL: Final = re.compile(
    "\x1b(?!\\[[0-9;]*m)|[\0-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def one_line(text: str, limit: int = 200, mark: str = "…") -> str:
    r"""Return ``text`` in one line, cut as :func:`cut` does and escaped.

    Control characters, half characters (lone surrogates) and what else cannot be printed stand
    there as Python escapes them: ``\x1b``, ``\ud83d``.
    """
    line = " ".join(text.split())[: limit + 1]
    return cut(line if line.isprintable() else "".join(map(_escaped, line)), limit, mark)


def cut(text: str, limit: int = VALUE_LIMIT, mark: str = "…") -> str:
    """Return at most ``limit`` characters of a text; ``mark`` stands where it was cut."""
    return text if len(text) <= limit else text[: limit - len(mark)] + mark


def escaped(text: str) -> str:
    """Escape control and half characters, but no line ends, tabs and colours."""
    return _CONTROL.sub(lambda found: _escaped(found[0]), text)


def _escaped(char: str) -> str:
    return char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
