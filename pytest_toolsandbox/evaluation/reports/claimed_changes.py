"""Changes that a report tells the other way round: ``the old number, +1 510 …``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import Final

from pytest_toolsandbox.matchers.statements.clauses import NEGATION, clauses
from pytest_toolsandbox.matchers.statements.stems import HOLLOW, stem

from .effects import TAIL, Effects

_NUMBER: Final = re.compile(r"\+?\(?\d[\d ()./-]{2,30}\d")
_FEWEST: Final = 4
"""Digits of a number by which it may be told apart."""
_NOW: Final = re.compile(r"\bnow\b(?! on\b)(?P<after>.*)")
_LEFT: Final = re.compile(r"\b(?:out of|off|rid of|instead of|rather than)\b")
_FORMER: Final = r"(?:old|former|previous|outdated|abandoned)"
_IS: Final = r"(?:(?:number|one|phone|is|was|now|:|,|\() )*"
_UP_TO: Final = r"(?:(?!qold\b)\S+ )"
_EXCHANGED: Final = re.compile(
    "|".join(
        (
            rf"\b{_FORMER} {_IS}qnew\b",
            rf"\bnew {_IS}qold\b",
            r"\bfrom qnew to qold\b",
            (
                r"\bqnew(?: [,)])? (?:(?:has|have) been|was|is) (?:now )?"
                r"(?:gone|deleted|removed|replaced|swapped)\b"
            ),
            (
                rf"\b(?:replaced|swapped|changed) {_UP_TO}{{0,8}}qnew"
                rf" {_UP_TO}{{0,6}}(?:by|with|for|to) {_UP_TO}{{0,6}}qold\b"
            ),
            r"\bnow (?:(?!qnew\b|not\b|of\b|was\b|than\b)\w+ ){0,3}qold\b|\bqold now\b",
            r"\bqold (?:instead of|rather than|and not|not)(?: \w+){0,3} qnew\b",
        )
    )
)


def exchanged_numbers(text: str, done: Effects) -> Iterator[str]:
    """Yield the clauses that take the number that somebody had for the one that they have now."""
    changed = [*_changed(done)]
    for clause in clauses(text) if changed else ():
        said = _NUMBER.sub(lambda match: f" {_named(match[0], changed)} ", clause.text)
        found = _EXCHANGED.search(" ".join(said.split())) if clause.is_stated else None
        if found and not (clause.is_negated or NEGATION.search(found.string[: found.start()])):
            yield clause.text


def other_values(text: str, done: Effects) -> Iterator[str]:
    """Yield the clauses that tell as what something is called now what it was called before.

    ``She was saved as Yasmin, now she is Jasmin``, where it was the other way round.
    """
    marks = [(_marks(old), _marks(new)) for old, new in _values(done)]
    changed = [(old - new, new - old) for old, new in marks if old - new and new - old]
    for clause in clauses(text) if changed else ():
        now = _NOW.search(clause.text)
        if now and clause.is_stated and not (clause.has_negation() or _LEFT.search(now["after"])):
            said = _marks(clause.text)
            is_now = _marks(now["after"]) or said
            if any(old <= is_now and not new & said for old, new in changed):
                yield clause.text


def _marks(text: str) -> frozenset[str]:
    """Return the stems of the words of a text that say something."""
    found = re.findall(r"[^\W\d_]{3,}", text.casefold())
    return frozenset(stem(one) for one in found if one not in HOLLOW)


def _changed(done: Effects) -> Iterator[tuple[str, str]]:
    """Yield the digits of numbers to call before and after a change."""
    for old, new in _values(done):
        before, after = _digits(old), _digits(new)
        if before != after and min(len(before), len(after)) >= TAIL:
            yield before, after


def _values(done: Effects) -> Iterator[tuple[str, str]]:
    """Yield what rows had in columns of text before and after a change."""
    for rows in chain(*(one.values() for one in done.changes)):
        for old, new in zip(rows["removed"], rows["added"], strict=False):
            for column in old.keys() & new.keys():
                if isinstance(old[column], str) and isinstance(new[column], str):
                    yield old[column], new[column]


def _named(number: str, changed: list[tuple[str, str]]) -> str:
    digits = _digits(number)
    tail = digits[-TAIL:]
    for before, after in changed if len(digits) >= _FEWEST else ():
        is_old, is_new = before.endswith(tail), after.endswith(tail)
        if is_old != is_new:
            return "qold" if is_old else "qnew"
    return number


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text)
