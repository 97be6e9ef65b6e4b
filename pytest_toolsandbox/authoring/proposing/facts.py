"""The facts that right texts have in common: numbers, moments, names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_toolsandbox.matchers.mentions import Item, is_mentioned
from pytest_toolsandbox.text.amounts import amounts_in
from pytest_toolsandbox.text.numerals import number_as_text, numbers_in
from pytest_toolsandbox.text.quantities import quantities_in
from pytest_toolsandbox.text.quantities.quantity import Quantity

_MOST_LEEWAY: Final = 0.05
"""The largest leeway of a figure, as a share of it."""
_NAME: Final = re.compile(r"(?<=[\w,;:] )[A-Z]\w+(?!['\u2019]\w\w)")
"""A word with a capital letter inside of a sentence."""
_ROUNDED: Final = 0.03
"""How far figures that mean the same may be apart, as a share of the first."""


@dataclass
class Facts:
    """Words and numbers, each in several notations; figures with leeway; numbers to call."""

    words: list[tuple[Item, ...]] = field(default_factory=list)
    figures: list[tuple[float, float]] = field(default_factory=list)
    patterns: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        """Whether there is any fact."""
        return bool(self.words or self.figures or self.patterns)

    @property
    def matchers(self) -> list[dict[str, Any]]:
        """What a text must have, as scenarios write it."""
        items = [fact[0] if len(fact) == 1 else [*fact] for fact in self.words]
        is_single = len(items) == 1 and not isinstance(items[0], list)
        return [
            *([{"mentions": items[0] if is_single else items}] if items else []),
            *({"number": {"to": _plain(to), "within": w}} for to, w in self.figures),
            *({"regex": pattern} for pattern in self.patterns),
        ]


@dataclass(frozen=True)
class FactFinder:
    """Finds the facts that texts have in common.

    What is ``known`` is no fact. Numbers near to ``measured`` ones are figures, which may be
    rounded. Of a single text, names are no facts, and words such as "two" and "today" only if they
    are ``wanted``: they may be there by the choice of its writer.
    """

    known: str = ""
    wanted: str = ""
    measured: Sequence[float] = ()

    def common_numbers(self, texts: Sequence[str]) -> Facts:
        """Return the common facts that are numbers, without moments, names and numbers to call."""
        facts = self.common(texts)
        numbers = [word for word in facts.words if not any(isinstance(n, str) for n in word)]
        return Facts(numbers, facts.figures)

    def common(self, texts: Sequence[str]) -> Facts:
        """Return the facts of the first text that the others have, too."""
        first, *further = texts
        facts = Facts()
        for quantity in quantities_in(first):
            if quantity.asked:
                self._add_quantity(facts, quantity, further)
        if further:
            for name in names_in(first):
                in_all = all(is_mentioned(name, text) for text in further)
                is_part = any(name in quantity.written for quantity in quantities_in(first))
                if in_all and not is_part and not is_mentioned(name, self.known):
                    facts.words.append((name,))
        return facts

    def _add_quantity(self, facts: Facts, quantity: Quantity, texts: Sequence[str]) -> None:
        written = quantity.written
        if any(kind == "call" for kind, *_ in quantity.asked):
            pattern = _last_digits(written)
            is_common = all(re.search(pattern, text) for text in texts)
            if is_common and not re.search(pattern, self.known) and pattern not in facts.patterns:
                facts.patterns.append(pattern)
            return
        if texts or any(map(str.isdigit, written)) or is_mentioned(written, self.wanted):
            for item in _items(quantity):
                if not is_mentioned(item, self.known):
                    self._add_item(facts, item, texts)

    def _add_item(self, facts: Facts, item: Item, texts: Sequence[str]) -> None:
        if not isinstance(item, str) and any(_is_rounded(value, item) for value in self.measured):
            if (figure := _figure(item, texts)) and figure not in facts.figures:
                facts.figures.append(figure)
            return
        notations = _notations(item, texts)
        if notations is not None and notations not in facts.words:
            facts.words.append(notations)


def names_in(text: str) -> list[str]:
    """Return the words with a capital letter inside of sentences."""
    return [*dict.fromkeys(match[0] for match in _NAME.finditer(text))]


def _items(quantity: Quantity) -> list[Item]:
    """Return a quantity as ``mentions`` takes it; of a duration its numbers."""
    number = number_as_text(quantity.written)
    if number is None and any(kind == "seconds" for kind, *_ in quantity.asked):
        numbers = numbers_in(quantity.written) or sorted(amounts_in(quantity.written))
        return [_plain(float(part)) for part in numbers] or [quantity.written]
    return [quantity.written if number is None else _plain(float(number))]


def _plain(number: float) -> int | float:
    return int(number) if number == int(number) else number


def _last_digits(written: str) -> str:
    """Return a pattern for the last digits of a number to call, however they are grouped."""
    digits = re.sub(r"\D", "", written)[-7:]
    return rf"{digits[:3]}\D*{digits[3:]}"


def _is_rounded(measured: float, number: float) -> bool:
    """Return whether a number stands for a measured one that has more decimals."""
    decimals = len(repr(number).partition(".")[2]) if number % 1 else 0
    is_near = abs(measured - number) <= _ROUNDED * abs(measured)
    return not measured.is_integer() and (is_near or round(measured, decimals) == number)


def _figure(number: float, texts: Sequence[str]) -> tuple[float, float] | None:
    """Return a figure that all texts have, more or less rounded, and its leeway."""
    leeway = abs(number) * _ROUNDED
    spread = 0.0
    for text in texts:
        distances = [abs(float(other) - number) for other in numbers_in(text)]
        spread = max(spread, min(distances, default=float("inf")))
    within = float(f"{max(leeway, spread):.2g}")
    return (number, within) if spread <= _MOST_LEEWAY * abs(number) else None


def _notations(item: Item, texts: Sequence[str]) -> tuple[Item, ...] | None:
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
