"""What a detail is, and how rules take details out of a text."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

Meaning = tuple[Hashable, ...]
"""A kind and canonical values, such as ``("time", 61200)``: equal ones mean the same."""

TAKEN: Final = "\ufffc"
"""What stands in a text in place of a detail that was taken out: no letter, digit or space."""


@dataclass(frozen=True)
class Detail:
    """Something in a text that says the same only if it is kept: ``5 pm``, ``two``, ``Friday``.

    Where it is expected, one of the meanings ``asked`` must be found; with none of them it may be
    left out. Where it is found, it stands for all the meanings ``given``.
    """

    written: str
    asked: frozenset[Meaning]
    given: frozenset[Meaning]


@dataclass(frozen=True)
class Rule:
    """How details of one kind are written.

    ``read`` makes details of a match; ``None`` says that it means something else.
    """

    pattern: re.Pattern[str]
    read: Callable[[re.Match[str]], Sequence[Detail] | None]


def detail(written: str, asked: Iterable[Meaning], also: Iterable[Meaning] = ()) -> Detail:
    """Return a detail that stands for what is ``asked``, and for some meanings besides."""
    meanings = frozenset(asked)
    return Detail(" ".join(written.split()), meanings, meanings.union(also))


def unasked(written: str, given: Iterable[Meaning]) -> Detail:
    """Return a detail that counts where it is found, and is never expected."""
    return detail(written, (), given)


def compiled(pattern: str) -> re.Pattern[str]:
    """Return a verbose pattern in which case does not count."""
    return re.compile(pattern, re.VERBOSE | re.IGNORECASE)


def rule(pattern: str, read: Callable[[re.Match[str]], Sequence[Detail] | None]) -> Rule:
    """Return a rule with a verbose pattern in which case does not count."""
    return Rule(compiled(pattern), read)


def taken(rule: Rule, text: str) -> tuple[str, list[tuple[int, Detail]]]:
    """Take out of a text what a rule can read; return the rest, and the details with places."""
    found: list[tuple[int, Detail]] = []

    def read(match: re.Match[str]) -> str:
        details = rule.read(match)
        if details is None:
            return match[0]
        found.extend((match.start(), one) for one in details)
        return TAKEN * len(match[0])

    return rule.pattern.sub(read, text), found


def before(match: re.Match[str]) -> str:
    """Return what stands just before a match: enough for two or three words."""
    return match.string[max(0, match.start() - 40) : match.start()]


def after(match: re.Match[str]) -> str:
    """Return what stands just after a match."""
    return match.string[match.end() : match.end() + 40]
