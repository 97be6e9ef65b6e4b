"""How a text is meant beside another: who does it, and whether it is told, asked or left open."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from pytest_toolsandbox.matchers.normal_text import split, typewritten
from pytest_toolsandbox.matchers.statements.clauses import clauses
from pytest_toolsandbox.matchers.statements.doubts import HEDGE
from pytest_toolsandbox.matchers.statements.stems import HOLLOW, stem
from pytest_toolsandbox.wording.sentences import sentences

_FEW: Final = 3
"""Words of a question that asks for nothing of its own."""
_INVITES: Final = re.compile(
    r"\bplease\b|\b(?:can|could|would|will) you\b|\blet me know\b|\bin case you\b|\bif you\b"
    r"|\b(?:i|we)(?:'d| would) (?:like|need|appreciate)\b|\bi (?:need|wonder|hope)\b|\btell me\b"
)
"""What may be put as a question as well."""
_ASKS: Final = re.compile(
    r"\?|\blet me know\b|\btell me\b|\bplease\b|\bask\w*\b|\bto know\b|\bwonder\w*\b|\bhope\b"
    r"|\bif (?:that|it|this)(?:'s| is)\b|\bif you\b|\bwhether\b|\bokay with\b|\bwould be \w+\b"
    r"|(?:^|[.!;:] |, )(?:may|can|could|shall|would|are|do) (?:i|we|you)\b"
)
_ORDERS: Final = re.compile(
    r"(?:^|[.!?,;:] )(?:please (?!note\b|be aware\b)|you (?:must|should) )(?P<verb>\w+)"
)
_SAID_NO: Final = frozenset(
    map(
        stem,
        split("""
        cancel cancelled canceled skip ignore ignored forget forgot forgotten withdraw withdrew
        refuse refuses refused disregard alone
        """),
    )
)
_NOT_SO: Final = re.compile(r"\b(?:do not|don't|never|not) (?:forget|ignore|skip)\b|\blet alone\b")
_NO_LONGER: Final = re.compile(
    r"^(?!.*\b(?:old|previous|former|last)\b).*\b(?:no longer|rather not)\b"
)
_IF: Final = re.compile(
    r"(?:^|[.!?;:] )if (?!(?:it|that|this)(?:'s| is)|possible\b|not\b|so\b|any)"
)
_MAY: Final = re.compile(r"(?<!you )(?<!\bi )(?<!we )\bmay (?!\d)")
_OR: Final = re.compile(r"([\w:.]+),? or (?:the |an? |at |on |in |to |from |try )*([\w:.]+)")
_I: Final = re.compile(r"\b(?:i|we)(?:'\w+)?\b|\bm(?:e|y|ine)\b|\bours?\b|\bus\b")
_I_DO: Final = re.compile(r"\b(?:i|we)(?:'\w+)?\b")
_YOU: Final = re.compile(
    r"(?<!thank )(?<!see )(?<!tell )(?<!with )(?<!to )(?<!for )\byou(?:'\w+)?\b"
    r"|(?<!for )\byours?\b"
)
_YOURS: Final = re.compile(r"(?<!thank )(?<!see )(?<!tell )\byou(?:'\w+|rs?)?\b")
_WANTS: Final = re.compile(r"\b(?:want|need|care for) (?:an?|some|any)\b[^?]*$")
"""What may stand for a condition: ``want a lift?``"""
_PROPOSES: Final = re.compile(r"\b(?:shall|can|could|should) we\b")
_SUBJECT: Final = re.compile(
    r"(?:^|[.!?;:,] |\b(?:and|so|but|since|that) )"
    r"(?!Every|Some|Any|No(?:body|ne|thing|w)|Th|Wh|Ho|She|You|Our|Your|His|Her|Its|All|Both)"
    r"([A-Z][a-z]{2,}) (?:is|was|will|has|can|would|comes|takes|leaves|gives|sends|gets|calls)\b"
)
_SIGNED: Final = re.compile(r"\b(?:regards|best|cheers|love|yours|here)\b", re.IGNORECASE)
_DUE: Final = re.compile(r"\b(?:(?:has|have|needs?) to|must|should) be (\w+)|\b(?:sure|ensure)\b")
_PAST: Final = re.compile(r"\b(?:yesterday|last (?:week|month|night|\w+day)|\w+ ago)\b")

_CAME: Final = re.compile(
    r"\bthis (?:\w+ )?(?:came|reached|arrived|landed|got)\b[^.;:!?]{0,40}"
    r"|\bi (?:got|received) this\b[^.;:!?]{0,40}"
)
"""When a text that is passed on came, which it does not tell itself."""


def other_tenor(expected: str, found: str) -> Iterator[tuple[str, str]]:
    """Yield in what a text is meant otherwise than the expected one."""
    own, given = _plain(expected), _plain(found)
    yield from _other_mood(expected, found)
    yield from _other_people(own, given, found)
    words = _stems(own)
    if not _is_negative(expected) and not words & _SAID_NO:
        no = sorted(_stems(_NOT_SO.sub(" ", given)) & _SAID_NO)
        yield from (("denied", one) for one in no)
        if _NO_LONGER.search(given) and not _NO_LONGER.search(own):
            yield "denied", "no longer"
    due = _DUE.search(own)
    if due and due[1] and not _DUE.search(given) and re.search(rf"\b(?:is|are) {due[1]}\b", given):
        yield "another word", f"is {due[1]}"
    both = " or " in own or _is_negative(found)  # no milk or soap: neither
    for one, other in () if both else _OR.findall(given):
        if stem(one) in words or stem(other) in words:
            yield "left open", f"{one} or {other}"
    if (past := _PAST.search(_CAME.sub(" ", given))) and not _PAST.search(own):
        yield "another time", past[0]


def _other_mood(expected: str, found: str) -> Iterator[tuple[str, str]]:
    """Yield what is asked, ordered or left open and was to be told, or told and was to be asked."""
    own, given = _plain(expected), _plain(found)
    asked = _questions(expected)
    is_polite = any(_YOU.search(one) for one in asked)
    if asked and not _ASKS.search(given if is_polite else given.replace("please", "")):
        yield "not asked", asked[-1]
    if asked:
        return
    words, is_invited = _stems(own) - HOLLOW, bool(_INVITES.search(own))
    for one in _questions(found):
        is_whole = len(words & _stems(one)) * 2 >= len(words) and not _WANTS.search(one)
        if is_whole and not (is_invited and (_YOU.search(one) or _INVITES.search(one))):
            yield "asked", one
    order = None if is_invited else _ORDERS.search(given)
    is_asked = order and re.search(rf"(?:^|[.!?,;:] |\band ){order['verb']}\b", own)
    if order and not is_asked and not (_YOU.search(own) or _I.search(given)):
        yield "asked for", order[0].strip(" .!?,;:")
    for mark in (HEDGE, _MAY, _IF):
        if (hedge := mark.search(given)) and not mark.search(own) and " if " not in own:
            yield "left open", hedge[0].strip(" .!?;:")


def _other_people(own: str, given: str, found: str) -> Iterator[tuple[str, str]]:
    """Yield who is told to do what somebody else does."""
    strange = [one for one in _SUBJECT.findall(typewritten(found)) if one.casefold() not in own]
    if strange and not _SIGNED.search(given):
        yield "another name", strange[0].casefold()
    elif _PROPOSES.search(own):
        return
    elif _I_DO.search(own) and not _I.search(given) and _YOU.search(given) and not _YOU.search(own):
        yield "another person", "you"
    elif (
        _YOU.search(own) and not _I.search(own) and not _YOURS.search(given) and _I_DO.search(given)
    ):
        yield "another person", "i"


@lru_cache(maxsize=2048)
def _questions(text: str) -> tuple[str, ...]:
    """Return the questions of a text that have more words than ``Coming along?``."""
    found = (one.plain.casefold() for one in sentences(text) if one.mark == "?")
    return tuple(one for one in found if len(one.split()) > _FEW)


@lru_cache(maxsize=2048)
def _is_negative(text: str) -> bool:
    return any(one.has_negation() for one in clauses(text))


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, re.findall(r"[^\W_]+", text)))


def _plain(text: str) -> str:
    return " ".join(typewritten(text).casefold().split())
