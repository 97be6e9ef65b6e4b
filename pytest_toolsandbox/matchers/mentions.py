"""``mentions``: words and numbers that a text must have."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache, partial
from typing import Any, ClassVar, Final, Self, TypeVar

from pytest_toolsandbox.wording.long_texts import in_part
from pytest_toolsandbox.wording.phrases import found, literal, with_threshold

from . import arguments
from .amounts import amounts_in
from .matcher import Matcher, MatcherMistake, Reading
from .normal_text import WITHOUT_SPACES, normal_text
from .numerals import exact_number, number_as_text, numbers_in
from .registry import matcher

T = TypeVar("T")
Item = str | int | float
"""One word, several that follow one another, or a number."""

_ITEM: Final = {"type": ["string", "number"]}
_CHOICE: Final = {"type": "array", "items": _ITEM, "minItems": 1}
CHOICE: Final = {"anyOf": [_ITEM, _CHOICE]}
_ITEMS: Final = {"type": "array", "items": CHOICE, "minItems": 1}
WORDS: Final = {"anyOf": [_ITEM, _ITEMS]}

_NO_GAP_NEEDED: Final = re.compile(f"[{WITHOUT_SPACES}]")
_INSIDE_NUMBER: Final = re.compile(r"[0-9][.,:][0-9]")
_ESCAPE: Final = re.compile(r"\\(?=[_*])")
"""Markdown's, before what would be emphasis."""

_NEGATED: Final = re.compile(r"(?<=\w)'t(?!\w)")
_OF_CLOCK: Final = re.compile(r"(?<=[0-9]:[0-9]{2})(?:[ap]\.?m|h)\b")


@matcher("mentions")
@dataclass(frozen=True)
class Mentions(Matcher):
    """A text with these words and numbers, whole ones, whatever their case.

    Each item is met by one of its alternatives; the similarity is the share of met items.
    """

    argument_schema: ClassVar[Mapping[str, Any]] = arguments.graded_schema("words", WORDS)

    items: tuple[tuple[Item, ...], ...]
    threshold: float = 1.0

    @classmethod
    def read(cls, argument: Any, reading: Reading) -> Self:
        usual = reading.threshold_of(cls.name, cls.threshold)
        return cls(*arguments.graded(argument, "words", usual, read_items))

    @property
    def facts(self) -> tuple[tuple[Item, ...], ...]:
        return self.items

    def similarity(self, found: Any) -> float:
        there = len(self.items) - len(self._missing(found))
        return there / len(self.items)

    def describe(self) -> str:
        """Write it as ``mentions Ada, sent | texted``."""
        items = ", ".join(map(described, self.items))
        return with_threshold(f"mentions {items}", self.threshold, type(self).threshold)

    def explain(self, found: Any) -> str | None:
        missing = self._missing(found)
        return f"missing: {', '.join(map(described, missing))}" if missing else None

    def _missing(self, found: Any) -> list[tuple[Item, ...]]:
        text = _as_text(found)
        if text is None:
            return list(self.items)
        return [item for item in self.items if not any(is_mentioned(one, text) for one in item)]


@lru_cache(maxsize=16384, typed=True)  # every snapshot asks again for the messages of all before
def is_mentioned(item: Item, text: str) -> bool:
    """Whether a text has a word or a number, whole; a date or a time of day in any notation."""
    number = number_as_text(item) if isinstance(item, str) else exact_number(item)
    if number is not None:
        return number in numbers_in(text) or number in amounts_in(text)
    normal = _without_escapes(text)
    for start, end in _places(str(item), normal):
        if not (_goes_on(normal, start) or _goes_on(normal, end)):
            return True
    from .quantities import has_moment  # which is not light

    return has_moment(str(item), text)


@lru_cache(maxsize=4096)
def _without_escapes(text: str) -> str:
    return normal_text(_ESCAPE.sub("", text))


@lru_cache(maxsize=4096)
def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(r"[\s*]+".join(map(re.escape, normal_text(words).split())))


def _places(words: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield every place where words stand in a text; some may overlap, or be emphasised."""
    pattern, start = _pattern(words), 0
    while match := pattern.search(text, start):
        yield match.span()
        start = match.start() + 1


def _goes_on(text: str, at: int) -> bool:
    """Whether a word or a number goes on across a place in a text, which so is no edge of it."""
    if at in (0, len(text)) or _OF_CLOCK.match(text, at):
        return False
    if _is_in_word(text[at - 1]) and _is_in_word(text[at]):
        return True
    windows = (text[max(at - 2, 0) : at + 1], text[at - 1 : at + 2])
    return any(map(_INSIDE_NUMBER.fullmatch, windows)) or bool(_NEGATED.match(text, at))


def _is_in_word(char: str) -> bool:
    """Whether a character would make a longer word of what stands beside it."""
    if _NO_GAP_NEEDED.match(char):
        return False
    return char.isalnum() or char == "_" or unicodedata.category(char).startswith("M")


def _as_text(found: Any) -> str | None:
    if arguments.is_number(found):
        return format(Decimal(repr(found)), "f")  # never 1e+22
    return in_part(found) if isinstance(found, str) else None


def _each(read: Callable[..., T], argument: Any, *path: str | int) -> tuple[T, ...]:
    """Read each item of a list, or a value as the only one."""
    if not isinstance(argument, (list, tuple)):
        return (read(argument, *path),)
    items = arguments.items(argument, "words and numbers", *path)
    return tuple(read(item, *path, index) for index, item in enumerate(items))


def _item(argument: Any, *path: str | int) -> Item:
    if arguments.is_number(argument):
        return arguments.finite_number(argument, *path)
    if isinstance(argument, str) and normal_text(argument).split():
        return argument
    what = "an empty text" if isinstance(argument, str) else found(argument)
    raise MatcherMistake(f"expected a word or a number, found {what}", path)


read_choice = partial(_each, _item)
read_items = partial(_each, read_choice)


def described(item: tuple[Item, ...]) -> str:
    """Write the alternatives of an item as ``sent | texted``."""
    return " | ".join(map(_shown, item))


def _shown(item: Item) -> str:
    plain = isinstance(item, str) and item.isprintable() and not re.search(r"[,|;]|^\s|\s$", item)
    return str(item) if plain else literal(item)
