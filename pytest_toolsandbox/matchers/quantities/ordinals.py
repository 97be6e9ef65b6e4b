"""Ordinals: ``the 3rd``, ``third``, ``on the first``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from .quantity import Meaning, Quantity, Rule, after, before, compiled, quantity, unasked
from .words import ORDINAL, ordinal

_DAY_OF_MONTH: Final = compiled(r"\b(?:on|by|until|till|since|before|after)\s+the\s+\Z")
_ENDS: Final = compiled(r"\s*(?:\Z|[.,;!?)])|\s+(?:at|for|and|or|in|with|so|to)\b")
_OWNED: Final = compiled(r"\b(?:the|my|your|his|her|its|our|their)\s+\Z")
_NEXT: Final = compiled(r"\s+(?!(?:i|you|he|she|it|we|they)\b)[^\W\d_]")
_PART: Final = compiled(r"\b(?:an?|one|two|three|four|per|split|every|each)[-\s]+\Z|\d\s\Z")


def _ordinal(match: re.Match[str]) -> Sequence[Quantity] | None:
    """Read an ordinal, which a number may stand for; ``first`` and ``second`` mean more than that.

    They are asked for as days of a month, ``second`` also in ``the second floor``.
    """
    number = ordinal(match[0])
    if number is None:
        return None
    meanings: list[Meaning] = [("ordinal", number), ("number", number)]
    if match[0][0].isdigit():
        return [quantity(match[0], meanings)]
    if number > 1 and _PART.search(before(match)):
        return None  # a third of it, in a second
    return [(quantity if _is_meant(match, number) else unasked)(match[0], meanings)]


def _is_meant(match: re.Match[str], number: int) -> bool:
    if number > 2:  # noqa: PLR2004  # first and second
        return True
    if _DAY_OF_MONTH.search(before(match)) and _ENDS.match(after(match)):
        return True
    is_owned = _OWNED.search(before(match)) and _NEXT.match(after(match))
    return number == 2 and is_owned is not None  # noqa: PLR2004  # second


RULES: Final = (Rule(rf"(?<![\w-]) {ORDINAL} (?!\w)", _ordinal),)
