"""Phrases in the place of which a text may have other ones: ``set off`` for ``leave``."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_AWAY: Final = r"(?:off|out|over|back)"
_NOT_PERSONS: Final = r"(?<!\bi )(?<!\bwe )(?<!\bhe )(?<!\bshe )(?<!\bthey )(?<!\byou )"
_NOW_ON: Final = r"(?:from now on|from (?:today|now)|as of (?:now|today)|starting (?:now|today))"
_REACHED: Final = (
    r"(?:you can |you may |you will |you'll |please )?(?:now )?(?:reach|call|phone|text|ring"
    r"|contact|find) me (?:at|on|under|by phone at)"
)
_PHONE: Final = r"(\+?\(?\d[\d() -]{4,20}\d)"
_YES: Final = r"(?:sure(?: thing)?|certainly|absolutely|by all means|no problem|gladly)"
_INSTEAD: Final = r"(?:(?:fill|stand|step|jump)(?:s|ing)? in|cover(?:s|ing)?|substitut(?:es?|ing))"
_PAPER_LEFT: Final = (
    r"\b((?:the|our|my|your|'s) (?:\w+ )?(?:offer|letter|invoice|bill|parcel|package|contract|order"
    r"|catalog|payment|shipment|delivery|mail|email)\b"
    r"(?: (?:to|for) (?:the )?\w+(?: (?-i:[A-Z])\w+)?)?)"
    r" (?:has |have )?(?:just |already )?left\b(?! (?:over|out|behind|off|open)\b)"
    r"(?: (?:the|our|my) (?:house|office|building|desk|warehouse)\b)?"
)

_REWRITES: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), put)
    for pattern, put in (
        (rf"\bheading (?:{_AWAY} )?(?:to|for)\b", "leaving for"),
        (rf"\bheads? (?:{_AWAY} )?(?:to|for)\b", "leave for"),
        (r"\bsetting (?:off\b|out (?=for\b|at\b|on\b|to\b))", "leaving "),
        (r"\bsets? (?:off\b|out (?=for\b|at\b|on\b|to\b))", "leave "),
        (r"\b(?:didn't|did not) go out\b", "was not sent"),
        (rf"{_NOT_PERSONS}\bwent out\b", "was sent"),
        (rf"{_NOT_PERSONS}\b(?:has|have) (?:just |already )?gone out\b", "was sent"),
        (r"\bcan (?:hardly|barely|scarcely) wait\b", "can't wait"),
        (_PAPER_LEFT, r"\1 was sent"),
        (r"\b(?:don't|do not) forget (?=(?:your|the|an?)\b)", "take "),
        (r"\blet (me|us) have\b", r"lend \1"),
        (r"\b(?:apiece|(?:per|for each|for every) (?:copy|piece|item|unit))\b", "each"),
        (r"(?<=\d )an? (?:copy|piece|item|unit)\b", "each"),
        (rf"(?:(?<=[,.!?] )|^){_YES}(?=[,.!])", "of course"),
        (
            r"\b(?:i'm|i am|we're|we are) (fine|good|ok|okay|happy|all right) with\b",
            r"\1 for me is",
        ),
        (r"\b(?:no|not a) (?:problem|trouble|issue)(?: at all| whatsoever)?\b", "fine"),
        (rf"\b{_INSTEAD} for (?-i:([A-Z]\w+))", r"taking \1's place"),
        (r"\b(sent [^.?!:\n]{0,60}): ", r"\1, "),
        (r"\bnumber (?:has |is )?(?:just )?changed\b(?: to\b)?", "number is new:"),
        (rf"\b{_NOW_ON},? {_REACHED} {_PHONE}", r"my new number is \1"),
        (rf"\b{_REACHED} {_PHONE},? (?:{_NOW_ON}|now)\b", r"my new number is \1"),
    )
)


@lru_cache(maxsize=2048)
def with_usual_phrases(text: str) -> str:
    """Return a text in which phrases of one meaning are the same one."""
    for pattern, put in _REWRITES:
        text = pattern.sub(put, text)
    return text
