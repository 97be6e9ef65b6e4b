"""Dates and ordinals: ``March 3``, ``2025-03-03``, ``3/14``, ``in March``, ``the 3rd``."""

from __future__ import annotations

import calendar
import datetime as dt
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from .numbers import ORDINAL, either, numbered, ordinal
from .quantity import Match, Meaning, Quantities, Quantity, Rule, after, before, compiled, quantity

Day = tuple[int, int]
"""A month and a day in it."""

_NAMES: Final = numbered(
    "january february march april may june july august september october november december", 1
)
_SHORT: Final = {"sept": 9, **{name[:3]: number for name, number in _NAMES.items()}}
_MONTHS: Final = {**_SHORT, **_NAMES}
_OTHER_WORDS: Final = {*_SHORT, "march", "april", "june", "august"} - {"sept"}
"""Names that are also persons, verbs or adjectives."""

_MONTH: Final = rf"(?P<month> {either(_MONTHS)} ) \b \.?"
_DAY: Final = rf"(?: {ORDINAL} | \d{{1,2}} )"
_NO_COUNT: Final = r"""
    (?! \d | [:./]\d | ,\d{3}(?!\d) | % | \s* (?: [ap]\.?m\b | o'?clock\b
      | (?: miles? | km | blocks? | steps? | people | times
          | minutes? | hours? | days? | weeks? | more )\b ) )
"""
_YEAR: Final = r"(?P<year> (?:1[5-9]|2[01])\d\d (?! \d | [:.,]\d ) | '\d\d\b )"
_TO: Final = r"\s* (?: - | \b(?:to|through|until|till)\b ) \s* (?:the\s+)?"
_CLOCK_FOLLOWS: Final = r"(?: T (?=\d\d:) )?"
_IN: Final = compiled(
    r"\b(?:in|since|during|until|till|last|next|this|early|late|mid|every)[-\s]+\Z"
)

_DAY_OF_MONTH: Final = compiled(r"\b(?:on|by|until|till|since|before|after)\s+the\s+\Z")
_ENDS: Final = compiled(r"\s*(?:\Z|[.,;!?)])|\s+(?:at|for|and|or|in|with|so|to)\b")
_OWNED: Final = compiled(r"\b(?:the|my|your|his|her|its|our|their)\s+\Z")
_NEXT: Final = compiled(r"\s+(?!(?:i|you|he|she|it|we|they)\b)[^\W\d_]")
_PART: Final = compiled(r"\b(?:an?|one|two|three|four|per|split|every|each)[-\s]+\Z|\d\s\Z")


def _numeric(match: Match) -> Quantities:
    day = int(match["month"]), int(match["day"])
    return _dated(match[0].rstrip("Tt"), [day], match["year"]) if _is_day(*day) else None


def _slashed(match: Match) -> Quantities:
    """Read ``3/14`` in the two orders that there are, and as a fraction or a score."""
    first, second = int(match["first"]), int(match["second"])
    # ``3/4`` is March 4 in the USA and April 3 elsewhere, and nothing says which.
    days = [day for day in ((first, second), (second, first)) if _is_day(*day)]
    if match["year"]:
        return _dated(match[0], days, match["year"]) if days else None
    numbers = ("number", first), ("number", second)
    return _dated(match[0], days, None, [("ratio", first, second)], numbers)


def _named(match: Match) -> Quantities:
    """Read a day with the name of its month, and maybe a second day and a year."""
    groups = match.groupdict()
    numbers = [ordinal(groups[name]) for name in ("first", "day", "last") if groups.get(name)]
    month, year = _MONTHS[match["month"].casefold()], groups["year"]
    days = [(month, number) for number in numbers if number and _is_day(month, number)]
    # An impossible day, as in ``May 45``, means that the number is not one.
    if _is_verb(match) or len(days) < len(numbers):
        return None
    if len(days) == 1:
        return _dated(match[0], days, year)
    each = [_dated(f"{match['month']} {day}", [(month, day)], year)[0] for _, day in days]
    return [*each, *_year(year)]


def _is_verb(match: Match) -> bool:
    """Return whether ``may`` or ``march`` is a verb: ``you may first``, ``5 may come``."""
    if match["month"] not in ("may", "march", "mar") or re.search(r"\bof\b", match[0]):
        return False
    if not match["day"][0].isdigit():
        return True
    comes_first = match.start("day") < match.start("month")
    return match["month"] == "may" and match["day"].isdigit() and comes_first


def _month_and_year(match: Match) -> Quantities:
    month = quantity(match["month"], [("month", _MONTHS[match["month"].casefold()])])
    return [month, *_year(match["year"])]


def _month(match: Match) -> Quantities:
    """Read a month alone, unless its name is another word: ``in May``, ``in early March``."""
    name = match["month"]
    meaning = ("month", _MONTHS[name.casefold()])
    if name.casefold() not in _OTHER_WORDS:
        return [quantity(name, [meaning])]
    if not name[0].isupper():
        return None
    return [quantity(name, [meaning] if _IN.search(before(match)) else (), [meaning])]


def _dated(
    written: str,
    days: Sequence[Day],
    year: str | None,
    asked: Iterable[Meaning] = (),
    also: Iterable[Meaning] = (),
) -> list[Quantity]:
    """Return a date that means one of these days, and its year as a quantity of its own."""
    dates = (("date", *day) for day in days)
    parts = (part for month, day in days for part in (("month", month), ("ordinal", day)))
    with_year = _with_year(_full(year), days) if year else ()
    day = written.removesuffix(year).rstrip(" ,'") if year and written.endswith(year) else written
    return [quantity(day, [*asked, *dates], [*also, *parts, *with_year]), *_year(year)]


def _year(year: str | None) -> list[Quantity]:
    return [quantity(year, [("number", _full(year))])] if year else []


def _full(year: str) -> int:
    digits = year.lstrip("'")
    return int(digits) if len(digits) > 2 else 2000 + int(digits)  # noqa: PLR2004  # '25


def _with_year(year: int, days: Iterable[Day]) -> Iterator[Meaning]:
    """Yield the meanings of a date with a year: the full date and its day of the week."""
    for month, day in days:
        yield "full date", year, month, day
        yield from (("weekday", date.weekday()) for date in in_years([year], month, day))


def in_years(years: Iterable[int], month: int, day: int) -> Iterator[dt.date]:
    """Yield a day in each of the years that has it, since not all have February 29."""
    for year in years:
        if day <= calendar.monthrange(year, month)[1]:
            yield dt.date(year, month, day)


def _is_day(month: int, day: int) -> bool:
    # 2000 is a leap year, so February 29 is a day.
    return month in _NAMES.values() and 1 <= day <= calendar.monthrange(2000, month)[1]


def _ordinal(match: Match) -> Quantities:
    """Read an ordinal, which a number may replace; ``first`` and ``second`` have other meanings.

    They are required only as days of a month, and ``second`` also as in ``the second floor``.
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


RULES: Final = (
    Rule(
        rf"""(?<![\w.,:/-]) (?P<year>[12]\d{{3}}) (?P<between>[-/.]) (?P<month>\d\d?) (?P=between)
        (?P<day>\d\d?) (?! \d | [-/]\d ) {_CLOCK_FOLLOWS}""",
        _numeric,
    ),
    Rule(
        r"""(?<![\w.,:/-]) (?P<first>\d\d?) (?P<between>[-/.]) (?P<second>\d\d?) (?P=between)
        (?P<year> [12]\d{3} | \d\d ) (?! \d | [-/.,:]\d )""",
        _slashed,
    ),
    Rule(
        r"""(?<![\w.,:/-]) (?P<first>\d{1,3}) \s? (?P<year>)[/\u2044] \s? (?P<second>\d{1,3})
        (?! \d | [-/.,:]\d | \s*[ap]\.?m\b )""",
        _slashed,
    ),
    Rule(
        rf"""(?<!\w) {_MONTH} [-\s]+ (?:the\s+)? (?P<day>{_DAY}) {_NO_COUNT}
        (?: {_TO} (?P<last>{_DAY}) {_NO_COUNT} )? (?: ,?\s* {_YEAR} )?""",
        _named,
    ),
    Rule(
        rf"""(?<![\w.,:/-]) (?: (?P<first>{_DAY}) {_TO} )? (?P<day>{_DAY})
        (?: \s+ of \s+ | [-\s]* ) {_MONTH} (?!\w) (?: ,?[-\s]+ {_YEAR} )?""",
        _named,
    ),
    Rule(rf"(?<!\w) {_MONTH} ,? \s+ (?:of\s+)? {_YEAR}", _month_and_year),
    Rule(rf"(?<![\w-]) {_MONTH} (?!\w)", _month),
)
ORDINALS: Final = (Rule(rf"(?<![\w-]) {ORDINAL} (?!\w)", _ordinal),)
