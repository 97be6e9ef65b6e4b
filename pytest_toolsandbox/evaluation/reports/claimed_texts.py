"""Texts that an agent says to have sent, and that nobody got: ``your mom got a text, too``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pytest_toolsandbox.matchers.normal_text import split
from pytest_toolsandbox.matchers.statements.clauses import Clause, clauses
from pytest_toolsandbox.matchers.statements.stems import stem

from .deeds import is_sent
from .effects import Effects, tells_too_many
from .things import stems, things, words

_I: Final = r"(?:^|\bi (?:have )?|\band )(?:also |just |then |now |already |\w+ly )*"
_TO: Final = re.compile(
    rf"{_I}(?:(?:texted|messaged|emailed|notified|informed|contacted|pinged|told|let"
    r"|asked(?! (?:you|which|whe|wha|who|how|if|for|about|to|again)))"
    r"|(?:sent|forwarded|written|wrote)\b(?:.{0,80}? to\b)?) (?P<who>.{3,80})"
    r"|^(?:(?:oh|and|also|so|then|ps|p s|by the way|plus) (?:, )?)*"
    r"(?P<knows>[^,]{3,40}?|[^;:()]{3,80}?(?= (?:know|have |were ))) "
    r"(?:(?:now |all |both )*knows?(?: now| too| as well)?$"
    r"|(?:(?:has|have) (?:also |now |all |both )*been|was|were) (?:also )?(?:texted|messaged"
    r"|emailed|notified|informed|told)\b(?! by\b)"
    r"|(?:has |have )?(?:also |now )?(?:got|gotten|received|has|have) (?:an?|the|your|my|another)"
    r" (?:\w+ )?(?:text|message|note|sms|heads-up)\b(?! (?:by|from)\b(?! (?:me|us|you)\b)))"
)
_SENDING: Final = frozenset(
    map(
        stem,
        split("""
        send transmit transmitted forward dispatch deliver notify notification message text mail
        email invite tell call remind reminder share post broadcast alert sms letter note
        comment reply publish
        """),
    )
)
"""What tools and tables are called by which somebody may be told something."""
_NO_NAMES: Final = frozenset(
    split("you your them him her the that this all what back everything something it")
)
_WHO_ENDS: Final = re.compile(
    r"\b(?:about|that|a|an|at|on|in|for|as|saying|what|when|where|who|why|how|know|now|of|with|this"
    r"|these|both|:)\b|[:;()]"
)
_NOTHING: Final = re.compile(r"\b(?:nothing|nobody|none|neither|no)\b")
_RELATIONS: Final = frozenset(
    split("""
    boss mother father sister brother wife husband son daughter aunt uncle landlord doctor dentist
    neighbor neighbour roommate assistant teacher grandmother grandfather
    """)
)
"""Who may be told something, and needs to be known to be told."""


_PERSON: Final = r"(?!tool|user|phone|service|search|function|api|server|system|screen)\w+"
_WROTE: Final = re.compile(
    rf"{_I}(?P<who>(?:texted|messaged|told|asked|answered|congratulated|thanked|invited|warned|let)"
    rf" (?:h(?:im|er)|them|(?:your|the) {_PERSON})\b"
    r"|(?:replied|answered)\b(?! you\b)"
    rf"|(?:sent|forwarded)\b.{{0,60}}? to (?:h(?:im|er)|them|(?:your|the) {_PERSON})\b)"
)
"""What takes a text, of whomsoever it is told."""


_MAIL: Final = r"(?:e-?mail|text(?: message)?|sms|letter|post|phone|push notification)"
_BY_MAIL: Final = re.compile(
    rf"{_I}(?P<told>sent|notified|informed|told|messaged|updated|let|alerted)\b.{{2,60}}?"
    rf" (?:by|via|through) {_MAIL}\b"
    rf"|{_I}sent (?!it\b|this\b|that\b)(?:\S+ ){{1,4}}?an? (?:\w+ )?{_MAIL}\b"
    rf"|\b(?:has|have) (?:also |now |all |both )*been (?P<was>notified|informed|told|messaged"
    r"|alerted)\b(?! by\b(?! (?:e-?mail|text|sms|me|us)\b))"
    r"|\b(?:i|we) (?:have )?(?:also |just |now )*(?P<own>notified|informed|alerted)\b(?! you\b)"
)
"""What takes something that is sent, of whomsoever it is told."""


def told_to_nobody(text: str, done: Effects) -> Iterator[str]:
    """Yield the clauses that tell of a text to somebody who got none."""
    for clause in () if _may_have_told(done) else clauses(text):
        found = _WROTE.search(clause.text)
        if found and _is_meant(clause, found):
            yield clause.text
        elif (sent := _BY_MAIL.search(clause.text)) and clause.is_stated:
            is_meant = not clause.has_negation(sent.end()) and not clause.has_modality(sent.end())
            if is_meant and not stems(sent.groups("")) & done.returned:
                yield clause.text
    for clause in clauses(text):
        found = _TO.search(clause.text)
        if (
            found
            and not is_no_text(clause.text[: found.start("who")] if found["who"] else "", done)
            and _is_meant(clause, found)
            and went_to_nobody(clause.text, done)
        ):
            yield clause.text


def _may_have_told(done: Effects) -> bool:
    """Whether something was sent, be it what stands in a row already: an invoice."""
    return bool(done.named & _SENDING) or any(map(is_sent, done.rows("added", net=True)))


def went_to_nobody(clause: str, done: Effects) -> bool:
    """Whether somebody to whom a clause says that a text went is known, and got none."""
    found = _TO.search(clause)
    return found is not None and _is_told_nothing(found["who"] or found["knows"], done)


def is_no_text(sent: str, done: Effects) -> bool:
    """Whether something else is said to be sent, such as money, or what a changed row is about."""
    from pytest_toolsandbox.matchers.quantities.units import amounts_with_units

    own = frozenset().union(*(one.words for one in done.deeds if one.kind != "sent"))
    is_money = any(one.kind == "money" for one in amounts_with_units(sent))
    return is_money or bool(things(sent) & own)


def _is_meant(clause: Clause, found: re.Match[str]) -> bool:
    place = found.start("who") if found["who"] else found.end()
    if found["who"] and _NOTHING.search(_WHO_ENDS.split(found["who"])[0]):
        return False
    return clause.is_stated and not clause.has_negation(place) and not clause.has_modality(place)


def _is_told_nothing(who: str, done: Effects) -> bool:
    """Whether somebody who is named got nothing, and is known."""
    if tells_too_many(who, done):
        return True
    who = who.removeprefix("both ")
    end = _WHO_ENDS.search(who)
    named = re.split(r",| and (?:to )?| & | as well as ", who[: end.start()] if end else who)
    return any(_got_nothing(name, done) for name in named)


def _got_nothing(name: str, done: Effects) -> bool:
    named = words(name)
    if meant := done.meant(named):
        is_given = named & done.of_user and done.is_sent_to_number_of_user
        return not is_given and not any(ways & done.touched for ways in meant)
    if named & done.of_user:
        first = words(name.strip().partition(" ")[0])
        return bool(first & done.of_user - _NO_NAMES) and not _may_have_told(done)
    return bool(named & _RELATIONS) and not named & _RELATIONS & done.heard
