"""Whether a user says what it cannot know: what it made up, or what only the world knows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import Final

from pytest_toolsandbox.matchers.normal_text import typewritten
from pytest_toolsandbox.matchers.quantities import quantities_in

from .clauses import clauses
from .derived import follows_from
from .situation import Situation, numbers_to_call, words
from .utterance import Utterance

NAMES_OF_ALL: Final = """
Wi-Fi Wifi GPS SMS Google Siri Celsius Fahrenheit US USA UK America American California
Britain England English European Xmas States Mon Tue Tues Wed Thu Thur
Thurs Fri Sat Sun Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec
"""
"""Names that people use without having been told."""

_QUOTED: Final = re.compile(
    '["\u201c\u201e\u00ab]([^"\u201c-\u201e\u00ab\u00bb]{4,})["\u201c\u201d\u00bb]'
    "|(?<!\\w)['\u2018](?!(?:til|cause|n|em|bout|round|ol)\\b)"
    "(\\w[^'\u2018\u2019\\n]{3,})(?<!s)['\u2019](?!\\w)"
)
_ADDRESS: Final = re.compile(
    r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?:(?<=://)|\b(?=www\.))[^\s,;<>()]+"
    r"|(?<![\w.-])[\w-]+\.(?:com|org|net|edu|gov|io)\b(?:/[^\s,;<>()]*)?"
)
_SPELLED_ADDRESS: Final = re.compile(r"([\w.+-]+) at ([\w-]+) dot (\w{2,})")
_STREET: Final = re.compile(
    r"\b(?:on|at|from|in|to|near|off) (?!(?:the|this|that|my|our|your|his|her|their|which|what"
    r"|every|some|any|another|same|next|other|main|one)\b)"
    r"([a-z]{3,}) (?:street|avenue|road|lane|boulevard|square)\b"
    r"|\b(?:at|from|in) (?:the )?([a-z]{3,}) (?:department|division|team|clinic|hospital)\b"
    r"|\b(?:mr|mrs|ms|dr)\b\.? ([a-z]{3,})\b"
)
"""Written in small letters, so that it is no name."""
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
    r"\b(?:only|just) one\b|\b(?:have|need|want|see|find) one\b(?! \w)"
    r"|\bone (?:either|too|here|of)\b"
    r"|\b(?:those|these|the|all) (?:two|three|four|five)\b(?= of them\b|[.,!]|$)"
    r"|\bthe other (?:two|three|four|five)\b"
    r"|\b(?:else|all|more|it)(?: for)? today\b|\b(?:not|never|\w+n't)\b[^.?!\d]*?\btoday\b"
    r"|\bthe (?:first|second|third|fourth|fifth)\b(?= one\b|[.,!]|$)",
    re.IGNORECASE,
)
"""Which of those that the agent told of; and what counts nothing."""

_SET: Final = re.compile(
    r"(?<!\bmaybe )(?<!\bif )(?<!\bperhaps )(?<!\bwhether )"
    r"(?<!\bmaybe the )(?<!\bif the )(?<!\bperhaps the )(?<!\bwhether the )"
    r"\b(?P<name>low battery|cellular|location(?= serv)|airplane(?= mode)|wifi|roaming)"
    r"(?: (?:mode|services?))? (?:is|was|has been) (?:\w+ )?o(?:n|ff)\b"
    r"(?= (?:now|right|already|again|and|but|so|before)\b|\W*$)"
)
"""How a setting of the phone is, which a hand that holds it would have to look up."""


def invents(said: Utterance, situation: Situation) -> str | None:
    """Say what a text holds that its user does not know."""
    text = typewritten(said.text or "")
    found = _values(text, situation), _names(text, situation), _addresses(text, situation)
    strange = [*chain(*found), *_quotations(said.text or "", situation)]
    if not strange:
        return None
    named = ", ".join(dict.fromkeys(strange))
    return f"You do not know this: {named}. Say only what you know, or that you do not know."


def knows_the_world(said: Utterance, situation: Situation) -> str | None:
    """Say what a text holds that stands in the world alone."""
    text = typewritten(said.text or "")
    if found := situation.secrets_in(text) or [*_settings(text, situation)]:
        return f"You cannot know this: {found[0]}. It was neither told to you nor said."
    return None


def _settings(text: str, situation: Situation) -> Iterator[str]:
    """Yield how a setting is said to be of which nobody has spoken."""
    plain, known = clauses(text), typewritten(situation.known).lower().replace("-", "")
    for line in plain.splitlines():
        found = _SET.search(line)
        if found and not line.endswith("?") and found["name"] not in known:
            yield found[0]


def _values(text: str, situation: Situation) -> list[str]:
    """Return the numbers, dates and times that are not known, in the reading that has fewest."""
    text = _CHOSEN.sub("", _SIGN.sub("", text))
    readings = dict.fromkeys((text, _as_in_europe(text)))
    return min(([*_strange_values(one, situation)] for one in readings), key=len)


def _strange_values(text: str, situation: Situation) -> Iterator[str]:
    from pytest_toolsandbox.matchers.facts.values import other_counts  # takes a tenth of a second

    for one in quantities_in(text):
        if one.asked and one.asked.isdisjoint(situation.given):
            written, word = one.written, one.written.casefold()
            is_said = word.isalpha() and word in situation.words
            is_said = is_said or bool(situation.numbers & {*numbers_to_call(written)})
            if not is_said and one.asked.isdisjoint(follows_from(situation.lines)):
                yield written
    yield from other_counts(text, situation.known)


def _as_in_europe(text: str) -> str:
    """Return a text with ``2.900`` and ``2 900`` as 2900, ``2,50`` as 2.50, ``one four`` as 14."""
    text = _GROUPED.sub(lambda match: re.sub(r"\D", "", match[0]), text)
    text = _SPELLED.sub(lambda match: "".join(_DIGITS[one] for one in words(match[0])), text)
    return _DECIMAL.sub(r"\1.\2", text)


def _names(text: str, situation: Situation) -> Iterator[str]:
    from pytest_toolsandbox.matchers.facts.names import names_in, words_in

    text = text.lower() if text.isupper() else _ABBREVIATION.sub(lambda one: one[0].lower(), text)
    owners = [one for one in map(str.lower, _OWNER.findall(text)) if one not in _NO_OWNERS]
    names = [*(one.words for one in names_in(text)), *((one,) for one in owners)]
    there = words_in(NAMES_OF_ALL).union(*map(words_in, situation.lines)) if names else frozenset()
    for name in names:
        strange = [one for one in name if not {one, one.removesuffix("s")} & there]
        if strange:
            yield " ".join(strange)


def _addresses(text: str, situation: Situation) -> Iterator[str]:
    """Yield streets and addresses of mail and the web that are not known, nor parts of others."""
    yield from (
        one[0] for one in _STREET.finditer(text) if one[one.lastindex or 0] not in situation.words
    )
    for one in _ADDRESS.findall(_with_signs(text)):
        address = one.removeprefix("www.").rstrip("./?!:'\"")
        if address not in _with_signs(situation.known):
            yield address


def _with_signs(text: str) -> str:
    """Return a text with ``ann at quux dot org`` as one writes it."""
    return _SPELLED_ADDRESS.sub(r"\1@\2.\3", text.casefold())


def _quotations(text: str, situation: Situation) -> Iterator[str]:
    for quoted in (" ".join(words(one)) for one in map("".join, _QUOTED.findall(text))):
        if " " in quoted and quoted not in " ".join(situation.words):
            yield quoted
