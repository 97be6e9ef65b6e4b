"""Quantities in English texts, which every paraphrase must keep.

These are numbers in digits and in words, times of day, dates, days such as Friday and tomorrow,
durations, telephone numbers and codes. Sentence embeddings hardly distinguish ``5 pm`` from
``6 pm``, so matchers compare quantities in addition.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Set as AbstractSet
from functools import lru_cache
from operator import itemgetter
from typing import Final

from pytest_toolsandbox.text.normal_text import typewritten
from pytest_toolsandbox.text.numerals import with_commas

from . import clock, dates, days, durations, numbers
from .quantity import Meaning, Quantity, Rule, taken

__all__ = ["Meaning", "Quantity", "has_date", "has_moment", "missing", "quantities_in"]

_Rules = tuple[Rule, ...]

MOMENTS: Final[_Rules] = (numbers.TO_CALL, *dates.RULES, *clock.RULES, numbers.IN_DIGITS)
"""Rules for dates, times of day and separate years."""
ALL: Final[_Rules] = (*MOMENTS[:-1], *dates.ORDINALS, *days.RULES, *durations.RULES, *numbers.RULES)
"""All rules in order: the text that one rule matches is hidden from the next ones."""

_MAY_BE_MOMENT: Final = re.compile(r"\d[-/.:]\d|\d\s*[ap]\.?m\b|[a-z]{3}", re.IGNORECASE)
_GLUE: Final = re.compile(r"\b(?:at|on|the)\b", re.IGNORECASE)

_HOUR: Final = 3600
_DECIMALS: Final = {"1/2": "5", "1/4": "25", "3/4": "75"}
_MIXED: Final = re.compile(r"(?<![\w.,:/-])(?P<whole>\d{1,4})[ -](?P<part>1/2|1/4|3/4)(?![\d/])")
"""``2 1/2``, a single number."""
_MARKERS: Final = re.compile(r"^([ \t]*)(\d{1,2})[.)](?=[ \t])", re.MULTILINE)


@lru_cache(maxsize=4096)
def quantities_in(text: str, rules: _Rules = ALL) -> tuple[Quantity, ...]:
    """Return the quantities that these rules find in a text, in order."""
    unread = _without_markers(typewritten(with_commas(text)).replace("\u2044", "/"))
    # As a decimal number, ``2 1/2`` cannot be read as a number and a date.
    unread = _MIXED.sub(lambda match: f"{match['whole']}.{_DECIMALS[match['part']]}", unread)
    placed: list[tuple[int, Quantity]] = []
    for rule in rules:
        # The order of the rules matters: a date must be hidden before its numbers are read.
        unread, matches = taken(rule, unread)
        placed.extend(matches)
    return tuple(quantity for _, quantity in sorted(placed, key=itemgetter(0)))


def missing(target: str, text: str) -> tuple[str, ...]:
    """Return the quantities of ``target`` that ``text`` lacks, as ``target`` writes them."""
    required = [quantity for quantity in quantities_in(target) if quantity.asked]
    meanings = meanings_in(text) if required else frozenset()
    return tuple(dict.fromkeys(q.written for q in required if q.asked.isdisjoint(meanings)))


@lru_cache(maxsize=4096)
def meanings_in(text: str) -> frozenset[Meaning]:
    return frozenset().union(*(quantity.meanings for quantity in quantities_in(text)))


def has_date(text: str) -> bool:
    """Whether a text contains a date with its day and month."""
    quantities = quantities_in(text, MOMENTS)
    return any(kind == "date" for quantity in quantities for kind, *_ in quantity.asked)


def has_moment(target: str, text: str) -> bool:
    """Whether ``target`` is a date, a time of day or both, and a text contains the same.

    The notation may differ, as in ``June 1, 2022`` and ``2022-06-01``. The year of a date may be
    elsewhere in the text, unless the day has another one. A time with a colon and without am or
    pm, such as ``10:00``, is in 24 hours; others, such as ``ten o'clock``, remain ambiguous.
    """
    required = _moments(target)
    if not required:
        return False
    dates = _full_dates(quantities_in(target, MOMENTS))
    meanings: set[Meaning] = set()
    for quantity in quantities_in(text, MOMENTS):
        own_dates = _full_dates([quantity])
        has_other_year = dates and own_dates and dates.isdisjoint(own_dates)
        if not has_other_year:
            is_ambiguous = sum(kind == "time" for kind, *_ in quantity.meanings) > 1
            meanings |= _ambiguous_time(quantity) if is_ambiguous else quantity.meanings
    return not any(map(meanings.isdisjoint, required))


@lru_cache(maxsize=4096)
def _moments(target: str) -> tuple[frozenset[Meaning], ...]:
    """Return sets of meanings, one of each is required; ``()`` if the target is not a moment."""
    if not _MAY_BE_MOMENT.search(target):
        return ()
    quantities, remainder = quantities_in(target, MOMENTS), target
    for quantity in quantities:
        remainder = remainder.replace(quantity.written, " ")
    asked = [
        # An ambiguous time counts only with a colon.
        q.asked if len(q.asked) == 1 else _ambiguous_time(q) if ":" in q.written else frozenset()
        for q in quantities
    ]
    kinds = {kind for quantity in quantities for kind, *_ in quantity.asked}
    is_moment = kinds & {"date", "time"} and kinds <= {"date", "time", "number"}  # such as a year
    is_all = not any(map(str.isalnum, _GLUE.sub("", remainder)))
    return tuple(asked) if is_moment and is_all and all(asked) else ()


def _ambiguous_time(time: Quantity) -> frozenset[Meaning]:
    """Return the meanings of a time that may be am or pm; none if it may be something else.

    It equals other ambiguous times of its hour and, with a colon, the time in 24 hours.
    """
    if {kind for kind, *_ in time.meanings} != {"time"}:
        return frozenset()
    hour, colon, _ = time.written.partition(":")
    in_24_hours = (
        (kind, seconds)
        for kind, seconds in time.meanings
        if colon and isinstance(seconds, int) and seconds // _HOUR == int(hour)
    )
    return frozenset({("either half", time.meanings), *in_24_hours})


def _full_dates(quantities: Iterable[Quantity]) -> AbstractSet[Meaning]:
    return {meaning for q in quantities for meaning in q.meanings if meaning[0] == "full date"}


def _without_markers(text: str) -> str:
    """Blank out the numbers of list items."""
    numbers = {match[2] for match in _MARKERS.finditer(text)}
    # A single "1." at the start of a line may be a number.
    if not numbers >= {"1", "2"}:
        return text
    return _MARKERS.sub(lambda match: " " * len(match[0]), text)
