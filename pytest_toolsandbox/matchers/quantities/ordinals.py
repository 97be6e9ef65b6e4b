"""Ordinals: ``the 3rd``, ``third``, ``on the first``."""

from __future__ import annotations

from typing import Final

from .quantity import Found, Match, Meaning, Rule, after, before, compiled, quantity
from .words import ORDINAL, ordinal

_DAY_OF_MONTH: Final = compiled(r"\b(?:on|by|until|till|since|before|after)\s+the\s+\Z")
_ENDS: Final = compiled(r"\s*(?:\Z|[.,;!?)])|\s+(?:at|for|and|or|in|with|so|to)\b")
_OWNED: Final = compiled(r"\b(?:the|my|your|his|her|its|our|their)\s+\Z")
_NEXT: Final = compiled(r"\s+(?!(?:i|you|he|she|it|we|they)\b)[^\W\d_]")
_PART: Final = compiled(r"\b(?:an?|one|two|three|four|per|split|every|each)[-\s]+\Z|\d\s\Z")


def _ordinal(match: Match) -> Found:
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
    return [quantity(match[0], meanings if _is_meant(match, number) else (), meanings)]


def _is_meant(match: Match, number: int) -> bool:
    leads, follows = before(match), after(match)
    is_day = _DAY_OF_MONTH.search(leads) and _ENDS.match(follows)
    is_owned = _OWNED.search(leads) and _NEXT.match(follows)
    return number not in (1, 2) or bool(is_day or (number != 1 and is_owned))


RULES: Final = (Rule(rf"(?<![\w-]) {ORDINAL} (?!\w)", _ordinal),)
