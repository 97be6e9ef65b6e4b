"""Amounts that an answer tells: numbers with their units, and those with another one's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set as AbstractSet
from typing import Any, Final

from pytest_toolsandbox.matchers.numerals import number_as_text

from .fact import plain

EMPTY: Final = re.compile(
    r"""\b(?:with|at|by|in|from|for|the|an?|of|is|was|were|are|it|its|it's|that|this|either|both|answers?
    |about|approximately|around|roughly|us|or|and|also)\b""",
    re.VERBOSE | re.IGNORECASE,
)
"""Words beside an amount that say nothing of their own."""
AMOUNT: Final = re.compile(
    r"(?<![\w.:/-])(?P<before>[$\u20ac\u00a3\u00a5+-]?)\s?"
    r"(?P<number>\d(?:[\d,]*\d)?(?:\.\d+)?)(?![\w.,:/-]*\d)"
    r"[ \u00a0\u202f-]*(?:(?:us|u\.s\.|american|fluid|metric) )*"
    r"(?P<unit>%|\u00b0\s?\w?|(?:(?:nautical|canadian|australian|square|cubic) )?[^\W\d_]+"
    r"|[$\u20ac\u00a3\u00a5])?",
    re.IGNORECASE,
)
EMPTY_UNITS: Final = frozenset(("and", "or", "with", "for", "in", "at", "is", "was"))
_UNITS: Final = {
    short: unit
    for unit, *shorts in map(
        str.split,
        (
            "gram g", "kilogram kg", "meter m metre metres", "kilometer km kilometre", "mile mi",
            "foot ft feet", "ounce oz", "watt w", "kilowatt kw", "hour h hr hrs",
            "minute min mins", "second s sec secs", "euro eur \u20ac", "dollar usd $",
            "pound gbp \u00a3",
        ),
    )
    for short in shorts
}  # fmt: skip
"""How units are written in short → their names."""
_MEASURES: Final = frozenset(_UNITS.values()).union(
    ("nautical mile", "canadian dollar", "australian dollar", "real", "bit", "byte")
)
"""Units of which a number has one: who says dollars for euros is wrong."""


def read(amount: re.Match[str]) -> tuple[Any, str]:
    """Return the number and the unit of an amount, this as its whole name in the singular."""
    unit = (amount["unit"] or amount["before"].strip("+-")).casefold()
    return number_as_text(amount["number"]), _UNITS.get(unit, unit.removesuffix("s"))


def of_other_units(
    text: str, amounts: AbstractSet[tuple[Any, str]], numbers: AbstractSet[Any]
) -> Iterator[str]:
    """Yield the numbers of ``amounts`` that stand in a text with another unit than theirs.

    One without a unit there, as in ``301 for the flight``, may have that of the ``numbers`` that
    are asked for.
    """
    units = {unit for _, unit in amounts if not EMPTY.fullmatch(unit)}
    told = {*map(read, AMOUNT.finditer(text))}
    asked = {unit for number, unit in told if number in numbers}
    for found in AMOUNT.finditer(text):
        number, unit = amount = read(found)
        own = {one for value, one in amounts if value == number}
        is_bare = own <= EMPTY_UNITS and (unit in asked or not own or own <= {"and", "or"})
        is_code = bool(re.fullmatch("[A-Z]{3}", found["unit"] or "")) and own & {"dollar", "euro"}
        is_other = unit in units or (unit in _MEASURES and own & _MEASURES) or is_code
        if is_other and not (is_bare or amount in amounts):
            yield plain(found[0])
