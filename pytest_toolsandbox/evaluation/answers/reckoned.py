"""What an answer reckons: other sums beside the right one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

IsKnown = Callable[[str], bool]
"""Whether question or answers have a number."""

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


def other_sums(sentence: str, is_known: IsKnown, is_asked: IsKnown) -> Iterator[str]:
    """Yield the other sums that a sentence concludes with."""
    places = (one.start() for one in re.finditer(_NUMBER, sentence) if is_asked(one[1]))
    last_asked = max(places, default=-1)
    for found in _CONCLUDED.finditer(sentence):
        if found.start() > last_asked and not any(map(is_known, _told(found))):
            yield found[0]


def _told(found: re.Match[str]) -> list[str]:
    return [*filter(None, found.groups())]
