"""``mentions``, ``pairs`` and ``in_order``: words and numbers in a text.

``mentions`` requires words and numbers, ``pairs`` that a text assigns values to the right names,
and ``in_order`` that words and numbers occur in an order.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache, partial
from itertools import groupby, product
from typing import Any, ClassVar, Final, Self, TypeVar

from pytest_toolsandbox.text.amounts import amounts_in
from pytest_toolsandbox.text.formatting import (
    beginning_and_end,
    describe_value,
    format_value,
    with_threshold,
)
from pytest_toolsandbox.text.normal_text import WITHOUT_SPACES, normal_text
from pytest_toolsandbox.text.numerals import (
    exact_number,
    is_number,
    number_as_text,
    numbers_in,
    with_thousands,
)

from . import arguments
from .registry import Matcher, MatcherMistake, Reading, below, matcher

T = TypeVar("T")
Item = str | int | float
"""A word, consecutive words, or a number."""

_ITEM: Final = {"type": ["string", "number"]}
_CHOICE: Final = {"type": "array", "items": _ITEM, "minItems": 1}
CHOICE: Final = {"anyOf": [_ITEM, _CHOICE]}
_ITEMS: Final = {"type": "array", "items": CHOICE, "minItems": 1}
WORDS: Final = {"anyOf": [_ITEM, _ITEMS]}

_NO_GAP_NEEDED: Final = re.compile(f"[{WITHOUT_SPACES}]")
_INSIDE_NUMBER: Final = re.compile(r"[0-9][.,:][0-9]")
_ESCAPE: Final = re.compile(r"\\(?=[_*])")
"""Markdown's escapes of emphasis."""

_NEGATED: Final = re.compile(r"(?<=\w)'t(?!\w)")
_OF_CLOCK: Final = re.compile(r"(?<=[0-9]:[0-9]{2})(?:[ap]\.?m|h)\b")


@matcher("mentions")
@dataclass(frozen=True)
class Mentions(Matcher):
    """A text that contains these whole words and numbers, in any case.

    Each item is met by one of its alternatives; the similarity is the share of met items.
    """

    argument_schema: ClassVar[Mapping[str, Any]] = arguments.graded_schema("words", WORDS)

    items: tuple[tuple[Item, ...], ...]
    threshold: float = 1.0

    @classmethod
    def read(cls, argument: Any, reading: Reading) -> Self:
        default = reading.threshold_of(cls.name, cls.threshold)
        return cls(*arguments.graded(argument, "words", default, read_items))

    @property
    def facts(self) -> tuple[tuple[Item, ...], ...]:
        return self.items

    def similarity(self, value: Any) -> float:
        return (len(self.items) - len(self._missing(value))) / len(self.items)

    def describe(self) -> str:
        """Write it as ``mentions Ada, sent | texted``."""
        items = ", ".join(map(described, self.items))
        return with_threshold(f"mentions {items}", self.threshold, type(self).threshold)

    def explain(self, value: Any) -> str | None:
        missing = self._missing(value)
        return f"missing: {', '.join(map(described, missing))}" if missing else None

    def _missing(self, value: Any) -> list[tuple[Item, ...]]:
        text = _as_text(value)
        if text is None:
            return list(self.items)
        return [item for item in self.items if not has(item, text)]


@lru_cache(maxsize=16384, typed=True)  # snapshots repeat earlier messages
def is_mentioned(item: Item, text: str) -> bool:
    """Whether a text contains a whole word or number; dates and times count in any notation."""
    number = number_as_text(item) if isinstance(item, str) else exact_number(item)
    if number is not None:
        joined = with_thousands(text, (number,))
        return number in numbers_in(joined) or number in amounts_in(joined)
    normal = _without_escapes(text)
    for start, end in _places(str(item), normal):
        if not (_goes_on(normal, start) or _goes_on(normal, end)):
            return True
    from pytest_toolsandbox.text.quantities import has_moment  # slow import

    return has_moment(str(item), text)


@lru_cache(maxsize=4096)
def _without_escapes(text: str) -> str:
    return normal_text(_ESCAPE.sub("", text))


@lru_cache(maxsize=4096)
def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(r"[\s*]+".join(map(re.escape, normal_text(words).split())))


def _places(words: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield the places of words in a text; they may overlap, and contain emphasis."""
    pattern, start = _pattern(words), 0
    while match := pattern.search(text, start):
        yield match.span()
        start = match.start() + 1


def _goes_on(text: str, at: int) -> bool:
    """Whether a place is inside a word or number."""
    if at in (0, len(text)) or _OF_CLOCK.match(text, at):
        return False
    if _is_in_word(text[at - 1]) and _is_in_word(text[at]):
        return True
    windows = (text[max(at - 2, 0) : at + 1], text[at - 1 : at + 2])
    return any(map(_INSIDE_NUMBER.fullmatch, windows)) or bool(_NEGATED.match(text, at))


def _is_in_word(char: str) -> bool:
    """Whether a character is part of a word."""
    if _NO_GAP_NEEDED.match(char):
        return False
    return char.isalnum() or char == "_" or unicodedata.category(char).startswith("M")


def _as_text(value: Any) -> str | None:
    if is_number(value):
        return format(Decimal(repr(value)), "f")  # never 1e+22
    return beginning_and_end(value) if isinstance(value, str) else None


def _each(read: Callable[..., T], argument: Any, *path: str | int) -> tuple[T, ...]:
    """Read each item of a list, or a value as the only one."""
    if not isinstance(argument, (list, tuple)):
        return (read(argument, *path),)
    items = arguments.items(argument, "words and numbers", *path)
    return tuple(read(item, *path, index) for index, item in enumerate(items))


def _item(argument: Any, *path: str | int) -> Item:
    if is_number(argument):
        return arguments.finite_number(argument, *path)
    if isinstance(argument, str) and normal_text(argument).split():
        return argument
    what = "an empty text" if isinstance(argument, str) else describe_value(argument)
    raise MatcherMistake(f"expected a word or a number, found {what}", path)


_read_choice = partial(_each, _item)
read_items = partial(_each, _read_choice)


def described(item: tuple[Item, ...]) -> str:
    """Format the alternatives of an item as ``sent | texted``."""
    return " | ".join(map(_shown, item))


def _shown(item: Item) -> str:
    plain = isinstance(item, str) and item.isprintable() and not re.search(r"[,|;]|^\s|\s$", item)
    return str(item) if plain else format_value(item)


Choice = tuple[Item, ...]
"""Alternatives, of which one is enough."""
Bound = tuple[int, int]
"""The indices of a name and of its value."""

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
"""Separators of smaller and smaller pieces of a text."""


@dataclass(frozen=True)
class _Token:
    """An occurrence of a name or a value; ``which`` is its index."""

    place: int
    is_value: bool
    which: int


def has(choice: Choice, text: str) -> bool:
    """Whether a text contains one of the alternatives."""
    return any(is_mentioned(item, text) for item in choice)


def places(choice: Choice, text: str) -> Iterator[int]:
    """Yield the places where mentions begin, in order."""
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
    """Return which names and values belong together: in a piece, alternating, or in parallel."""
    tokens = [
        _Token(place, is_value, which)
        for is_value, choices in ((False, names), (True, values))
        for which, choice in enumerate(choices)
        for place in places(choice, text)
    ]
    ordered = sorted(tokens, key=lambda token: (token.place, token.is_value))
    return frozenset(_bound([token for token, _ in groupby(ordered)], text, _CUTS))


def _bound(tokens: Sequence[_Token], text: str, cuts: Sequence[re.Pattern[str]]) -> Iterator[Bound]:
    names = _distinct(token for token in tokens if not token.is_value)
    values = _distinct(token for token in tokens if token.is_value)
    if not names or not values:
        return
    runs = [run for run, _ in groupby(tokens, lambda token: (token.is_value, token.which))]
    kinds = [is_value for is_value, _ in runs]
    if len(set(names)) == 1 or not cuts:
        yield from product(set(names), set(values))
    elif len(runs) % 2 == 0 and kinds == [kinds[0], not kinds[0]] * (len(runs) // 2):
        for (is_value, first), (_, second) in zip(runs[::2], runs[1::2], strict=True):
            yield (second, first) if is_value else (first, second)
    elif len(names) == len(values) and kinds in (sorted(kinds), sorted(kinds, reverse=True)):
        yield from zip(names, values, strict=True)
    else:
        ends = [match.start() for match in cuts[0].finditer(text)]
        for _, piece in groupby(tokens, lambda token: bisect_left(ends, token.place + 1)):
            yield from _bound(list(piece), text, cuts[1:])


def _distinct(tokens: Iterator[_Token]) -> list[int]:
    """Return the indices of tokens without immediate repetitions."""
    return [which for which, _ in groupby(token.which for token in tokens)]


_PAIR: Final = {"type": "array", "items": CHOICE, "minItems": 2, "maxItems": 2}
_ENOUGH: Final = 2


@matcher("pairs")
@dataclass(frozen=True)
class Pairs(Matcher):
    """A text that assigns these names their own values, and none of the others' values."""

    argument_schema: ClassVar[Mapping[str, Any]] = {
        "anyOf": [
            {"type": "object", "additionalProperties": CHOICE, "minProperties": 1},
            {"type": "array", "items": _PAIR, "minItems": 1},
        ]
    }

    pairs: tuple[tuple[Choice, Choice], ...]

    @classmethod
    def read(cls, argument: Any, _: Reading) -> Self:
        if isinstance(argument, Mapping) and argument:
            return cls(tuple(((name,), _read_choice(argument[name], name)) for name in argument))
        items = arguments.items(argument, "pairs of a name and its value")
        return cls(tuple(_pair(item, place) for place, item in enumerate(items)))

    @property
    def facts(self) -> tuple[Choice, ...]:
        return tuple(choice for pair in self.pairs for choice in pair)

    def similarity(self, value: Any) -> float:
        return float(self.explain(value) is None)

    def describe(self) -> str:
        """Write it as ``pairs nadir: 5400, forward: 5320``."""
        return f"pairs {', '.join(map(_described, self.pairs))}"

    def explain(self, value: Any) -> str | None:
        """Say what is missing, or else which name has a wrong value."""
        text = beginning_and_end(value) if isinstance(value, str) else ""
        if missing := [described(c) for c in dict.fromkeys(self.facts) if not has(c, text)]:
            return f"missing: {', '.join(missing)}"
        names, values = (list(dict.fromkeys(side)) for side in zip(*self.pairs, strict=True))
        expected = {
            (names.index(name), values.index(value)): (name, value) for name, value in self.pairs
        }
        actual = bound(names, values, text)
        wrong = [(names[name], values[value]) for name, value in sorted(actual - expected.keys())]
        if wrong:
            return f"puts together: {', '.join(map(_described, wrong))}"
        apart = [pair for places, pair in expected.items() if places not in actual]
        return f"does not put together: {', '.join(map(_described, apart))}" if apart else None


@matcher("in_order")
@dataclass(frozen=True)
class InOrder(Matcher):
    """A text that mentions these words and numbers in this order."""

    argument_schema: ClassVar[Mapping[str, Any]] = {
        "type": "array",
        "items": CHOICE,
        "minItems": _ENOUGH,
    }

    items: tuple[Choice, ...]

    @classmethod
    def read(cls, argument: Any, _: Reading) -> Self:
        items = arguments.items(argument, "words and numbers")
        if len(items) < _ENOUGH:
            raise MatcherMistake("expected two words or numbers or more: one has no order")
        return cls(read_items(items))

    @property
    def facts(self) -> tuple[Choice, ...]:
        return self.items

    def similarity(self, value: Any) -> float:
        return float(self.explain(value) is None)

    def describe(self) -> str:
        """Write it as ``in order nadir, forward``."""
        return f"in order {', '.join(map(described, self.items))}"

    def explain(self, value: Any) -> str | None:
        """Name the first item that is not found after the previous ones."""
        text, last = beginning_and_end(value) if isinstance(value, str) else "", -1
        for choice in self.items:
            found_at = list(places(choice, text))
            later = [place for place in found_at if place > last]
            if not later:
                return f"{'too early' if found_at else 'missing'}: {described(choice)}"
            last = later[0]
        return None


def _pair(item: Any, place: int) -> tuple[Choice, Choice]:
    with below(place):
        both = arguments.items(item, "a name and its value")
        if len(both) != _ENOUGH:
            raise MatcherMistake(f"expected a name and its value, found a list of {len(both)}")
        return _read_choice(both[0], 0), _read_choice(both[1], 1)


def _described(pair: tuple[Choice, Choice]) -> str:
    return f"{described(pair[0])}: {described(pair[1])}"
