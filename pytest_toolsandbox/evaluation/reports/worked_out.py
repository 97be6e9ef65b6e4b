"""Figures that a report may work out from what it was given: a sum, a saving, the end of a stay."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set as AbstractSet
from fractions import Fraction
from itertools import chain
from math import isfinite
from typing import Any, Final

from pytest_toolsandbox.matchers.normal_text import split
from pytest_toolsandbox.matchers.quantities.quantity import Meaning

_MOST: Final = 40
"""Of more numbers nobody reckons: what comes out would be near to any."""
_MOST_DURATIONS: Final = 6
_MOST_TIMES: Final = 24
_COUNTS: Final = range(1, 13)
"""How many of something there may be, months of a year among them."""
_MONTHS: Final = 12
_DAY: Final = 86400
_MONEY: Final = frozenset(
    split("""
    price prices cost costs amount amounts total fee fees balance rate cents sum subtotal paid pay
    payment charge charges budget refund rent discount fare salary tax tip credit debit eur usd gbp
    """)
)
"""Words in the names of columns and arguments that hold amounts of money."""
_SECONDS: Final = {
    **dict.fromkeys(("second", "seconds"), 1),
    **dict.fromkeys(("minute", "minutes", "min", "mins"), 60),
    **dict.fromkeys(("hour", "hours"), 3600),
}
"""Words in the names of those that hold durations, and how many seconds one is."""


def comes_from(amount: Fraction, numbers: AbstractSet[Fraction]) -> bool:
    """Whether an amount is a multiple of one of the numbers, or a sum or difference of two.

    In a sum one of the two may be a multiple as well: two pizzas and a drink; and what is so each
    month may be told of a year.
    """
    if len(numbers) > _MOST:
        return False
    if any(amount / count in numbers for count in _COUNTS):
        return True
    sums = chain.from_iterable(
        (amount / count - one, amount / count + one, one - amount / count)
        for count in (1, _MONTHS)
        for one in numbers
    )
    items = ((amount - one) / count for one in numbers for count in _COUNTS)
    return any(one in numbers for one in chain(sums, items))


def ends(times: Iterable[Meaning], durations: AbstractSet[Fraction]) -> frozenset[Meaning]:
    """Return the times that are so many seconds after or before one of the times."""
    moments = {int(str(seconds)) for kind, seconds, *_ in times if kind == "time"}
    if len(moments) > _MOST_TIMES or len(durations) > _MOST_DURATIONS:
        return frozenset()
    return frozenset(
        ("time", int(moment + sign * length) % _DAY)
        for moment in moments
        for length in durations
        for sign in (1, -1)
    )


def durations_in(value: Any) -> Iterator[Fraction]:
    """Yield the seconds of numbers in a JSON value whose name says in what they are counted."""
    for names, number in _named_numbers(value):
        yield from (number * _SECONDS[one] for one in names & _SECONDS.keys())


def amounts_in(value: Any) -> Iterator[Fraction]:
    """Yield the numbers of a JSON value whose name says that they are amounts of money."""
    yield from (number for names, number in _named_numbers(value) if names & _MONEY)


def _named_numbers(value: Any, name: str = "") -> Iterator[tuple[frozenset[str], Fraction]]:
    """Yield the numbers of a JSON value, each with the words of the key under which it stands."""
    if isinstance(value, Mapping):
        for key, one in value.items():
            yield from _named_numbers(one, str(key))
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _named_numbers(one, name)
    elif type(value) in (int, float) and isfinite(value):
        words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)
        yield frozenset(map(str.casefold, words)), Fraction(str(value))
