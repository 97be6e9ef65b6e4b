"""Words that become pytest marks: categories, tags, and marks with arguments."""

from __future__ import annotations

import re
from typing import Any

from pytest_toolsandbox.language.mistakes import Mistakes, Path
from pytest_toolsandbox.language.scenario import Mark
from pytest_toolsandbox.wording.phrases import quoted

WORD = re.compile(r"[^\W\d_]\w*")
OPERATORS = ("and", "or", "not", "True", "False", "None")
"""What has a meaning of its own in ``pytest -m``."""


def read_words(words: list[str], path: Path, mistakes: Mistakes) -> tuple[str, ...]:
    """Return categories or tags."""
    seen: set[str] = set()
    for index, word in enumerate(words):
        here = (*path, index)
        if _is_word(word, here, mistakes) and word in seen:
            mistakes.add(here, f"{word!r} stands here twice")
        seen.add(word)
    return tuple(dict.fromkeys(words))


def read_marks(marks: list[Any], mistakes: Mistakes) -> tuple[Mark, ...]:
    """Return the marks, each written as its name, or as its name with its arguments."""
    return mistakes.each(marks, ("marks",), lambda mark, path: _mark(mark, path, mistakes))


def _mark(mark: Any, path: Path, mistakes: Mistakes) -> Mark | None:
    named = {mark: None} if isinstance(mark, str) else mark
    if not isinstance(named, dict) or len(named) != 1:
        mistakes.expected(path, "a mark, or a mark with its arguments;", mark)
        return None
    ((name, arguments),) = named.items()
    if not _is_word(name, path, mistakes):
        return None
    if isinstance(arguments, dict):
        return Mark(name, (), arguments)
    several = arguments if isinstance(arguments, list) else [arguments]
    return Mark(name) if arguments is None else Mark(name, tuple(several))


def _is_word(word: str, path: Path, mistakes: Mistakes) -> bool:
    if not WORD.fullmatch(word):
        takes = "a letter, then letters, digits and '_'"
        mistakes.add(path, f"{quoted(word)} is no name for a mark; it takes {takes}")
    elif word in OPERATORS:
        mistakes.add(path, f"{word!r} means something else in pytest -m; take another word")
    else:
        return True
    return False
