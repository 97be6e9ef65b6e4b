"""Figures that a report may work out from what it was given: a sum, a saving, the end of a stay."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set as AbstractSet
from fractions import Fraction
from typing import Any, Final

from pytest_toolsandbox.matchers.quantities.quantity import Meaning

MOST: Final = 60
"""Of more numbers nobody reckons: what comes out would be near to any."""
_COUNTS: Final = range(1, 13)
"""How many of something there may be, months of a year among them."""
_DAY: Final = 86400
_MONEY: Final = re.compile(
    r"price|cost|amount|total|fee|balance|rate|cents|sum|limit|paid|pay|charge|budget|refund|rent"
    r"|discount|value|fare|salary|tax|tip|credit|debit|eur|usd|gbp",
    re.IGNORECASE,
)
"""What is part of the names of columns and arguments that hold amounts of money."""
_SECONDS: Final = {"second": 1, "minute": 60, "min": 60, "hour": 3600, "hr": 3600}
"""Parts of the names of columns and arguments that hold durations, and what one is."""


def comes_from(amount: Fraction, numbers: AbstractSet[Fraction]) -> bool:
    """Whether an amount is a sum or difference of two of the numbers, or a multiple of that.

    In a sum one of the two may be a multiple as well: two pizzas and a drink.
    """
    if len(numbers) > MOST:
        return False
    return any(
        part in numbers
        or any({part - one, part + one, one - part} & numbers for one in numbers)
        or any((amount - one) / count in numbers for one in numbers)
        for count, part in ((count, amount / count) for count in _COUNTS)
    )


def ends(times: Iterable[Meaning], durations: AbstractSet[Fraction]) -> frozenset[Meaning]:
    """Return the times that are so many seconds after or before one of the times."""
    moments = [int(str(seconds)) for kind, seconds, *_ in times if kind == "time"]
    return frozenset(
        ("time", int(moment + sign * length) % _DAY)
        for moment in moments
        for length in durations
        for sign in (1, -1)
    )


def durations_in(value: Any, name: str = "") -> Iterator[Fraction]:
    """Yield the seconds of numbers in a JSON value whose name says in what they are counted."""
    if isinstance(value, Mapping):
        for key, one in value.items():
            yield from durations_in(one, str(key))
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from durations_in(one, name)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        found = (worth for part, worth in _SECONDS.items() if part in name.casefold())
        yield from (Fraction(str(value)) * worth for worth in found)


def amounts_in(value: Any, name: str = "") -> Iterator[Fraction]:
    """Yield the numbers of a JSON value whose name says that they are amounts of money."""
    if isinstance(value, Mapping):
        for key, one in value.items():
            yield from amounts_in(one, str(key))
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from amounts_in(one, name)
    elif type(value) in (int, float) and _MONEY.search(name):
        yield Fraction(str(value))
