"""The facts that right texts have in common: numbers, moments, names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from pytest_toolsandbox.matchers.mentions import Item, is_mentioned
from pytest_toolsandbox.text.numerals import number_as_text
from pytest_toolsandbox.text.quantities import quantities_in

Fact = tuple[Item, ...]
"""A word or number in the notations of several texts."""

_NAME: Final = re.compile(r"(?<=[\w,;:] )[A-Z]\w+(?!['\u2019]\w\w)")
"""A word with a capital letter inside of a sentence."""


def common_facts(texts: Sequence[str]) -> list[Fact]:
    """Return the numbers, times, dates and names of the first text that the others have, too."""
    first, *further = texts
    facts = ((item, _in_all(item, further)) for item in dict.fromkeys(_items(first)))
    return [fact for _, fact in facts if fact is not None]


def _items(text: str) -> Iterator[Item]:
    for quantity in quantities_in(text):
        if quantity.asked:
            number = number_as_text(quantity.written)
            yield quantity.written if number is None else _plain_number(float(number))
    for match in _NAME.finditer(text):
        if not any(match[0] in quantity.written for quantity in quantities_in(text)):
            yield match[0]


def _plain_number(number: float) -> int | float:
    return int(number) if number.is_integer() else number


def _in_all(item: Item, texts: Sequence[str]) -> Fact | None:
    """Return an item with other notations of it, ``None`` if a text has none."""
    notations: dict[Item, None] = {item: None}
    for text in texts:
        if any(is_mentioned(notation, text) for notation in notations):
            continue
        meanings = {m for quantity in quantities_in(str(item)) for m in quantity.asked}
        same = (q.written for q in quantities_in(text) if meanings & q.meanings)
        if (other := next(same, None)) is None:
            return None
        notations[other] = None
    return tuple(notations)


def mentioned(facts: Sequence[Fact]) -> Any:
    """Return facts as the argument of ``mentions``."""
    items = [fact[0] if len(fact) == 1 else [*fact] for fact in facts]
    return items[0] if len(items) == 1 and not isinstance(items[0], list) else items
