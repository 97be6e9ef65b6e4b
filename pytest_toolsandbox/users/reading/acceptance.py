"""Recognize sentences that only accept a request: "Got it", "As you wish"."""

from __future__ import annotations

import re
from typing import Final

_PHRASES: Final = (
    r"sure(?: thing)?|of course|okay|ok|okey[- ]?doke?y?|got (?:it|you)|gotcha|certainly",
    r"absolutely|definitely|alright|all right|no problem|understood|great|perfect|right|yes|yep",
    r"yeah|gladly|with pleasure|noted|roger(?: that)?|copy that|very (?:well|good)|fine",
    r"sounds good|you (?:got it|bet)|consider it done|fair enough|makes sense",
    r"as you (?:wish|like|say)|leave (?:it|that|this) (?:with|to) me|count on me",
    r"(?:i(?:'d| would|'ll| will|'m| am) (?:be )?)?(?:more than |very )?(?:happy|glad) to",
    r"(?:help|assist|do)(?: you)?(?: (?:out|with|so|it|that|this))+|(?:help|assist)(?: you)?",
    r"i can (?:help(?: you)? with|do|take care of|look into) (?:it|that|this)(?: for you)?",
    r"here (?:goes|we go)|let's (?:go|do (?:it|that|this))|challenge accepted|easy(?: enough)?",
    r"on my way|first things first|say no more|i (?:understand|see|hear you)",
)
_PHRASE: Final = f"(?:{'|'.join(_PHRASES)})"
_ACCEPTS: Final = re.compile(
    rf"^\W*{_PHRASE}(?:\W+(?:and|then|so|thanks?|thank you|at all|{_PHRASE}))*\W*$", re.IGNORECASE
)


def accepts(sentence: str) -> bool:
    """Return whether a sentence only accepts a request."""
    return bool(_ACCEPTS.search(sentence))
