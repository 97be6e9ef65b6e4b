"""Named days: ``Friday``, ``Sat``, ``today``, ``tomorrow``, ``tonight``."""

from __future__ import annotations

from typing import Final

from .numbers import either, numbered
from .quantity import BLANK, Match, Quantities, Quantity, Rule, after, before, compiled, quantity

WEEKDAYS: Final = numbered("monday tuesday wednesday thursday friday saturday sunday", 0)
_SHORT: Final = {"tue": 1, "tues": 1, "weds": 2, "thu": 3, "thur": 3, "thurs": 3, "fri": 4}
_OTHER_WORDS: Final = {"mon": 0, "wed": 2, "sat": 5, "sun": 6}
"""Abbreviations that are also other words."""

_NUMBERS: Final = {**WEEKDAYS, **_SHORT, **_OTHER_WORDS}
_DAY: Final = either(_NUMBERS)
_LEADS: Final = compiled(
    r"(?: \b(?:on|next|last|this|every|until|till|by|from|to|and|or)\s | [-/&,(] \s? ) \s*\Z"
)
_LEADS_SURELY: Final = compiled(r"\b(?:on|next|last|every)\s+\Z")
_FOLLOWS: Final = compiled(rf"""\.?,?\s* (?: [\d{BLANK}] | [-/&](?:{_DAY})\b
      | (?:at|morning|afternoon|evening|night)\b | (?:and|or|to)\s+(?:{_DAY})\b )""")
_ENDS: Final = compiled(r"""[^\S\n]* (?: \Z | [\n.,;!?)'"] )""")

_TODAY: Final = ("day", "today")
_SOME_TIME_TODAY: Final = ("day", "some time today")


def _weekday(match: Match) -> Quantities:
    return [quantity(match[0], [("weekday", _NUMBERS[match["name"].casefold()])])]


def _ambiguous_weekday(match: Match) -> Quantities:
    """Read ``Sat 5 pm`` and ``on sat``, but not ``she sat`` and ``the sun``."""
    follows, leads = after(match), before(match)
    # A capital letter alone does not decide: it may begin a sentence, as in "Sat down".
    if match["name"][0].isupper():
        is_meant = _FOLLOWS.match(follows) or _LEADS.search(leads)
    else:
        ends = _FOLLOWS.match(follows) or _ENDS.match(follows)
        is_meant = _LEADS_SURELY.search(leads) and ends
    return _weekday(match) if is_meant else None


def _relative(match: Match) -> Quantities:
    words = match[0].casefold()
    day = "tomorrow" if words.startswith("tm") or "tomorrow" in words else "yesterday"
    far = next((f"{side} " for side in ("after", "before") if side in words), "")
    return [quantity(match[0], [("day", far + day)])]


def _part_of_today(match: Match) -> Quantities:
    """Read ``tonight``: an expected ``tonight`` accepts ``today``, and the reverse."""
    this = ("day", (match["part"] or "evening").casefold())
    return [Quantity(match[0], frozenset({this, _SOME_TIME_TODAY}), frozenset({this, _TODAY}))]


RULES: Final = (
    Rule(rf"(?<!\w) (?P<name>{either(WEEKDAYS)}) s? (?!\w)", _weekday),
    Rule(rf"(?<!\w) (?P<name>{either(_SHORT)}) (?!\w) \.?", _weekday),
    Rule(rf"(?<!\w) (?P<name>{either(_OTHER_WORDS)}) (?!\w)", _ambiguous_weekday),
    Rule(
        r"""(?<!\w) (?: (?:the\s+)? day\s+after\s+tomorrow | tomorrow | tmrw | tmr
          | (?:the\s+)? day\s+before\s+yesterday | yesterday | last\s+night ) (?!\w)""",
        _relative,
    ),
    Rule(r"(?<!\w) today (?!\w)", lambda match: [quantity(match[0], [_TODAY], [_SOME_TIME_TODAY])]),
    Rule(
        r"(?<!\w) (?: tonight | this\s+(?P<part>morning|afternoon|evening) ) (?!\w)", _part_of_today
    ),
)
