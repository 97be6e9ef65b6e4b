"""Where words and numbers stand in a text, and which of them it puts together."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, product
from typing import Final

from .mentions import Item, is_mentioned

Choice = tuple[Item, ...]
"""Alternatives, one of which is looked for."""
Bound = tuple[int, int]
"""The numbers of a name and of a value that stand together."""

_WORD: Final = re.compile(
    r"(?: [^\s;|()\[\]{}\"=:\u2013\u2014] | (?<=[\d/]): | :(?=/) )+", re.VERBOSE
)
_CUTS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"\n",
        r"[.!?;]\s|;",
        r",\s|\s-+\s|[()\u2013\u2014]|\b(?:and|while|whereas|but|plus)\b",
    )
)
"""What parts a text into smaller and smaller pieces."""


@dataclass(frozen=True)
class Token:
    """A name or a value, by its number, at a place of a text."""

    place: int
    is_value: bool
    which: int


def has(choice: Choice, text: str) -> bool:
    """Whether a text has one of the alternatives."""
    return any(is_mentioned(one, text) for one in choice)


def places(choice: Choice, text: str) -> Iterator[int]:
    """Yield where each mention begins, in its order."""
    words = [match.span() for match in _WORD.finditer(text)]
    while words:
        begin = words[0][0]
        ends = [end for _, end in words]
        at = bisect_left(ends, x=True, key=lambda end: has(choice, text[begin:end]))
        if at == len(words):
            return
        starts = (start for start, _ in words[at::-1])
        yield next(start for start in starts if has(choice, text[start : ends[at]]))
        del words[: at + 1]


def bound(names: Sequence[Choice], values: Sequence[Choice], text: str) -> Collection[Bound]:
    """Return which names and values a text puts together: in a line, in turns, or row by row."""
    tokens = [
        Token(place, is_value, which)
        for is_value, choices in ((False, names), (True, values))
        for which, choice in enumerate(choices)
        for place in places(choice, text)
    ]
    ordered = sorted(tokens, key=lambda one: (one.place, one.is_value))
    return frozenset(_bound([one for one, _ in groupby(ordered)], text, _CUTS))


def _bound(tokens: Sequence[Token], text: str, cuts: Sequence[re.Pattern[str]]) -> Iterator[Bound]:
    names = _once(one for one in tokens if not one.is_value)
    values = _once(one for one in tokens if one.is_value)
    if not names or not values:
        return
    told = [which for which, _ in groupby(tokens, lambda one: (one.is_value, one.which))]
    kinds = [is_value for is_value, _ in told]
    if len(set(names)) == 1 or not cuts:
        yield from product(set(names), set(values))
    elif len(told) % 2 == 0 and kinds == [kinds[0], not kinds[0]] * (len(told) // 2):
        for (is_value, one), (_, other) in zip(told[::2], told[1::2], strict=True):
            yield (other, one) if is_value else (one, other)
    elif len(names) == len(values) and kinds in (sorted(kinds), sorted(kinds, reverse=True)):
        yield from zip(names, values, strict=True)
    else:
        ends = [match.start() for match in cuts[0].finditer(text)]
        for _, piece in groupby(tokens, lambda one: bisect_left(ends, one.place + 1)):
            yield from _bound(list(piece), text, cuts[1:])


def _once(tokens: Iterator[Token]) -> list[int]:
    return [which for which, _ in groupby(one.which for one in tokens)]
