"""Numbers as people write them in texts."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

from .normal_text import WITHOUT_SPACES, normal_text

_CURRENCIES = "$€£¥₹"
_OPENING = rf"\s(\[{{<>=~|:;,/\"'`*{_CURRENCIES}"
LONGEST: Final = 300
"""Digits of a number; a longer run is a code."""

_DIGITS: Final = re.compile(
    rf"""
    (?P<minus> (?<![^{_OPENING}]) - (?= [{_CURRENCIES}]? \.? [0-9] ) )?  # not in 5-7
    [{_CURRENCIES}]?
    (?<! [^\W{WITHOUT_SPACES}] )                          # not in A5
    (?P<digits> (?: (?<![\w.]) \. )? [0-9]++ (?: [.,:] [0-9]++ )*+ )
    (?! _ | [^\W\d_{WITHOUT_SPACES}]+ [0-9] )             # not in 3fa85
    """,
    re.VERBOSE,
)
_APART = r"(?: [\u00a0\u2009\u202f] | \{,\} | \\, )"
"""Spaces that do not break, and what TeX has, between the thousands of a number."""

_OF_TIME: Final = re.compile(r"(?<=[0-9]h)(?=[0-9]{1,2}m(?:in)?\b)")
_GROUPS: Final = re.compile(
    rf"(?<! [0-9.,+] ) [0-9]{{1,3}} (?: {_APART} [0-9]{{3}} )+ (?! {_APART}? [0-9] )", re.VERBOSE
)
_SPACED: Final = re.compile(
    r"(?<![\w.,:+/-])(?<![\d)][ -])[1-9][0-9]{0,2}(?: [0-9]{3})+(?![\w.,:/-]*[0-9]| [0-9]|[A-Za-z])"
)

_NUMBER: Final = re.compile(
    r"(?: 0 | [1-9][0-9]* | [1-9][0-9]{0,2} (?: ,[0-9]{3} )+ ) (?: \.[0-9]+ )? | \.[0-9]+",
    re.VERBOSE,
)


def exact_number(value: Any) -> Fraction | None:
    """Return a finite number as it is written, 0.1 as a tenth; ``None`` for anything else."""
    if isinstance(value, float):
        return Fraction(repr(value)) if math.isfinite(value) else None
    return Fraction(value) if is_number(value) else None


def number_as_text(text: str) -> Fraction | None:
    """Return the number that a text is, all of it, such as ``12.50``, ``-3`` or ``1,500``."""
    normal = normal_text(text).strip()
    digits = normal.removeprefix("-")
    if not _NUMBER.fullmatch(digits) or len(digits) > LONGEST:
        return None
    return -_value(digits) if normal != digits else _value(digits)


@lru_cache(maxsize=4096)
def numbers_in(text: str) -> tuple[Fraction, ...]:
    """Return the numbers that a text mentions, in its order.

    Commas or spaces that do not break group thousands, and a point starts the decimals. Digits
    may be followed by letters (5pm, 68°F, 12h40m) and preceded by signs (#5, $12.50), but are no
    numbers in times (5:30), in versions and addresses (1.2.3), after letters (A5), in codes
    (3fa85) or with leading zeros (007). A dash is a minus only where it cannot be a hyphen: -5 is
    negative, 3-5 is 3 and 5.
    """
    return tuple(
        -number if match["minus"] and first else number
        for match in _DIGITS.finditer(normal_text(_OF_TIME.sub(" ", with_commas(text))))
        for first, number in _numbers(match["digits"])
    )


def with_commas(text: str) -> str:
    """Return a text whose numbers have commas between their thousands, if anything."""
    return _GROUPS.sub(lambda match: ",".join(re.findall("[0-9]+", match[0])), text)


def with_thousands(text: str, expected: Collection[Fraction]) -> str:
    """Return the same for ``expected`` numbers with plain spaces between their thousands.

    Other groups, as in ``3 150 200``, may be numbers beside each other.
    """

    def joined(match: re.Match[str]) -> str:
        number = match[0].replace(" ", ",")
        return number if number_as_text(number) in expected else match[0]

    return _SPACED.sub(joined, text)


def number_text(number: Fraction) -> str:
    """Write a number for a report."""
    return str(number.numerator) if number.denominator == 1 else f"{float(number):g}"


def _numbers(digits: str) -> Iterator[tuple[bool, Fraction]]:
    """Read digits and the points, commas and colons among them; tell which is the first."""
    if ":" in digits:
        return
    pieces = [digits] if _NUMBER.fullmatch(digits) else digits.split(",")
    for index, piece in enumerate(pieces):
        if _NUMBER.fullmatch(piece) and len(piece) <= LONGEST:
            yield index == 0, _value(piece)


def _value(digits: str) -> Fraction:
    return Fraction(digits.replace(",", ""))


def is_number(value: Any) -> bool:
    """Whether a value is a number as JSON knows it, and no boolean."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)
