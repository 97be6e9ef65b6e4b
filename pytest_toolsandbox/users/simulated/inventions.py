"""Whether a user says what it cannot know: what it made up, or what only the world knows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import Final

from pytest_toolsandbox.matchers.normal_text import typewritten
from pytest_toolsandbox.matchers.quantities import quantities_in

from .derived import follows_from
from .situation import Situation, numbers_to_call, words
from .utterance import Utterance

NAMES_OF_ALL: Final = """
Wi-Fi Wifi GPS SMS Google Siri Celsius Fahrenheit US USA UK America American California
Britain England English European Xmas Mon Tue Tues Wed Thu Thur
Thurs Fri Sat Sun Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec
"""
"""Names that people use without having been told."""

_QUOTED: Final = re.compile(
    '["\u201c\u201e\u00ab]([^"\u201c-\u201e\u00ab\u00bb]{4,})["\u201c\u201d\u00bb]'
)
_ADDRESS: Final = re.compile(
    r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?:(?<=://)|\b(?=www\.))[^\s,;<>()]+"
    r"|(?<![\w.-])[\w-]+\.(?:com|org|net|edu|gov|io)\b(?:/[^\s,;<>()]*)?"
)
_SPELLED_ADDRESS: Final = re.compile(r"([\w.+-]+) at ([\w-]+) dot (\w{2,})")
_ABBREVIATION: Final = re.compile(r"\b[A-Z]{2,3}\b")
_OWNER: Final = re.compile(r"(?:^|[.!?] )([A-Z][a-z]{2,})(?:'s|s') ")
_NO_OWNERS: Final = frozenset(
    words("""
    that it he she what where there here who let how when this everything everybody everyone nobody
    nothing somebody someone something today tomorrow tonight yesterday monday tuesday wednesday
    thursday friday saturday sunday mom mum dad mother father grandma grandpa one
    """)
)
_DIGITS: Final = dict(
    zip(words("zero one two three four five six seven eight nine"), "0123456789", strict=True)
)
_SPELLED: Final = re.compile(
    rf"\b(?:{'|'.join(_DIGITS)})(?:[ ,-]+(?:{'|'.join(_DIGITS)})\b){{3,}}", re.IGNORECASE
)
_GROUPED: Final = re.compile(r"(?<![\w.,])\d{1,3}(?:[. ]\d{3})+(?![\d.])")
_DECIMAL: Final = re.compile(r"(?<![\w.,])(\d+),(\d{1,2})(?!\d|,)")
_SIGN: Final = re.compile(r"(?<![\w.])-(?=\d+\.\d{3})")
"""Before a coordinate, which may be known as one to the south or west."""
_CHOSEN: Final = re.compile(
    r"\bthe (?:first|second|third|fourth|fifth)\b(?= one\b|[.,!]|$)", re.IGNORECASE
)
"""Which of those that the agent told of."""


def invents(said: Utterance, situation: Situation) -> str | None:
    """Say what a text holds that its user does not know."""
    text, known = typewritten(said.text or ""), situation.known
    found = _values(text, known), _names(text, known), _addresses(text, known)
    strange = [*chain(*found), *_quotations(said.text or "", known)]
    if not strange:
        return None
    named = ", ".join(dict.fromkeys(strange))
    return f"You do not know this: {named}. Say only what you know, or that you do not know."


def knows_the_world(said: Utterance, situation: Situation) -> str | None:
    """Say what a text holds that stands in the world alone."""
    text = f" {' '.join(words(said.text or ''))} "
    found = [one for one in situation.secrets if f" {one} " in text]
    found = sorted(found, key=lambda one: (-len(one), one)) + situation.secret_numbers_in(
        typewritten(said.text or "")
    )
    if found:
        return f"You cannot know this: {found[0]}. It was neither told to you nor said."
    return None


def _values(text: str, known: str) -> list[str]:
    """Return the numbers, dates and times that are not known, in the reading that has fewest."""
    text = _CHOSEN.sub("", _SIGN.sub("", text))
    readings = dict.fromkeys((text, _as_in_europe(text)))
    return min(([*_strange_values(one, known)] for one in readings), key=len)


def _strange_values(text: str, known: str) -> Iterator[str]:
    from pytest_toolsandbox.matchers.facts.values import other_values  # takes a tenth of a second

    derived = follows_from(known)
    follow = {one.written for one in quantities_in(text) if one.asked & derived}
    all_words, numbers = f" {' '.join(words(known))} ", numbers_to_call(known)
    for what, value in other_values(text, known):
        is_said = value.isalpha() and f" {value.casefold()} " in all_words
        is_said = is_said or bool(set(numbers_to_call(value)) & set(numbers))
        if what == "missing" and value not in follow and not is_said:
            yield value


def _as_in_europe(text: str) -> str:
    """Return a text with ``2.900`` and ``2 900`` as 2900, ``2,50`` as 2.50, ``one four`` as 14."""
    text = _GROUPED.sub(lambda match: re.sub(r"\D", "", match[0]), text)
    text = _SPELLED.sub(lambda match: "".join(_DIGITS[one] for one in words(match[0])), text)
    return _DECIMAL.sub(r"\1.\2", text)


def _names(text: str, known: str) -> Iterator[str]:
    from pytest_toolsandbox.matchers.facts.names import names_in, words_in

    text = text.lower() if text.isupper() else _ABBREVIATION.sub(lambda one: one[0].lower(), text)
    there = words_in(f"{known} {NAMES_OF_ALL}")
    owners = [one for one in map(str.lower, _OWNER.findall(text)) if one not in _NO_OWNERS]
    for name in (*(one.words for one in names_in(text)), *((one,) for one in owners)):
        strange = [one for one in name if not {one, one.removesuffix("s")} & there]
        if strange:
            yield " ".join(strange)


def _addresses(text: str, known: str) -> Iterator[str]:
    """Yield the addresses of mail and of the web that are not known, also as parts of others."""
    text, known = (_SPELLED_ADDRESS.sub(r"\1@\2.\3", one.casefold()) for one in (text, known))
    for one in _ADDRESS.findall(text):
        address = one.removeprefix("www.").rstrip("./?!:'\"")
        if address not in known:
            yield address


def _quotations(text: str, known: str) -> Iterator[str]:
    all_words = " ".join(words(known))
    for quoted in (" ".join(words(one)) for one in _QUOTED.findall(text)):
        if " " in quoted and quoted not in all_words:
            yield quoted
