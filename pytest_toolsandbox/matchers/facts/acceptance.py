"""How a letter says that something is fine: ``half past five it is``."""

from __future__ import annotations

import re
from typing import Final

_FINE: Final = re.compile(r"\b(?:fine|okay|ok|all right|suits?|works)\b", re.IGNORECASE)
_DAY: Final = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|today|tomorrow|tonight"
_HOUR: Final = (
    r"noon|midnight|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirty"
    r"|\d{1,2}(?:[:.]\d\d)?"
)
_TIME: Final = rf"(?:{_DAY}|(?:{_HOUR})(?: ?[ap]\.?m\b\.?| o'clock)?)"
_ONE: Final = (
    rf"(?:(?:the|that|your|this) (?:\w+ )?(?:appointment|slot|time|date|one)\b|{_TIME}\b(?! off))"
)
_START: Final = r"(?:(?<=[.,!?;:\n-] )|(?<=\n)|(?<=and )|^)"
_GLADLY: Final = r"(?:gladly|happily|be (?:glad|happy|delighted|pleased) to)"

_ACCEPTED: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), put)
    for pattern, put in (
        (rf"\b({_TIME}) it is(?= then\b|\s*[,.!;:-]|\s*$)", r"\1 is fine"),
        (rf"\bi(?:'ll| will) (?:{_GLADLY} )?(?:take|accept) (?={_ONE})", "fine for me is "),
        (rf"\bi(?:'d| would) {_GLADLY} (?:take|accept) (?={_ONE})", "fine for me is "),
        (rf"{_START}i (?:gladly |happily )?(?:take|accept) (?={_ONE})", "fine for me is "),
        (
            rf"\bi(?:'d| would|'ll| will|'m| am) (?:very )?(?:{_GLADLY}|(?:glad|happy) to) come\b",
            "fine for me is to come",
        ),
        (
            rf"\blet(?:'s| us) (?:make it|meet|say|take) (?=(?:at |on |half past )*{_TIME})",
            "fine is ",
        ),
        (rf"{_START}(?:agreed|deal)(?=[,.!:])", "fine"),
    )
)


def with_acceptance(expected: str, found: str) -> str:
    """Return a text with what accepts something put as in another, which says that it is fine."""
    if _FINE.search(expected) and not _FINE.search(found):
        for pattern, put in _ACCEPTED:
            found = pattern.sub(put, found)
    return found
