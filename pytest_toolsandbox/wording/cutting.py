"""How texts from outside are written: in one line, cut, without what a terminal obeys."""

from __future__ import annotations

from typing import Final

LONGEST: Final = 80
"""Characters of a value that a report or a message repeats."""


def one_line(text: str, limit: int = 200, mark: str = "…") -> str:
    r"""Return ``text`` in one line, cut as :func:`cut` does and escaped.

    Control characters, half characters (lone surrogates) and what else cannot be printed stand
    there as Python escapes them: ``\x1b``, ``\ud83d``.
    """
    line = " ".join(text.split())[: limit + 1]
    return cut(line if line.isprintable() else "".join(map(_escaped, line)), limit, mark)


def cut(text: str, limit: int = LONGEST, mark: str = "…") -> str:
    """Return at most ``limit`` characters of a text; ``mark`` stands where it was cut."""
    return text if len(text) <= limit else text[: limit - len(mark)] + mark


def escaped(text: str) -> str:
    """Escape what :func:`one_line` does in a text of several lines, which keeps its lines."""
    return "\n".join(
        line if line.isprintable() else "".join(map(_escaped, line)) for line in text.split("\n")
    )


def _escaped(char: str) -> str:
    return char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
