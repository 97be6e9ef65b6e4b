"""``rouge_l``: similar words in a similar order."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Final, Self

from pytest_toolsandbox.text.formatting import (
    READ_LIMIT,
    beginning_and_end,
    format_value,
    with_threshold,
)

from . import arguments
from .porter_stemmer import stem
from .registry import Deciding, Matcher, Reading, Unread, matcher

_ASCII_WORD: Final = re.compile(r"[a-z0-9]+")
_WORD: Final = re.compile(r"[^\W_]+")
SENTENCE: Final = 3
"""The minimum number of words of a sentence; shorter texts are names or labels."""


@matcher("rouge_l")
@dataclass(frozen=True)
class RougeL(Matcher):
    """A text with similar words in the same order: the F1 of ROUGE-L (Lin 2004)."""

    argument_schema: ClassVar[Mapping[str, Any]] = arguments.graded_schema(
        "text", {"type": "string"}
    )

    text: str
    threshold: float = 0.5

    @classmethod
    def read(cls, argument: Any, reading: Reading) -> Self:
        usual = reading.threshold_of(cls.name, cls.threshold)
        return cls(*arguments.graded(argument, "text", usual, arguments.text_to_compare))

    def similarity(self, value: Any) -> float:
        return rouge_l(self.text, value) if isinstance(value, str) else 0.0

    def describe(self) -> str:
        """Write it as ``like 'blue pot'``."""
        return with_threshold(
            f"like {format_value(self.text)}", self.threshold, type(self).threshold
        )

    @classmethod
    def fits(cls, literal: Any) -> bool:
        return isinstance(literal, str) and any(map(str.isalnum, literal))

    def decided(self, how: Deciding) -> Matcher:
        """Leave a sentence to the judge, if there is one; shorter texts are names or labels."""
        is_sentence = len(self.text.split()) >= SENTENCE
        is_read = how.judged and is_sentence and not how.tells_apart
        return Unread(self, met=not how.denied) if is_read else self


def rouge_l(expected: str, text: str) -> float:
    """Return the F1 of the longest common subsequence of words, by their Porter stems.

    The value equals that of ``rouge_score`` with ``use_stemmer=True``, with two differences. A text
    has similarity 1 to itself even without words. If one of the texts has a letter outside of
    ASCII, the words of all scripts count. Of a text with more than ``MOST`` characters, the
    beginning and the end are read; the similarity of the rest is limited by the ratio of the
    lengths.
    """
    if expected == text:
        return 1.0
    shorter, longer = sorted((len(expected), len(text)))
    share = shorter / longer if longer > READ_LIMIT else 1.0
    return share * _f1(beginning_and_end(expected), beginning_and_end(text))


@lru_cache(maxsize=4096)
def _f1(expected: str, text: str) -> float:
    pattern = _WORD if _is_foreign(expected) or _is_foreign(text) else _ASCII_WORD
    words, found_words = _words(expected, pattern), _words(text, pattern)
    if not words or not found_words:
        return 0.0
    if words == found_words:
        return 1.0
    from rapidfuzz.distance import LCSseq

    common = LCSseq.similarity(_stems(words), _stems(found_words))
    return 2 * common / (len(words) + len(found_words))


@lru_cache(maxsize=4096)
def _is_foreign(text: str) -> bool:
    return not text.isascii() and any(c.isalpha() and not c.isascii() for c in text)


@lru_cache(maxsize=4096)
def _words(text: str, pattern: re.Pattern[str]) -> tuple[str, ...]:
    return tuple(pattern.findall(text.lower()))


@lru_cache(maxsize=4096)
def _stems(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(stem(word) if word.isascii() else word for word in words)
