"""Strip the endings of English words, and list the function words."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from pytest_toolsandbox.matchers.normal_text import split

HOLLOW: Final = frozenset(
    split("""
    a able about all already also am an and any anything are as at be been being but by can could
    did do does doing done for from get go going got had has have he her him his how i if in is it
    its just may me might must my no not now of on or our please shall she should so some still than
    that the their them then there these they this those to too up us was we were what when which
    while will with would yes yet you your
    """)
)
_ENDING: Final = re.compile(r"(?<=\w{3})(?:at)?(?:ions?|ings?|ers?|ed|es|s|e|'s)$")
_DOUBLED: Final = re.compile(r"(?<=\w\w)(\w)\1$")
_IRREGULAR: Final = {
    word: first
    for first, *words in map(
        str.split,
        (
            "send sent", "tell told", "write wrote written", "find found", "make made",
            "set setting", "throw thrown threw", "keep kept", "go went gone goes", "come came",
            "leave left", "lose lost", "take took taken", "bring brought", "buy bought",
            "meet met", "see saw seen", "know knew known", "pay paid", "give gave given",
            "run ran", "say said",
        ),
    )
    for word in words
}  # fmt: skip
_FORM: Final = re.compile(r"(?:(?<=r)r)?(?:ed|ing|s)$")
_WHOLE: Final = frozenset(
    split("""
    answer consider cover deliver discover enter filter mention monitor number offer order position
    question recover refer register remember transfer trigger water
    """)
)
"""Verbs whose ending is part of the word."""
_BRITISH: Final = re.compile(
    r"(?<=[a-z]{2}o)u(?=r(?:s|ed|ing|ite|ites|able|ful)?$)|(?<=ogu)e$|(?<=[a-z]{4}i)s(?=(?:e|es|ed|ing|ation)$)"
)
"""The places where British and American spelling differ."""


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Return a lower-case word without its ending: ``send`` for ``sent`` and ``sending``."""
    if (first := _FORM.sub("", word)) in _WHOLE:
        return first
    word = _BRITISH.sub(lambda found: "z" if found[0] == "s" else "", _IRREGULAR.get(word, word))
    return _DOUBLED.sub(r"\1", _ENDING.sub("", word))
