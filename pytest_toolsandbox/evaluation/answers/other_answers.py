"""What makes another answer of a right one: a bound, a second opinion, a longer name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Set as AbstractSet
from fractions import Fraction
from itertools import chain
from typing import Final

from pytest_toolsandbox.wording.sentences import parts

from .fact import Fact, has_any, plain

_BOUND: Final = re.compile(
    r"\b(?:(?:more|less|fewer|greater|higher|lower) than|over|under|above|below|almost|nearly"
    r"|at (?:most|least)|upwards of|not quite|twice|double|triple|\w+ times|half of|minus"
    r"|(?:short|in excess|north|south) of|approaching|no (?:more|less|fewer) than)\s[^\w\s]*"
    r"(?P<number>\d(?:[\d,]*\d)?(?:\.\d+)?)(?![\w.,:/-]*\d)"
    r"|(?<![\w.,])(?P<scaled>\d[\d,]*(?:\.\d+)?)[ -]"
    r"(?P<scale>thousand|million|billion)\b"
    r"|(?<![\w.,])(?P<whole>\d+),\d\d?(?![\d,])",
    re.IGNORECASE,
)
"""A number that is more or less, or some times as much, than one that is told."""
_SCALES: Final = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
_GIVES_OUT: Final = re.compile(
    r"""\b(?:(?:right|correct|real|actual|true|final)\ (?:answer|value|one|result)
      | just\ as\ (?:right|good) | more\ likely | fits\ (?:as\ well|too|better) | make\ (?:that|it)
      | (?:what|who)\ you(?:'re|\ are)\ looking\ for | (?:another|other)\ sources? | source\ gives
      | (?:may|might|could)\ be\ right | says\ it's | i\ meant? | was\ it | the\ answer\ is )\b
    | ^\W*(?:better|correction|edit|candidates?|(?:first|second)\ choice
      |actually\ it's|no\ wait)\b""",
    re.VERBOSE | re.IGNORECASE,
)
_DENIED: Final = re.compile(r"\b(?:not|never|none)\b|n't\b", re.IGNORECASE)
_NAME: Final = re.compile(
    r"(?:(?<=[\w,;:] )|^(?=[A-Z][\w'-]+ [A-Z][\w'-]+\.?$))([A-Z][\w']+(?:[ -][A-Z][\w']+)*)",
    re.MULTILINE,
)
"""A name that does not begin a sentence, or is a line of two words."""
_IT_IS: Final = re.compile(r"(?:it|that|there|here|he|she|who)'s")
_OF_A_COUNTRY: Final = re.compile(r"[a-z]{2,}(?:an|ese|ish)")
"""Where somebody is from, before a name."""


def bounds(text: str, known: str, is_asked: Callable[[str], bool]) -> Iterator[str]:
    """Yield the numbers of an answer that are told as bounds, and not so in what is ``known``.

    Who tells ``more than 447`` for 447 has not said how much it is.
    """
    for found in _BOUND.finditer(text):
        number = found["number"] or found["scaled"] or found["whole"]
        scale = _SCALES.get((found["scale"] or "").casefold(), 1)
        is_same = scale > 1 and is_asked(f"{Fraction(number.replace(',', '')) * scale}")
        is_negative = found[0].casefold().startswith("minus") and f"-{number}" in known
        is_told = found[0].casefold() in known or is_same or is_negative
        if is_asked(number) and not is_told:
            yield found[0]


def given_out(text: str, facts: Iterable[Fact]) -> Iterator[str]:
    """Yield the sentences that call something else the answer: ``In fact, make it 5.``.

    Without facts, as where an answer is to match a pattern, there are none.
    """
    asked = tuple(facts)
    pieces = (re.split(r";\s", one) for line in text.splitlines() for one in parts(line))
    for piece in chain.from_iterable(pieces):
        has_value = asked and re.search(r"\d|[^\W\d_a-z]\w+[^:]*\Z", piece.strip()[1:])
        is_right = _DENIED.search(piece) or has_any(asked, piece)
        if has_value and _GIVES_OUT.search(piece) and not is_right:
            yield plain(piece)


def namesakes(text: str, facts: Iterable[Fact], words: AbstractSet[str]) -> Iterator[str]:
    """Yield names that have a fact and, beside it, a word that is not among ``words``."""
    named = [one for one in facts if isinstance(one[0], str) and not re.search(r"\d", one[0])]
    known = {part for word in words for part in re.split("[-']", word)}
    for found in _NAME.finditer(text):
        own = [one.casefold() for one in re.findall(r"[^\W\d_][\w']*", found[1])]
        own = [one.removesuffix("'s") for one in own if not _IT_IS.fullmatch(one)]
        own = own[bool(_OF_A_COUNTRY.fullmatch(own[0])) :] if own else own
        is_strange = len(own) > 1 and not known.issuperset(own)
        if is_strange and has_any(named, found[1]):
            yield found[1]
