"""Numbers, times and dates of a text that are not in another."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import Final

from pytest_toolsandbox.matchers.quantities import missing, quantities_in
from pytest_toolsandbox.matchers.quantities.units import with_other_units
from pytest_toolsandbox.matchers.quantities.words import ONES, TEENS, either, worth
from pytest_toolsandbox.matchers.statements.stems import stem

_PERIOD: Final = re.compile(r"\b(?P<which>this|next|last) (?P<unit>week|weekend|month|year)\b")
_INSTEAD: Final = re.compile(r"\b(?:instead of|rather than|and not|, not) (?:at )?([\w:]+)")
_CHOICE: Final = re.compile(
    r"(?<![\w:.])(?P<one>[\w:.]+)(?: [ap]\.?m)?,? or (?:at |on |maybe )?(?P<other>[\w:.]+)"
)

_COUNT: Final = re.compile(
    rf"(?<![\w:.,$])(an?|{either((*ONES, *TEENS))}|\d{{1,3}}) ([a-z]{{3,}})\b"
)

_PHONE: Final = r"\+?\d[\d ().-]{6,30}\d|[$\u20ac\u00a3]\d[\d.,]{0,30}\d"
_NUMBERS: Final = re.compile(rf"({_PHONE}),? or (?:at |on |maybe )?({_PHONE})")
_NAMED: Final = r"[A-Z][\w'-]+(?: [A-Z][\w'-]+){0,5}"
_PLACES: Final = re.compile(rf"(?<=[a-z] )({_NAMED}),? or (?:(?:in|at|to|on|with) )?({_NAMED})")


def other_values(expected: str, found: str) -> Iterator[tuple[str, str]]:
    """Yield what a text lacks or leaves open."""
    for one in missing(expected, found):
        yield "missing", one
    for one in with_other_units(found, (expected,)):
        yield "another unit", one
    yield from _choices(expected, found)
    for one in other_counts(expected, found):
        yield "missing", one
    own, other = _INSTEAD.search(expected), _INSTEAD.search(found)
    if own and other and missing(f"at {own[1]}", f"at {other[1]}"):
        yield "invented", other[0]


def other_counts(expected: str, found: str) -> Iterator[str]:
    """Yield what there is one of, and another number of it in a text: ``two bottles``.

    So with weeks and their like: ``this week`` where the text has ``next week``.
    """
    single = {noun for noun, numbers in _counted(expected).items() if "1" in numbers}
    counted = _counted(found) if single else {}
    yield from (f"one {noun}" for noun in sorted(single & {*counted}) if "1" not in counted[noun])
    if asked := {*_PERIOD.findall(expected.casefold())}:
        given = {*_PERIOD.findall(found.casefold())}
        others = {unit for _, unit in given}
        yield from (f"{which} {unit}" for which, unit in sorted(asked - given) if unit in others)


@lru_cache(maxsize=4096)
def _counted(text: str) -> dict[str, set[str]]:
    """Return the stems of what a text counts, each with its numbers; ``a bottle`` is one."""
    found: dict[str, set[str]] = {}
    for written, noun in _COUNT.findall(text.casefold()):
        number = "1" if written in ("a", "an") else str(worth(written))
        found.setdefault(stem(noun), set()).add(number)
    return found


def _choices(expected: str, found: str) -> Iterator[tuple[str, str]]:
    """Yield what a text leaves open that the expected one does not: ``at ten or eleven``."""
    for match in chain(_NUMBERS.finditer(found), _PLACES.finditer(found)):
        known = {one in expected for one in match.groups()}
        is_other = len(known) > 1 and not quantities_in(match[0])
        if match[0] not in expected and (is_other or match.re is _NUMBERS):
            yield "left open", match[0]
    for whole, both in _open_in(found):
        is_open = whole.casefold() not in expected.casefold()
        if is_open and any(missing(one, expected) for one in both):
            yield "left open", whole


@lru_cache(maxsize=4096)
def _open_in(text: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    found = [
        (match[0], tuple(f"at {one}" for one in match.groups())) for match in _CHOICE.finditer(text)
    ]
    return tuple((whole, both) for whole, both in found if all(map(quantities_in, both)))
