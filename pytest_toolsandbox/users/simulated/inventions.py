"""Check whether a user says what it cannot know: what it made up, or what only the world holds."""

from __future__ import annotations

import datetime as dt
import re
from calendar import day_abbr, day_name, month_abbr, month_name
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import Any, Final

from pytest_toolsandbox.matchers.normal_text import split, typewritten
from pytest_toolsandbox.matchers.quantities import Meaning, Quantity, quantities_in
from pytest_toolsandbox.users.reading.stems import HOLLOW

from .situation import Situation, runs, values_of, words
from .utterance import Utterance

RUN: Final = 4
"""Words in a row of a text of the world that show that it was read."""
COUNTED: Final = 10
"""Up to this number, a word for a number only counts what was spoken of: ``the other three``."""

_DAY: Final = 86_400
_NUMBER: Final = re.compile(r"(?<![\w.,:])\+?\d(?:[\d ().-]|,(?=\d)){2,}\d(?![\w:])")
_LOCAL: Final = 9
"""Digits at the end of a phone number that stay the same with and without the country's code."""
_QUOTED: Final = re.compile(
    r"\"([^\"]{4,})\"|(?<!\w)'(?!(?:til|cause|n|em|bout|round|ol)\b)(\w[^'\n]{3,})(?<!s)'(?!\w)"
)
_ADDRESS: Final = re.compile(
    r"[\w.+-]+@[\w.-]+|(?:(?<=://)|\b(?=www\.))[^\s,;<>()]+"
    r"|(?<![\w.-])[\w-]+\.(?:com|org|net|edu|gov|io)\b(?:/[^\s,;<>()]*)?"
)
_NAME: Final = re.compile(r"(?<![\w'])[^\W\d_a-z][^\W\d_A-Z]{2,}")
_FULL_NAME: Final = re.compile(r"(?:[A-Z][a-z]{3,}\.? )+[A-Z][a-z]{3,}")
_BEGINS: Final = re.compile(r"(?:^|[.!?:\u2026\n])[\s\"'(*-]*$")
NAMES_OF_ALL: Final = frozenset(
    split("""
    wifi google siri celsius fahrenheit america american california britain england english europe
    european xmas christmas states tues thur thurs sept ave mum mom dad
    """)
).union(map(str.casefold, chain(day_name, day_abbr, month_name, month_abbr)))
"""Names that people use without having been told."""


def invents(said: Utterance, situation: Situation) -> str | None:
    """Return what is wrong with a text that holds what its user does not know."""
    text = typewritten(said.text or "")
    values = [value.written for value in _values(text, situation)]
    unknown = dict.fromkeys((*values, *_names(text, situation), *_texts(text, situation)))
    if listed := ", ".join(unknown):
        return f"You do not know this: {listed}. Say only what you know, or that you do not know."
    return None


def knows_the_world(said: Utterance, situation: Situation) -> str | None:
    """Return what is wrong with a text that holds what stands in the world alone."""
    text = typewritten(said.text or "")
    own, there, known = words(text), {*situation.words}, f" {' '.join(situation.words)} "
    read = frozenset().union(*(runs(own, length) for length in range(1, RUN + 1)))
    secrets = [
        run
        for run in sorted(read & _runs_in(situation.world), key=lambda run: (-len(run), run))
        if f" {run} " not in known and (run.count(" ") == RUN - 1 or {*run.split()} - there)
    ]
    if values := _values(text, situation):
        numbers = {meaning for meaning in values_of(situation.world) if meaning[0] == "call"}
        secrets += [value.written for value in values if not value.asked.isdisjoint(numbers)]
    if not secrets:
        return None
    return f"You cannot know this: {secrets[0]}. It was neither told to you nor said."


def _values(text: str, situation: Situation) -> list[Quantity]:
    """Return the numbers, dates and times that neither are known nor lie near known ones."""
    for number in _NUMBER.findall(text):
        known_digits = re.sub(r"(?<=\d)[ ().,-]+(?=\d)", "", situation.known)
        if re.sub(r"\D", "", number)[-_LOCAL:] in known_digits:
            text = text.replace(number, "")
    values = [value for value in quantities_in(text) if value.asked]
    known = values_of(situation.lines) if values else frozenset()
    has_days = any("date" in str(meaning[0]) or _lasts_days(meaning) for meaning in known)
    return [
        value
        for value in values
        if value.asked.isdisjoint(known | _near(known))
        and not (value.written.isalpha() and all(map(_only_counts, value.asked)))
        and not (has_days and any(map(_lasts_days, value.asked)))
        and value.written.casefold() not in situation.words
    ]


def _only_counts(meaning: tuple[Any, ...]) -> bool:
    kind, size, *_ = meaning
    return kind == "single" or (kind in ("number", "ordinal") and bool(size <= COUNTED))


def _lasts_days(meaning: tuple[Any, ...]) -> bool:
    """Return whether it is a duration of days, which people round, and count to a date."""
    return meaning[0] == "months" or (meaning[0] == "seconds" and bool(meaning[1] >= _DAY))


@lru_cache(maxsize=256)
def _near(known: frozenset[tuple[Any, ...]]) -> frozenset[Meaning]:
    """Return today, the days beside known dates, and the hours of known times as numbers."""
    near: set[Meaning] = {("day", "today")}
    for kind, *numbers in known:
        if kind == "time":
            near.add(("number", numbers[0] // 3600 % 12 or 12))
        elif "date" in kind:
            day = dt.date(2000, *numbers[-2:])  # a leap year
            for other in (day - dt.timedelta(1), day, day + dt.timedelta(1)):
                near |= {("date", other.month, other.day), ("ordinal", other.day)}
    return frozenset(near)


def _names(text: str, situation: Situation) -> Iterator[str]:
    """Yield capitalized words within sentences that are not known."""
    known = NAMES_OF_ALL.union(re.findall(r"[^\W\d_]+", situation.known.casefold()))
    for match in _NAME.finditer("" if text.isupper() else text):
        name = match[0].casefold()
        if not _BEGINS.search(text[: match.start()]) and not {name, name.removesuffix("s")} & known:
            yield name


def _texts(text: str, situation: Situation) -> Iterator[str]:
    """Yield addresses of mail and the web, and quotations of several words, that are not known."""
    for written in _ADDRESS.findall(text.casefold()):
        address = written.removeprefix("www.").rstrip("./?!:'\"")
        if address not in situation.known.casefold():
            yield address
    for quoted in map(words, map("".join, _QUOTED.findall(text))):
        if len(quoted) > 1 and {*quoted} - HOLLOW - {*situation.words}:
            yield " ".join(quoted)


@lru_cache(maxsize=64)
def _runs_in(world: tuple[str, ...]) -> frozenset[str]:
    """Return the short texts of the world, the words of its names, and runs of words of others."""
    read = set[str]()
    for text in world:
        own = words(text)
        if len(text) >= RUN and re.search(r"\W|\d|^[^a-z]", text):  # no single common word
            read |= runs(own, min(len(own), RUN))
        read.update(own if _FULL_NAME.fullmatch(text) else ())
    return frozenset(read)
