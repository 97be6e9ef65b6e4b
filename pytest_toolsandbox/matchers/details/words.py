"""Numbers as English writes them in words: pieces of patterns, and what they are worth.

All patterns are for ``re.VERBOSE`` and ``re.IGNORECASE``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from typing import Final

ONES: Final = dict(
    zip("one two three four five six seven eight nine".split(), range(1, 10), strict=True)
)
TEENS: Final = dict(
    zip(
        (
            "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
        ).split(),
        range(10, 20),
        strict=True,
    )
)
TENS: Final = dict(
    zip(
        "twenty thirty forty fifty sixty seventy eighty ninety".split(),
        range(20, 100, 10),
        strict=True,
    )
)
SMALL: Final = {"zero": 0, "oh": 0, **ONES, **TEENS, **TENS, "fourty": 40}
_SCALES: Final = {"thousand": 10**3, "million": 10**6, "billion": 10**9}

ORDINALS: Final = {
    **dict(
        zip(
            (
                "first second third fourth fifth sixth seventh eighth ninth tenth eleventh "
                "twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth "
                "nineteenth"
            ).split(),
            range(1, 20),
            strict=True,
        )
    ),
    **{f"{name[:-1]}ieth": value for name, value in TENS.items()},
}


def either(words: Iterable[str]) -> str:
    """Return a pattern for any of these words, longer ones first."""
    return "|".join(sorted(words, key=lambda word: (-len(word), word)))


DIGITS: Final = r"(?<![\w.,:]) \d{1,15} (?:,\d{3})* (?:\.\d+)?"
BELOW_100: Final = rf"""
    (?: (?:{either(TENS)}|fourty) (?:[-\s]+ (?:{either(ONES)})\b )?
      | {either([*TEENS, *ONES])} )
"""
_HUNDREDS: Final = rf"""
    (?: (?:an?|{BELOW_100}|{DIGITS}) [-\s]+ hundred (?:[-\s]+ (?:and\s+)? {BELOW_100}\b )?
      | {BELOW_100} )
"""
_AND_A_HALF: Final = r"\s+ and \s+ (?:a|one) [-\s]+ half"
_SCALE: Final = rf"(?:{either(_SCALES)})"
WORDS: Final = rf"""(?<![\w]) (?:
    (?: (?:half\s+)? an? | {_HUNDREDS} | {DIGITS} ) (?:{_AND_A_HALF})? [-\s]+ {_SCALE}
        (?: [-\s]+ (?:and\s+)? {_HUNDREDS} (?:[-\s]+ {_SCALE})? )*
  | (?: (?: (?:half\s+)? an? | {_HUNDREDS} | {DIGITS} ) [-\s]+ )? dozen
  | (?: {_HUNDREDS} | {DIGITS} ) {_AND_A_HALF}
  | {BELOW_100} \s+ point (?: \s+ (?:zero|oh|{either(ONES)}) )+
  | {_HUNDREDS}
  | zero
) (?!\w)"""
"""A number that is written with at least one word."""

AMOUNT: Final = rf"(?: {WORDS} | {DIGITS} )"
"""A number, written with or without words."""


def value(written: str) -> Fraction:
    """Return what a number is worth: ``two and a half million`` or ``1,500``."""
    whole, _, decimals = written.casefold().partition("point")
    total = group = Fraction(0)
    for word in re.findall(r"[^\W\d_]+|[\d.,]+", whole):
        if word in _SCALES:
            total, group = total + (group or 1) * _SCALES[word], Fraction(0)
        elif word in ("hundred", "dozen"):
            group = (group or 1) * (100 if word == "hundred" else 12)
        else:
            group += _worth(word)
    return total + group + _decimals(decimals.split())


def ordinal(written: str) -> int | None:
    """Return the number of an ordinal, such as ``3rd``, ``third`` or ``twenty-third``."""
    if digits := re.match(r"\d+", written):
        return int(digits[0])
    first, *rest = re.split(r"[-\s]+", written.casefold())
    if not rest:
        return ORDINALS.get(first)
    return TENS[first] + ORDINALS[rest[0]] if first in TENS and rest[0] in ORDINALS else None


ORDINAL_WORDS: Final = rf"(?: (?:{either(TENS)}) [-\s] (?:{either(list(ORDINALS)[:9])}) | {either(ORDINALS)} )"
ORDINAL: Final = rf"(?: \d{{1,4}} \s? (?:st|nd|rd|th) | {ORDINAL_WORDS} ) \b"


def _worth(word: str) -> Fraction:
    if word[0].isdigit():
        return Fraction(word.replace(",", "").rstrip("."))
    return Fraction(1, 2) if word == "half" else Fraction(SMALL.get(word, 0))


def _decimals(words: list[str]) -> Fraction:
    digits = "".join(str(SMALL[word]) for word in words)
    return Fraction(f"0.{digits}") if digits else Fraction(0)
