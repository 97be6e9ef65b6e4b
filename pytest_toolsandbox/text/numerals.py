"""Finds numbers in digits in texts, with signs, thousands and decimals."""

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
"""The largest number of digits of a number; more digits are a code."""

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
"""Non-breaking spaces, and TeX's separators, between thousands."""

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
    """Return a finite number exactly as it is written, 0.1 as 1/10; ``None`` for other values."""
    if isinstance(value, float):
        return Fraction(repr(value)) if math.isfinite(value) else None
    return Fraction(value) if is_number(value) else None


def number_as_text(text: str) -> Fraction | None:
    """Return the number that a whole text is, such as ``12.50``, ``-3`` or ``1,500``."""
    normal = normal_text(text).strip()
    digits = normal.removeprefix("-")
    if not _NUMBER.fullmatch(digits) or len(digits) > LONGEST:
        return None
    return -_value(digits) if normal != digits else _value(digits)


@lru_cache(maxsize=4096)
def numbers_in(text: str) -> tuple[Fraction, ...]:
    """Return the numbers in a text, in order.

    Commas or non-breaking spaces group thousands, and a point starts the decimals. Letters may
    follow digits (5pm, 68°F, 12h40m), and signs may precede them (#5, $12.50). Not numbers are
    times (5:30), versions and addresses (1.2.3), digits after letters (A5), codes (3fa85) and
    digits with leading zeros (007). A dash is a minus only if it cannot be a hyphen: -5 is
    negative, 3-5 is 3 and 5.
    """
    return tuple(
        -number if match["minus"] and first else number
        for match in _DIGITS.finditer(normal_text(_OF_TIME.sub(" ", with_commas(text))))
        for first, number in _numbers(match["digits"])
    )


def with_commas(text: str) -> str:
    """Replace other separators of thousands by commas."""
    return _GROUPS.sub(lambda match: ",".join(re.findall("[0-9]+", match[0])), text)


def with_thousands(text: str, expected: Collection[Fraction]) -> str:
    """Replace plain spaces between thousands by commas, but only in ``expected`` numbers.

    Other groups, as in ``3 150 200``, may be separate numbers.
    """

    def joined(match: re.Match[str]) -> str:
        number = match[0].replace(" ", ",")
        return number if number_as_text(number) in expected else match[0]

    return _SPACED.sub(joined, text)


def number_text(number: Fraction) -> str:
    """Format a number."""
    return str(number.numerator) if number.denominator == 1 else f"{float(number):g}"


def _numbers(digits: str) -> Iterator[tuple[bool, Fraction]]:
    """Yield the numbers in a run of digits with separators, each with whether it is the first."""
    if ":" in digits:
        return
    pieces = [digits] if _NUMBER.fullmatch(digits) else digits.split(",")
    for index, piece in enumerate(pieces):
        if _NUMBER.fullmatch(piece) and len(piece) <= LONGEST:
            yield index == 0, _value(piece)


def _value(digits: str) -> Fraction:
    return Fraction(digits.replace(",", ""))


def is_number(value: Any) -> bool:
    """Whether a value is a number in JSON, so not a boolean."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)
