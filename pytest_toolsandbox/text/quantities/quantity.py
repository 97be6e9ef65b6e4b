"""Quantities, their meanings, and the rules that find them in a text."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from pytest_toolsandbox.text.late_pattern import late_pattern

Meaning = tuple[Hashable, ...]
"""A kind and canonical values, such as ``("time", 61200)``; equal quantities have equal ones."""

Match = re.Match[str]

BLANK: Final = "\ufffc"
"""Replaces the characters of a quantity that a rule has found: not a letter, digit or space."""


@dataclass(frozen=True)
class Quantity:
    """A part of a text that a paraphrase must keep: ``5 pm``, ``two``, ``Friday``.

    In an expected text, one of the meanings ``asked`` is required; if there is none, the quantity
    is optional. In a found text, it has all its ``meanings``.
    """

    written: str
    asked: frozenset[Meaning]
    meanings: frozenset[Meaning]


Quantities = Sequence[Quantity] | None
"""The quantities in a match; ``None`` if it means something else."""


@dataclass(frozen=True)
class Rule:
    """A pattern of quantities, and a function that reads a match.

    A text without a match of ``needs``, which is cheap to search, has no match of ``written``.
    """

    written: str
    read: Callable[[Match], Quantities]
    needs: str = ""


def quantity(written: str, asked: Iterable[Meaning] = (), also: Iterable[Meaning] = ()) -> Quantity:
    """Create a quantity from its ``asked`` meanings and further ones that it has when found."""
    meanings = frozenset(asked)
    return Quantity(" ".join(written.split()), meanings, meanings.union(also))


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Compile a verbose, case-insensitive pattern on first use, since some are long."""
    return late_pattern(pattern, re.VERBOSE | re.IGNORECASE)


def taken(rule: Rule, text: str) -> tuple[str, list[tuple[int, Quantity]]]:
    """Return the text with the rule's matches blanked out, and their quantities with places."""
    # The long patterns take most of the time, and few texts need them.
    if not compiled(rule.needs).search(text):
        return text, []
    placed: list[tuple[int, Quantity]] = []

    def read(match: Match) -> str:
        quantities = rule.read(match)
        if quantities is None:
            return match[0]
        placed.extend((match.start(), quantity) for quantity in quantities)
        # Same length, so that the places of later matches remain those of the text.
        return BLANK * len(match[0])

    return compiled(rule.written).sub(read, text), placed


def before(match: Match) -> str:
    """Return the text just before a match, two or three words."""
    # The patterns that search this text are anchored at its end, so a short slice suffices.
    return match.string[max(0, match.start() - 40) : match.start()]


def after(match: Match) -> str:
    """Return the text just after a match."""
    return match.string[match.end() : match.end() + 40]
