"""Splits and joins command lines as the shells of the system do: POSIX, or Windows."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable
from typing import Final

WINDOWS: Final = os.name == "nt"
_PLAIN: Final = re.compile(r"[\w@+=:,./\\~\[\]-]+")
"""What neither ``cmd.exe`` nor PowerShell changes in a word."""


def split_command(text: str, *, windows: bool = WINDOWS) -> list[str]:
    """Return the words of a command line. Raises ``ValueError`` for a quote that is not closed.

    On Windows, backslashes are those of paths, and only double quotes hold words together.
    """
    if not windows:
        return shlex.split(text)
    lexer = shlex.shlex(text, posix=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    lexer.escape, lexer.quotes = "", '"'
    return list(lexer)


def join_command(words: Iterable[str], *, windows: bool = WINDOWS) -> str:
    """Return a command line that a shell splits into these words."""
    return " ".join(map(_windows_word, words)) if windows else shlex.join(list(words))


def _windows_word(word: str) -> str:
    if _PLAIN.fullmatch(word):
        return word
    # Backslashes are literal, except before a quote.
    escaped = re.sub(r"(\\+)$", r"\1\1", re.sub(r'(\\*)"', r'\1\1\\"', word))
    return f'"{escaped}"'
