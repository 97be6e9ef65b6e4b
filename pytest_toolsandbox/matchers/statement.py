"""``claims``, ``denies``, ``refuses``, ``asks``, ``same_facts``, ``restates``: need a judge.

No rule reads reliably whether a text makes a statement. These matchers are instructions for a
judge: what must be said or, in ``not`` and in minefields, must not. Without a judge they accept
every text.
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
"""Alternative words."""


@dataclass(frozen=True)
class Statement(Matcher):
    """A statement: the first item says what, the others about whom or what."""

    argument_schema: ClassVar[Mapping[str, Any]] = WORDS

    items: tuple[Words, ...]

    @classmethod
    def read(cls, argument: Any, _: Reading) -> Self:
        items = enumerate(read_items(argument))
        is_list = isinstance(argument, (list, tuple))
        return cls(tuple(_choices(item, *([place] if is_list else [])) for place, item in items))

    def similarity(self, value: Any) -> float:
        """Return 1 for every text with words: a judge decides what they say."""
        return float(has_text(value))

    def describe(self) -> str:
        """Write it as ``claims sent | texted, Fred``."""
        return f"{self.name} {', '.join(map(described, self.items))}"

    def decided(self, how: Deciding) -> Matcher:
        return Unread(self, met=not how.denied)


@matcher("claims")
class Claims(Statement):
    """A text that says that this was done: the first item says what, the others to what or whom."""


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
    """A text that says the same as this one, in any words.

    If texts must distinguish rows, as in minefields, ROUGE-L compares them.
    """

    @classmethod
    def read(cls, argument: Any, reading: Reading) -> Self:
        default = reading.threshold_of(cls.name, reading.threshold_of(RougeL.name, cls.threshold))
        return cls(*arguments.graded(argument, "text", default, arguments.text_to_compare))

    def decided(self, how: Deciding) -> Matcher:
        return self if how.tells_apart else Unread(self, met=not how.denied)


@matcher("restates")
class Restates(SameMeaning):
    """A text that says the same as this one, in similar words."""


@matcher("same_facts")
class SameFacts(SameMeaning):
    """A text with the numbers, times, dates and names of this one, which contradicts nothing."""

    argument_schema: ClassVar = {"type": "string", "minLength": 1}

    @classmethod
    def read(cls, argument: Any, reading: Reading) -> Self:
        return cls(arguments.text_with_content(argument), reading.threshold_of(RougeL.name, 0.5))

    def describe(self) -> str:
        """Write it as ``the facts of 'See you at 5'``."""
        return f"the facts of {format_value(self.text)}"


def _choices(item: Iterable[Any], *path: int) -> Words:
    """Return the alternatives of an item; ``sent|texted`` has two."""
    words = [word.strip().casefold() for part in item for word in str(part).split("|")]
    if not all(words):
        whole = " ".join(map(str, item))
        raise MatcherMistake(
            f"expected a word on each side of |, found {format_value(whole)}", path
        )
    return tuple(words)
