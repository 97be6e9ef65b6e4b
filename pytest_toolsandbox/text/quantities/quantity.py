"""What a quantity is, and how rules take quantities out of a text."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

Meaning = tuple[Hashable, ...]
"""A kind and canonical values, such as ``("time", 61200)``: equal ones mean the same."""

Match = re.Match[str]

BLANK: Final = "\ufffc"
"""What stands in a text in place of a quantity that was taken out: no letter, digit or space."""


@dataclass(frozen=True)
class Quantity:
    """Something in a text that says the same only if it is kept: ``5 pm``, ``two``, ``Friday``.

    Where it is expected, one of the meanings ``asked`` must be found; without any it may be left
    out. Where it is found, it stands for all the meanings ``given``.
    """

    written: str
    asked: frozenset[Meaning]
    given: frozenset[Meaning]


Found = Sequence[Quantity] | None
"""The quantities that a match is; ``None`` says that it means something else."""


@dataclass(frozen=True)
class Rule:
    """How quantities of one kind are written, and what is read of a match.

    A text in which ``needs`` finds nothing has no match: one cheap look in place of a dear one.
    """

    written: str
    read: Callable[[Match], Found]
    needs: str = ""


def quantity(written: str, asked: Iterable[Meaning] = (), also: Iterable[Meaning] = ()) -> Quantity:
    """Return a quantity that stands for what is ``asked``, if it is, and for meanings besides."""
    meanings = frozenset(asked)
    return Quantity(" ".join(written.split()), meanings, meanings.union(also))


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Return a verbose pattern in which case does not count.

    Those with words for numbers are long, and are compiled when a text first needs them.
    """
    return re.compile(pattern, re.VERBOSE | re.IGNORECASE)


def taken(rule: Rule, text: str) -> tuple[str, list[tuple[int, Quantity]]]:
    """Take out of a text what a rule can read; return the rest, and what was there, with places."""
    if not compiled(rule.needs).search(text):
        return text, []
    found: list[tuple[int, Quantity]] = []

    def read(match: Match) -> str:
        quantities = rule.read(match)
        if quantities is None:
            return match[0]
        found.extend((match.start(), one) for one in quantities)
        return BLANK * len(match[0])

    return compiled(rule.written).sub(read, text), found


def before(match: Match) -> str:
    """Return what stands just before a match: enough for two or three words."""
    return match.string[max(0, match.start() - 40) : match.start()]


def after(match: Match) -> str:
    """Return what stands just after a match."""
    return match.string[match.end() : match.end() + 40]
