"""Durations: ``30 minutes``, ``half an hour``, ``an hour and a half``, ``1h 30m``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from .detail import Detail, Meaning, detail, rule, unasked
from .words import AMOUNT, value

_SECONDS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_UNIT: Final = "(?: seconds? | secs? | minutes? | mins? | hours? | hrs? | h | days? | weeks? )"
_FRACTIONS: Final = {
    "half": Fraction(1, 2),
    "quarter": Fraction(1, 4),
    "three quarters": Fraction(3, 4),
}


def _duration(match: re.Match[str]) -> Sequence[Detail]:
    """Read one amount of time, or several that belong together."""
    parts = [
        (value(part["amount"]), _SECONDS[part["unit"][0].casefold()])
        for part in _PARTS.finditer(match[0])
    ]
    whole = _seconds(sum((amount * seconds for amount, seconds in parts), Fraction(0)))
    numbers: list[Meaning] = [("number", amount) for amount, _ in parts]
    if len(parts) == 1:
        return [detail(match[0], [whole, *numbers])]
    return [detail(match[0], [whole], [*numbers, *(_seconds(a * s) for a, s in parts)])]


def _fraction(match: re.Match[str]) -> Sequence[Detail]:
    part = _FRACTIONS[re.sub(r"[-\s]+", " ", match["part"].casefold())]
    return [detail(match[0], [_seconds(part * _SECONDS[match["unit"][0].casefold()])])]


def _and_a_fraction(match: re.Match[str]) -> Sequence[Detail]:
    part = _FRACTIONS[match["part"].casefold()]
    return [detail(match[0], [_seconds((1 + part) * _SECONDS[match["unit"][0].casefold()])])]


def _single(match: re.Match[str]) -> Sequence[Detail]:
    """Read ``an hour``, which nobody is asked for: it may be ``five dollars an hour``."""
    return [unasked(match[0], [_seconds(Fraction(_SECONDS[match["unit"][0].casefold()]))])]


def _seconds(seconds: Fraction) -> Meaning:
    return "duration", seconds


_PARTS: Final = re.compile(
    rf"(?P<amount>{AMOUNT}) [-\s]? (?P<unit> {_UNIT} | m ) (?![^\W\d_])", re.I | re.X
)
_PART: Final = rf"{AMOUNT} [-\s]* {_UNIT} (?!\w)"
_SHORT: Final = r"(?<![\w.,:]) \d{1,3} \s? h \s? \d\d? \s? (?:min|m) (?!\w)"

RULES: Final = (
    rule(
        rf"""(?<!\w) (?:an?\s+)? (?P<part> half | three [-\s]+ quarters | quarter )
        (?: [-\s]+ of )? (?: [-\s]+ an? )? [-\s]+ (?P<unit>{_UNIT}) (?!\w)""",
        _fraction,
    ),
    rule(
        rf"(?<!\w) (?:an?|one) \s+ (?P<unit>{_UNIT}) \s+ and \s+ an? \s+ (?P<part>half|quarter) (?!\w)",
        _and_a_fraction,
    ),
    rule(_SHORT, _duration),
    rule(rf"(?<![\w.]) {_PART} (?: (?: ,?\s+and\s+ | ,?\s+ ) {_PART} )*", _duration),
    rule(rf"(?<!\w) an? \s+ (?P<unit> {_UNIT} ) (?!\w)", _single),
)
