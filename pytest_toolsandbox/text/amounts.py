"""Finds numbers in amounts: ``5.4 t``, ``8h46m``, ``1.542 €``, ``forty-eight``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import chain
from typing import Final

from .normal_text import normal_text, split

_DECIMAL: Final = r"(?<![\w.,])(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,15}(?:\.\d{1,15})?)"
_SCALES: Final = {"t": 10**3, "k": 10**3, "thousand": 10**3, "million": 10**6, "billion": 10**9}
_SCALED: Final = re.compile(
    rf"{_DECIMAL}\s?(?P<scale>t|(?:metric )?(?:tonn?es?|tons)|k|thousand|million|billion)(?!\w)"
)
_EURO: Final = r"(?:\u20ac|eur|euros?)"
_EUROPEAN: Final = re.compile(
    rf"""(?P<before>{_EURO}\s?)? (?<![\w.,]) (?P<whole>\d{{1,3}}(?:\.\d{{3}})+|\d{{1,15}})
    (?P<cents>,\d\d)? (?![\d.,]*\d) (?P<after>\s?{_EURO}(?!\w))?""",
    re.VERBOSE,
)
_ATTACHED: Final = re.compile(rf"{_DECIMAL}(?:h|hrs?|m|mins?|s|secs?|km|kg|g|cm|mm|ml|l)(?!\w)")
_TO_TEN: Final = {
    word: number
    for number, word in enumerate(split("one two three four five six seven eight nine ten"), 1)
}
_LARGE: Final = rf"(?<![\w.,:])(?P<large>\d{{1,4}}|{'|'.join(_TO_TEN)})"
_AND: Final = r"(?![^\W\d_])[\s,]*(?:and\s)?(?P<small>\d{1,2})"
_IN_SIXTIES: Final = (
    re.compile(rf"{_LARGE}\s?(?:h|hrs?|hours?){_AND}\s?(?:m|mins?|minutes?)(?![^\W_])"),
    re.compile(rf"{_LARGE}\s?(?:m|mins?|minutes?){_AND}\s?(?:s|secs?|seconds?)(?![^\W_])"),
    re.compile(rf"{_LARGE}:(?P<small>[0-5]\d)(?![\w:]|\s?[ap]\.?m)"),
)
"""Hours and minutes, minutes and seconds, and either as ``5:41``."""


_MAY_BE_IN_WORDS: Final = re.compile(
    r"(?:eleven|twelve|teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundred|thousand|million"
    r"|billion|dozen|half|point|dollars?|bucks|euros?|pounds?|quid)\b"
)
_MEANS_MORE: Final = 10
"""Smaller number words often mean something else: ``one of them``, ``a ten``."""
_COUNTS: Final = re.compile(rf"\b(?:{'|'.join(_TO_TEN)})[- ]\Z")
"""Such a word before a number word makes a time of day: ``seven thirty``."""


@lru_cache(maxsize=4096)
def amounts_in(text: str) -> frozenset[Fraction]:
    """Return the numbers in amounts with units or European notation, and in words.

    Tonnes are converted to kilograms, hours and minutes to minutes, minutes and seconds to seconds.
    A number with an attached unit, as in ``47m``, also counts by itself. A point may group
    thousands and a comma start the cents, as in ``1.542,50``. In words, this finds money with
    cents, numbers above ten, and numbers with decimals.
    """
    return frozenset(_amounts(normal_text(text)))


def _amounts(text: str) -> Iterator[Fraction]:
    for match in _SCALED.finditer(text):
        scale = _SCALES.get(match["scale"], 10**3)
        yield Fraction(match["number"].replace(",", "")) * scale
    for match in _ATTACHED.finditer(text):
        yield Fraction(match["number"].replace(",", ""))
    for match in _EUROPEAN.finditer(text):
        if match["before"] or match["after"] or "." in match["whole"] or match["cents"]:
            cents = (match["cents"] or ",0").replace(",", ".")
            yield Fraction(match["whole"].replace(".", "") + cents)
    if _MAY_BE_IN_WORDS.search(text):
        yield from _in_words(text)
    for match in chain.from_iterable(pattern.finditer(text) for pattern in _IN_SIXTIES):
        large = _TO_TEN.get(match["large"]) or int(match["large"])
        yield Fraction(large * 60 + int(match["small"]))


def _in_words(text: str) -> Iterator[Fraction]:
    from .quantities.numbers import ORDINAL, WORDS, with_cents, worth
    from .quantities.quantity import before, compiled  # slow imports

    plain = with_cents(text)
    if plain != text:
        yield from map(Fraction, re.findall(r"\d{1,9}\.\d\d", plain))
    for match in compiled(rf"{WORDS} (?! [-\s]{ORDINAL} )").finditer(text):
        number = worth(match[0])
        is_plain = number > _MEANS_MORE or "point" in match[0]
        if is_plain and not _COUNTS.search(before(match)):
            yield number
