"""What an answer reckons: terms of the right sum, and other sums, shares and ranges beside it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from fractions import Fraction
from itertools import combinations
from typing import Final

from pytest_toolsandbox.matchers.numerals import number_as_text

IsKnown = Callable[[str], bool]
"""Whether question or answers have a number."""

MOST_TERMS: Final = 8
"""Of more numbers nobody looks for those that add up."""
_NUMBER: Final = (
    r"(?<![\d,.])[$\u20ac\u00a3\u00a5]?(?<![\d,])(\d++(?:,++\d++)*+(?:\.\d++)?)(?![\w.,:/-]*\d)"
)
_UNIT: Final = r"(?: [^\W\d_]+){0,2}"
_CONCLUDED: Final = re.compile(
    r"\b(?:so|hence|thus|therefore)\b\W*(?:(?:[a-z][\w']* ){0,5}?"
    r"(?:it's|that's|is|are|be|get|get back|pay|costs?|comes? to|makes?|totals?) )?"
    rf"(?:(?:in all|all in all|altogether|together) )?{_NUMBER}"
    rf"|(?<![\w.,]){_NUMBER}{_UNIT} (?:altogether|all together|in all|in total|in sum)\b"
    rf"|\b(?:makes?|totals?|sums? to|adds? up to|come to) {_NUMBER}"
    rf"|\b(?:altogether|together(?! with)|in total),? (?:(?:it|that|they)[a-z' ]{{0,9}} )?{_NUMBER}"
    rf"|\bwith(?:out)? [^.;]{{1,40}}? (?:it's|it is|that's|there are) {_NUMBER}",
    re.IGNORECASE,
)
"""A number that is told as what everything comes to."""
_EACH: Final = re.compile(r"\b(?:each|apiece)\b")
_OF_EACH: Final = re.compile(
    rf"{_NUMBER}{_UNIT} (?:for )?(?:each|apiece)\b|^each\b.*?{_NUMBER}", re.IGNORECASE
)
"""A number that is told of each of several."""
_PART: Final = re.compile(
    rf"\b(?:alone|by itself)\b[^;]{{0,60}}?{_NUMBER}|{_NUMBER}[^,;]{{0,60}}?\b(?:alone|by itself)\b"
)
"""A number that is told of one of several."""
_RANGE: Final = re.compile(rf"\bbetween {_NUMBER}{_UNIT} and {_NUMBER}", re.IGNORECASE)


def terms(extras: Collection[str], totals: Iterable[Fraction]) -> set[str]:
    """Return those of the ``extras`` whose numbers add up to one of the ``totals``."""
    read = {one: number for one in extras if (number := _number_in(one)) is not None}
    wanted = {*totals}
    if len(read) > MOST_TERMS:
        return set()
    return {
        one
        for count in range(2, len(read) + 1)
        for some in combinations(read, count)
        if sum(read[one] for one in some) in wanted
        for one in some
    }


def other_sums(sentence: str, known: str, is_known: IsKnown, is_asked: IsKnown) -> Iterator[str]:
    """Yield what a sentence concludes instead: another sum, a share of each, a range.

    ``known`` is all that question and answers say, in small letters.
    """
    places = (one.start() for one in re.finditer(_NUMBER, sentence) if is_asked(one[1]))
    last_asked = max(places, default=-1)
    for found in _CONCLUDED.finditer(sentence):
        if found.start() > last_asked and not any(map(is_known, _told(found))):
            yield found[0]
    part = _PART.search(sentence)
    if part and any(map(is_asked, _numbers(part[0]))) and not _PART.search(known):
        yield part[0]
    each = None if _EACH.search(known) else _OF_EACH.search(sentence)
    if each and any(map(is_asked, _told(each))):
        yield each[0]
    for found in _RANGE.finditer(sentence):
        if len({*map(is_asked, _told(found))}) > 1:
            yield found[0]


def _told(found: re.Match[str]) -> list[str]:
    return [*filter(None, found.groups())]


def _numbers(text: str) -> list[str]:
    return re.findall(_NUMBER, text)


def _number_in(text: str) -> Fraction | None:
    found = _numbers(text)
    return number_as_text(found[0]) if len(found) == 1 else None
