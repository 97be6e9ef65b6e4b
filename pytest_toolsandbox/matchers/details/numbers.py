"""Numbers in words and in digits, and codes that hold digits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from pytest_toolsandbox.matchers.numerals import numbers_in, written

from .detail import Detail, Meaning, after, before, detail, rule, unasked
from .words import AMOUNT, DIGITS, WORDS, either, value

_NO_NOUNS: Final = frozenset(
    """
    about after again ago all also am an and another any are as at away back be because been before
    being but by can could did do does each even ever every for from had has have he her here hers
    him his how however i if in inside instead into is it its just later like may maybe me might
    mine more most must my near next no nor not now of off on once only onto or other our ours out
    outside over per perhaps please rather really said same says shall she should since so some
    still such than thank thanks that the their them then there these they this those though till to
    today tomorrow tonight too under unless until up upon us very via was we well were what when
    where whether which while who whom whose why will with within without would yes yet you your
    by day thing works came told asked
    """.split()
)
"""Words after ``one`` that leave it a pronoun: ``one of them``, ``one is``."""

_NOBODY: Final = re.compile(r"\b(?:no|any|every|some)[-\s]+\Z", re.IGNORECASE)
_THE: Final = "(?:a|the|this|that|these|those|each|which|another|my|your|his|her|our|their)"
_THE_ONE: Final = re.compile(rf"\b{_THE}\s+(?:(?P<between>[^\W\d_]+)\s+)?\Z", re.IGNORECASE)
_NOUN: Final = re.compile(r"\s+(?P<noun>[^\W\d_]+)")
_MINUS: Final = re.compile(r"[\d\w]\s\Z")

_LOOSE: Final = {"both": 2, "couple": 2, "pair": 2, "twice": 2, "single": 1, "none": 0, "no": 0}
"""Words that stand for a number where one is looked for."""

_PARTS: Final = {"half": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4}
_COUNTS: Final = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3}
_LARGE: Final = {"k": 10**3, "m": 10**6, "mn": 10**6, "bn": 10**9, "b": 10**9}


def _number(match: re.Match[str]) -> Sequence[Detail] | None:
    if match[0].casefold() == "one":
        return _one(match)
    return [detail(match[0], [("number", value(match[0]))])]
