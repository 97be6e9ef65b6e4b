"""Units behind and before the numbers of a text, and numbers that have another one's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import chain
from typing import Final, NamedTuple

from pytest_toolsandbox.text.normal_text import normal_text
from pytest_toolsandbox.text.numerals import number_as_text

from .numbers import BELOW_100, HUNDREDS, TEENS, TENS, either, worth

_KINDS: Final[Mapping[str, Mapping[str, str]]] = {
    "temperature": {
        "celsius": "c celsius centigrade degc",
        "fahrenheit": "f fahrenheit degf",
        "kelvin": "kelvin kelvins",
    },
    "length": {
        "kilometer": "km kms kilometer kilometers kilometre kilometres",
        "mile": "mi mile miles",
        "meter": "m meter meters metre metres",
        "foot": "ft foot feet",
        "yard": "yd yds yard yards",
        "inch": "inch inches",
        "millimeter": "mm millimeter millimeters millimetre millimetres",
        "micrometer": "\u03bcm micrometer micrometers micrometre micrometres",
        "nanometer": "nm nanometer nanometers nanometre nanometres",
        "picometer": "picometer picometers picometre picometres",
        "femtometer": "femtometer femtometers femtometre femtometres",
        "centimeter": "cm centimeter centimeters centimetre centimetres",
    },
    "volume": {
        "liter": "l liter liters litre litres",
        "milliliter": "ml milliliter milliliters millilitre millilitres",
        "fluid ounce": "fl_oz fluid_ounce fluid_ounces",
        "imperial fluid ounce": "imperial_fl_oz imperial_fluid_ounce imperial_fluid_ounces",
        "pint": "pt pint pints",
        "gallon": "gal gallon gallons",
    },
    "mass": {
        "microgram": "\u03bcg ug mcg microgram micrograms",
        "milligram": "mg milligram milligrams",
        "kilogram": "kg kgs kilo kilos kilogram kilograms",
        "gram": "g gram grams",
        "pound of mass": "lb lbs",
        "ounce": "oz ounce ounces",
        "tonne": "t ton tons tonne tonnes",
    },
    "money": {
        "dollar": "$ usd dollar dollars bucks",
        "euro": "\u20ac eur euro euros",
        "pound": "\u00a3 gbp quid",
        "yen": "\u00a5 jpy yen",
        "krone": "nok krone kroner crown crowns",
        "franc": "chf franc francs",
        "real": "brl reais",
    },
    "time": {
        "second": "s sec secs second seconds",
        "minute": "min mins minute minutes",
        "hour": "h hr hrs hour hours",
        "day": "d day days",
        "week": "wk wks week weeks",
        "month": "month months",
        "year": "yr yrs year years",
    },
    "power": {"watt": "w watt watts", "kilowatt": "kw kilowatt kilowatts", "megawatt": "megawatts"},
    "share": {"percent": "% percent"},
}
"""Kind → unit → how it is written. ``pound`` may be of money or of mass, so it is of neither."""
_UNITS: Final = {
    word: (kind, unit)
    for kind, units in _KINDS.items()
    for unit, words in units.items()
    for word in words.split()
}
_SCALES: Final = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
_WHOLE: Final = 4
"""Letters of the shortest unit that is no shortened word."""
_MONEY: Final = (
    *(word for words in _KINDS["money"].values() for word in words.split() if word.isalpha()),
    *("ct", "cent", "cents"),
)
_SIGNS: Final = "$\u20ac\u00a3\u00a5"
_CODES: Final = "eur|usd|gbp|jpy|nok|chf|brl"
_AMOUNT: Final = re.compile(
    rf"""(?<![\w.:/,-]) (?P<before> [{_SIGNS}] \s? | (?:us|c)\$ \s? | \b(?:{_CODES})\s )?
    (?P<number> \d++(?:,++\d++)*+(?:\.\d+)? | {HUNDREDS}\b ) (?! [\d:] | [.,/-]\d )
    (?: \ (?P<scale> {either(_SCALES)} )\b )?
    (?: [ -]? (?: degrees?\b | deg\b | \u00b0 )? [ -]?
        (?P<unit> [{_SIGNS}%] | (?:us\ |brazilian\ )? (?:imperial\ )? (?:fl(?:uid)?\.?\ )?
            (?!(?:an?|per|each)\b) [a-z\u03bc]+ ) )?
    (?: \s? (?: / | \b(?:per|an?|each)\s ) \s? (?:sq(?:uare)?\b\.?\s)? (?P<per> [a-z]+ ) )?""",
    re.VERBOSE,
)
_CENTS: Final = rf"""(?: ,?\ (?:and\ )? (?P<cents> \d{{1,2}} | {BELOW_100} ) \ (?:cents?|pence|p)\b
    | \ (?:and\ )? (?P<rest> \d\d | (?= {either((*TENS, *TEENS))} ) {BELOW_100} )\b
        (?! [ ]?(?!(?:so|as|in|by|and|now|today|altogether)\b)[\w%.,:]*\w ) )"""
_SPOKEN: Final = re.compile(
    rf"""(?<![\w.,:/-]) (?P<whole> \d{{1,9}} | {HUNDREDS} )
    \ (?P<unit> dollars?|bucks|euros?|pounds?|quid ) {_CENTS}""",
    re.VERBOSE,
)
"""Money as people say it: ``3 dollars 50``, ``three dollars and fifty cents``."""
_COMMA: Final = re.compile(
    rf"""(?<![\w.,:/-]) (?P<before> [{_SIGNS}] \s? | \b(?:{_CODES})\s )?
    (?P<whole> \d{{1,3}}(?:\.\d{{3}})+ | \d{{1,15}} ) , (?P<cents> \d\d? ) (?! [.,]?\d )
    (?P<after> \s? (?: [{_SIGNS}] | {either(_MONEY)} )(?!\w) )?""",
    re.VERBOSE,
)
"""Money with a comma before its cents, as most of Europe writes it."""
_PER: Final = {
    **{word: unit for word, (_, unit) in _UNITS.items()},
    **dict.fromkeys(("pound", "pounds"), "pound of mass"),
}


class Amount(NamedTuple):
    """A number with the unit that it has, of which kind of unit this is, and how it is written."""

    number: Fraction
    kind: str
    unit: str
    written: str


@lru_cache(maxsize=2048)
def amounts_with_units(text: str) -> tuple[Amount, ...]:
    """Return the numbers of a text that have a unit; one may have two, as ``$13 a kilo``."""
    return tuple(_amounts(normal_text(text)))


def with_cents(text: str) -> str:
    """Return a text in small letters with money as digits: ``3.50 dollars`` of ``3 dollars 50``."""

    def in_digits(match: re.Match[str]) -> str:
        whole, cents = worth(match["whole"]), int(worth(match["cents"] or match["rest"]))
        return f"{whole}.{cents:02} {match['unit']}" if whole == int(whole) else match[0]

    return _SPOKEN.sub(in_digits, text)


def _with_points(text: str) -> str:
    """Return a text in small letters with points before cents: ``2.50 euros`` of ``2,50 euros``."""

    def pointed(match: re.Match[str]) -> str:
        before, after = match["before"] or "", match["after"] or ""
        whole = match["whole"].replace(".", "")
        return f"{before}{whole}.{match['cents']}{after}" if before or after else match[0]

    return _COMMA.sub(pointed, text)


def _amounts(text: str) -> Iterator[Amount]:
    for match in _AMOUNT.finditer(with_cents(_with_points(text))):
        number = number_as_text(match["number"]) or worth(match["number"])
        number *= _SCALES.get(match["scale"], 1)
        word = (match["before"] or match["unit"] or "").strip().replace(".", "").replace(" ", "_")
        word = re.sub("^(?:us|brazilian)_", "", word).removeprefix("us" * word.endswith("$"))
        written = match[0].strip()
        if word in _UNITS:
            yield Amount(number, *_UNITS[word], written)
        if match["per"] in _PER:
            yield Amount(number, "per", _PER[match["per"]], written)


def with_other_units(text: str, answers: Sequence[str], question: str = "") -> list[str]:
    """Return the amounts of a text whose number answers and question give in other units alone.

    Where the answers give money in some currencies, those of a text in others are among them; so
    is a number that is all that they say, in a unit, where question and answers name another one
    of its kind.
    """
    given: dict[tuple[Fraction, bool], set[str]] = {}
    for one in (question, *answers):
        for amount in amounts_with_units(one):
            given.setdefault((amount.number, amount.kind == "per"), set()).add(amount.unit)
    found = amounts_with_units(text)
    told = (amount for one in answers for amount in amounts_with_units(one))
    money = {amount.unit for amount in told if amount.kind == "money"}
    is_other = money and money.isdisjoint(one.unit for one in found)
    named = _named("\n".join((question, *answers)))
    lines = chain.from_iterable(map(str.splitlines, answers))
    bare = {number_as_text(line.strip()) for line in lines}
    return [
        one.written
        for one in found
        if given.get((one.number, one.kind == "per"), {one.unit}).isdisjoint(_meant(one))
        or (is_other and one.kind == "money")
        or (
            one.number in bare
            and (one.number, False) not in given
            and _meant(one).isdisjoint(named.get(one.kind, _meant(one)))
        )
    ]


def _named(text: str) -> Mapping[str, set[str]]:
    """Return the units that a text names by a whole word or a sign, by their kind."""
    named: dict[str, set[str]] = {}
    for word in re.findall(rf"[a-z]{{{_WHOLE},}}|[{_SIGNS}%]", normal_text(text)):
        kind, unit = _UNITS.get(word, ("", ""))
        named.setdefault(kind, set()).add(unit)
    return named


def _meant(amount: Amount) -> set[str]:
    """Return the units that an amount may have: ``m`` is short for meters and for minutes."""
    return {amount.unit, *(["minute"] if re.search(r"\d ?m\Z", amount.written) else [])}
