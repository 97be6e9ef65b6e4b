"""Durations: ``30 minutes``, ``half an hour``, ``an hour and a half``, ``1h 30m``, ``2 years``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from .numbers import AMOUNT, NUMERAL, worth
from .quantity import Match, Meaning, Quantities, Quantity, Rule, compiled, quantity

_UNITS: Final = {
    "s": ("seconds", 1),
    "m": ("seconds", 60),
    "h": ("seconds", 3600),
    "d": ("seconds", 86_400),
    "w": ("seconds", 604_800),
    "mo": ("months", 1),
    "y": ("months", 12),
}
_UNIT: Final = r"""(?: (?:second|sec|minute|min|hour|hr|day|week|month|year)s? | h )"""
_FRACTIONS: Final = {"half": (1, 2), "quarter": (1, 4), "three quarters": (3, 4)}
_PARTS: Final = compiled(rf"(?P<amount>{AMOUNT}) [- \t]* (?P<unit> {_UNIT} | m | s ) (?![^\W\d_])")


def _durations(match: Match) -> Quantities:
    """Read one duration, several parts of one duration, or a range with its lower end."""
    parts = [(worth(part["amount"]), part["unit"]) for part in _PARTS.finditer(match["parts"])]
    if len(parts) > 1:
        return [_sum(match[0], parts)]
    ((amount, unit),) = parts
    whole = _duration(match["parts"], amount, unit)
    # "One day" may mean some day, so it is not required of a found text.
    if match[0].casefold() == "one day":
        return [quantity(match[0], also=[_meaning(amount, unit)])]
    low = match.groupdict().get("low")
    return [_duration(f"{low} {unit}", worth(low), unit), whole] if low else [whole]


def _duration(written: str, amount: Fraction, unit: str) -> Quantity:
    """Return a duration; years also mean an age, which is written as a plain number."""
    is_age = unit.casefold().startswith("y")
    alone: list[Meaning] = [("bare number", amount)] if is_age else []
    return quantity(written, [_meaning(amount, unit), *alone], [("number", amount)])


def _sum(written: str, parts: Sequence[tuple[Fraction, str]]) -> Quantity:
    meanings = [_meaning(*part) for part in parts]
    kinds = {kind for kind, _ in meanings}
    whole: list[Meaning] = [
        # ``an hour and 30 minutes`` equals ``90 minutes``; months and seconds cannot be added.
        (kind, sum(amount for amount_kind, amount in meanings if amount_kind == kind))
        for kind in kinds
    ]
    return quantity(written, whole, [*meanings, *(("number", amount) for amount, _ in parts)])


def _fraction(match: Match) -> Quantities:
    """Read ``half an hour`` and ``an hour and a half``."""
    part = Fraction(*_FRACTIONS[re.sub(r"[-\s]+", " ", match["part"].casefold())])
    return [quantity(match[0], [_meaning(part + bool(match["whole"]), match["unit"])])]


def _single(match: Match) -> Quantities:
    """Read ``an hour``, which is optional: it may be ``five dollars an hour``."""
    return [quantity(match[0], also=[_meaning(Fraction(1), match["unit"])])]


def _meaning(amount: Fraction, unit: str) -> tuple[str, Fraction]:
    letters = unit.casefold()
    kind, worth = _UNITS["mo" if letters.startswith("mo") else letters[0]]
    return kind, amount * worth


_SECONDS: Final = r"(?: \s? \d\d? \s? s (?!\w) )?"
"""After minutes, ``s`` means seconds; elsewhere it may be a plural or a possessive."""
_NEEDS: Final = rf"{_UNIT} (?!\w)"
_PART: Final = rf"{AMOUNT} [- \t]* {_UNIT} (?!\w)"

RULES: Final = (
    Rule(
        rf"""(?<!\w) (?<!and\s) (?<!and\sa\s)
        (?: an?\s+ )? (?P<whole>) (?P<part>half|quarter|three[-\s]+quarters)
        (?: [-\s]+ of )? (?: [-\s]+ an? )? [-\s]+ (?P<unit>{_UNIT}) (?!\w)""",
        _fraction,
        needs="half|quarter",
    ),
    Rule(
        rf"""(?<!\w) (?P<whole>an?|one) \s+ (?P<unit>{_UNIT}) \s+ and \s+ an? \s+
        (?P<part>half|quarter) (?!\w)""",
        _fraction,
        needs="half|quarter",
    ),
    Rule(rf"(?P<parts> {NUMERAL} \s? h \s? \d\d? \s? (?:min|m) {_SECONDS} ) (?!\w)", _durations),
    Rule(
        rf"""(?: (?P<low>(?>{AMOUNT})) \s* (?: - | \b(?:to|or)\b ) \s* )?
        (?P<parts> {_PART} (?: (?: ,?\s+and\s+ | ,?\s+ ) {_PART} ){{0,3}} {_SECONDS} )""",
        _durations,
        needs=_NEEDS,
    ),
    Rule(rf"(?<!\w) an? \s+ (?P<unit> {_UNIT} ) (?!\w)", _single, needs=_NEEDS),
)
