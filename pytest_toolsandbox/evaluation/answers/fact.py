"""What was asked for, and whether a text has it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pytest_toolsandbox.matchers.mentions import Item, is_mentioned

Fact = tuple[Item, ...]
"""What was asked for, in its alternatives."""


def has(fact: Fact, text: str) -> bool:
    """Whether a text mentions a fact, in one of its alternatives."""
    return any(is_mentioned(one, text) for one in fact)


def has_any(facts: Iterable[Fact], text: str) -> bool:
    """Whether a text mentions one of the facts."""
    return any(has(fact, text) for fact in facts)


def is_whole(name: str, text: str) -> bool:
    """Whether a text has a name, and not as part of a word."""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def plain(piece: str) -> str:
    """Return a piece of a text without what is around it: spaces, a full stop, Markdown."""
    return " ".join(piece.split()).strip(" .*")
