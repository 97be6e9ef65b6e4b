"""``claims``, ``denies``, ``refuses``, ``asks``, ``same_facts``, ``restates``: read by a judge.

Whether a text makes a statement depends on its wording, which no rule reads reliably. These
matchers say what a judge is told must be said, or in ``not`` and in minefields must not be said.
Without a judge they never fail a text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from pytest_toolsandbox.text.formatting import format_value

from . import arguments
from .mentions import WORDS, described, read_items
from .registry import Deciding, Matcher, MatcherMistake, Reading, Unread, has_text, matcher
from .rouge_l import RougeL

Words = tuple[str, ...]
"""Alternatives: one of these words is meant."""


@dataclass(frozen=True)
class Statement(Matcher):
    """A statement about these words: the first say what, the others of whom or of what."""

    argument_schema: ClassVar[Mapping[str, Any]] = WORDS

    items: tuple[Words, ...]

    @classmethod
    def read(cls, argument: Any, _: Reading) -> Self:
        items = enumerate(read_items(argument))
        is_list = isinstance(argument, (list, tuple))
        return cls(tuple(_choices(item, *([place] if is_list else [])) for place, item in items))

    def similarity(self, found: Any) -> float:
        """Return 1 for every text that says something: a judge decides what."""
        return float(has_text(found))

    def describe(self) -> str:
        """Write it as ``claims sent | texted, Fred``."""
        return f"{self.name} {', '.join(map(described, self.items))}"

    def decided(self, how: Deciding) -> Matcher:
        return Unread(self, met=not how.denied)


@matcher("claims")
class Claims(Statement):
    """A text that says that this was done: the first words say what, the others to what or whom."""


@matcher("denies")
class Denies(Statement):
    """A text that says that this was not done, could not be done or is not so."""


@matcher("refuses")
class Refuses(Statement):
    """A text that says that its writer cannot or will not do this."""


@matcher("asks")
class Asks(Statement):
    """A text that asks for this, with or without a question mark."""


@dataclass(frozen=True)
class SameMeaning(RougeL):
    """A text that says as much as this one, in any words.

    Where it has to tell rows apart, as in minefields, texts are compared by ROUGE-L.
    """

    @classmethod
    def read(cls, argument: Any, reading: Reading) -> Self:
        usual = reading.threshold_of(cls.name, reading.threshold_of(RougeL.name, cls.threshold))
        return cls(*arguments.graded(argument, "text", usual, arguments.text_to_compare))

    def decided(self, how: Deciding) -> Matcher:
        return self if how.tells_apart else Unread(self, met=not how.denied)


@matcher("restates")
class Restates(SameMeaning):
    """A text that says as much as this one, in much the same words."""


@matcher("same_facts")
class SameFacts(SameMeaning):
    """A text with the numbers, times, dates and names of this one, which denies nothing of it."""

    argument_schema: ClassVar = {"type": "string", "minLength": 1}

    @classmethod
    def read(cls, argument: Any, reading: Reading) -> Self:
        return cls(arguments.text_with_content(argument), reading.threshold_of(RougeL.name, 0.5))

    def describe(self) -> str:
        """Write it as ``the facts of 'See you at 5'``."""
        return f"the facts of {format_value(self.text)}"


def _choices(item: Iterable[Any], *path: int) -> Words:
    """Return the alternatives of an item, among them those of ``sent|texted``."""
    words = [one.strip().casefold() for each in item for one in str(each).split("|")]
    if not all(words):
        whole = " ".join(map(str, item))
        raise MatcherMistake(
            f"expected a word on each side of |, found {format_value(whole)}", path
        )
    return tuple(words)
