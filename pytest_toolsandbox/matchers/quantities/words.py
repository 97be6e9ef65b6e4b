"""Numbers as English writes them in words: pieces of patterns, and what they are worth.

All patterns are for ``re.VERBOSE`` and ``re.IGNORECASE``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from typing import Final

from pytest_toolsandbox.matchers.normal_text import split
from pytest_toolsandbox.matchers.numerals import LONGEST


def numbered(words: str, start: int, step: int = 1) -> dict[str, int]:
    """Return word → number for the words of a text."""
    return {word: start + step * index for index, word in enumerate(split(words))}


ONES: Final = numbered("one two three four five six seven eight nine", 1)
TEENS: Final = numbered(
    "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen", 10
)
TENS: Final = numbered("twenty thirty forty fifty sixty seventy eighty ninety", 20, step=10)
_SMALL: Final = {"zero": 0, "oh": 0, **ONES, **TEENS, **TENS}
_SCALES: Final = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
_FIRST_TO_NINTH: Final = numbered("first second third fourth fifth sixth seventh eighth ninth", 1)
_ORDINALS: Final = {
    **_FIRST_TO_NINTH,
    **numbered("tenth eleventh twelfth", 10),
    **{f"{name}th": number for name, number in TEENS.items() if name.endswith("teen")},
    **{f"{name[:-1]}ieth": number for name, number in TENS.items()},
}


def either(words: Iterable[str]) -> str:
    """Return a pattern for any of these words, longer ones first."""
    return "|".join(sorted(words, key=lambda word: (-len(word), word)))


NUMERAL: Final = r"(?<![\w.,:]) \d{1,15} (?:,\d{3}){0,4} (?:\.\d+)?"
BELOW_100: Final = rf"""
    (?: (?:{either(TENS)}) (?:[-\s]+ (?:{either(ONES)})\b )?
      | {either([*TEENS, *ONES])} )
"""
HUNDREDS: Final = rf"""
    (?: (?:an?|{BELOW_100}|{NUMERAL}) [-\s]+ hundred (?:[-\s]+ (?:and\s+)? {BELOW_100}\b )?
      | {BELOW_100} )
"""
"""A number below a thousand."""
_AND_A_HALF: Final = r"\s+ and \s+ (?:a|one) [-\s]+ half"
_SCALE: Final = rf"(?:{either(_SCALES)})"
_BEGINS: Final = "".join(sorted({word[0] for word in ("an", "half", "dozen", *TENS, *_SMALL)}))
WORDS: Final = rf"""(?<![\w]) (?=[{_BEGINS}\d]) (?:
    (?: (?:half\s+)? an? | {HUNDREDS} | {NUMERAL} ) (?:
        (?:{_AND_A_HALF})? [-\s]+ {_SCALE}
            (?: [-\s]+ (?:and\s+)? {HUNDREDS} (?:[-\s]+ {_SCALE})? ){{0,4}}
      | [-\s]+ dozen
      | {_AND_A_HALF} )
  | {HUNDREDS} (?: \s+ point (?: \s+ (?:zero|oh|{either(ONES)}) ){{1,6}} )?
  | dozen | zero
) (?!\w)"""
"""A number that is written with at least one word. Most places in a text can begin none."""

AMOUNT: Final = rf"(?<![\w]) (?=[{_BEGINS}\d]) (?: {WORDS} | {NUMERAL} )"
"""A number, written with or without words."""


def worth(written: str) -> Fraction:
    """Return what a number is worth: ``two and a half million`` or ``1,500``."""
    whole, _, decimals = written.casefold().partition("point")
    total = group = Fraction(0)
    for word in re.findall(r"[^\W\d_]+|[\d.,]+", whole):
        if word in _SCALES:
            total, group = total + (group or Fraction(1)) * _SCALES[word], Fraction(0)
        elif word in ("hundred", "dozen"):
            group = (group or Fraction(1)) * (100 if word == "hundred" else 12)
        else:
            group += _worth(word)
    digits = "".join(str(_SMALL[word]) for word in decimals.split())
    return total + group + Fraction(f"0.{digits}0")


def ordinal(written: str) -> int | None:
    """Return the number of an ordinal, such as ``3rd``, ``third`` or ``twenty-third``."""
    if digits := re.match(r"\d+", written):
        return int(digits[0])
    first, *rest = re.split(r"[-\s]+", written.casefold())
    if not rest:
        return _ORDINALS.get(first)
    return TENS[first] + _ORDINALS[rest[0]] if first in TENS and rest[0] in _ORDINALS else None


_ORDINAL_WORDS: Final = (
    rf"(?: (?:{either(TENS)}) [-\s] (?:{either(_FIRST_TO_NINTH)}) | {either(_ORDINALS)} )"
)
ORDINAL: Final = rf"(?: \d{{1,4}} \s? (?:st|nd|rd|th) | {_ORDINAL_WORDS} ) \b"


def _worth(word: str) -> Fraction:
    if len(word) > LONGEST:
        return Fraction(0)  # a code
    if word[0].isdigit():
        return Fraction(word.replace(",", "").rstrip("."))
    return Fraction(1, 2) if word == "half" else Fraction(_SMALL.get(word, 0))
