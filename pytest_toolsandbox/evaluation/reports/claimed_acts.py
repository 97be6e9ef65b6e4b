"""What an agent says that it did to the world: ``I also booked you a table``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pytest_toolsandbox.matchers.normal_text import split
from pytest_toolsandbox.matchers.statements.clauses import Clause, by_sentence
from pytest_toolsandbox.matchers.statements.stems import stem

KINDS: Final = {
    "called": "called phoned telephoned rang rung dialed dialled facetimed spoke spoken talked",
    "bought": """booked reserved ordered bought purchased paid hired rented donated tipped
        subscribed unsubscribed refunded wired arranged""",
    "mailed": "emailed mailed faxed posted published tweeted uploaded",
    "operated": """blocked muted silenced archived installed uninstalled downloaded printed
        restarted rebooted returned sold invested transferred deposited charged billed signed
        submitted registered enrolled preheated heated parked unlocked locked opened shipped cooked
        cleaned watered invited traded sued""",
    "texted": "texted messaged forwarded relayed",
    "deleted": "deleted removed erased wiped cleared discarded threw thrown",
    "changed": """changed updated edited modified renamed replaced moved rescheduled postponed
        snoozed shifted pushed adjusted corrected amended marked swapped gave given""",
    "added": """added created saved scheduled set made put started stored noted logged entered
        recorded placed""",
    "cancelled": "cancelled canceled",
    "on": "enabled activated",
    "off": "disabled deactivated",
}
"""Verbs for what is done to the world. Who looks up, checks or reckons changes nothing."""
STEMS: Final = {
    kind: frozenset(map(stem, split(verbs))) - {"phon"} for kind, verbs in KINDS.items()
}
"""Those of tools, too; to phone somebody takes more than a tool for phone numbers."""

_ADVERBS: Final = r"(?:(?:also|just|then|now|already|even|too|both|all|first|(?!only)\w+ly) )*"
_VERB: Final = rf"(?P<verb>{'|'.join(verb for verbs in KINDS.values() for verb in split(verbs))})"
_I: Final = rf"(?:^|\band |\b(?P<i>i|we) (?:have |had )?){_ADVERBS}"
_SWITCHED: Final = re.compile(
    rf"{_I}(?:turned|switched|flipped) (?P<object>.{{0,60}}?)\b(?P<verb>on|off)\b"
)
_ACTIVE: Final = re.compile(rf"{_I}{_VERB}\b(?:(?<!called) (?:up|down|out))?(?P<object>)")
_IS_DONE: Final = (
    r"(?:(?:is|are) now|(?:is|are)(?=.* (?:too|as well|also)$)|was|were"
    r"|(?:is|are)(?= (?:already )?(?:ordered|booked|reserved|paid|bought|arranged)\b)(?!.* by\b)"
    rf"|(?:has|have) {_ADVERBS}been)"
)
_PASSIVE: Final = re.compile(
    rf"^(?P<object>.{{2,60}}?) {_IS_DONE} {_ADVERBS}(?:{_VERB}\b"
    rf"|(?:turned|switched|flipped) (?:back )?(?P<switch>on|off)\b)(?! by\b)"
)
_PUT_OFF: Final = re.compile(r"(?:off|back|forward) (?:to|until|till|by)\b")
_NOTHING: Final = re.compile(r"(?:\w+ ){0,2}?(?:nothing|nobody|none|no|neither)\b")
SPARED: Final = re.compile(
    r" (?:except(?: for)?|apart from|aside from|other than|save for|but not|excluding|besides"
    r"|(?<=all )but|(?<=everyone )but|but(?= \w+(?: \w+)?$)"
    r"|(?<=everybody )but|with the exception of|minus)\b"
)
"""What is left out of what was done."""
_TO_YOU: Final = re.compile(r"(?:you|me|us)\b(?! (?:an?|the|all|both)\b)")
_OWN: Final = re.compile(r"^(?:and |so |then |also )*(?:i|we)\b")
_OBJECT_ENDS: Final = re.compile(
    r""" (?:to|for|from|so|because|as|with|that|when|after|before|by|until|at|about|which|who|of
    |while|rather than|into|in|on|since|ending|called|named|too|instead|again|back|is
    |was|and (?:i|we))\b
    |[;:()]|, (?!and\b)""".replace("\n    ", "")
)
LONGEST: Final = 1000
"""How many letters of a clause are read; the time grows with their square."""


@dataclass(frozen=True)
class ClaimedAct:
    """An act of one of :data:`KINDS`, what it is said to be done to, and the clause that says so.

    ``verb`` is its stem; ``rest`` is all that follows it; ``is_passive`` says that it may be
    somebody else's act.
    """

    kind: str
    verb: str
    object: str
    rest: str
    clause: str
    is_passive: bool = False


def claimed_acts(text: str) -> Iterator[ClaimedAct]:
    """Yield what a text says that its writer did."""
    for sentence in by_sentence(text):
        is_own = True
        for place, clause in enumerate(sentence):
            is_own = bool(_OWN.match(clause.text)) or (is_own and _has_no_subject(clause, place))
            if clause.is_stated:
                yield from _of_clause(clause, is_own)


def _has_no_subject(clause: Clause, place: int) -> bool:
    return not place or bool(re.match(rf"{_ADVERBS}(?:{_VERB}|turned|switched)\b", clause.text))


def _of_clause(clause: Clause, is_own: bool) -> Iterator[ClaimedAct]:
    text = clause.text[:LONGEST]
    for form in (_SWITCHED, _ACTIVE, _PASSIVE):
        for found in form.finditer(text):
            verb = found.start("verb" if found["verb"] else "switch")
            is_meant = not clause.has_negation(verb) and not clause.has_modality(verb)
            if is_meant and (is_own or form is _PASSIVE or found["i"]):
                yield from _acts(found, text, is_passive=form is _PASSIVE)


def _acts(found: re.Match[str], text: str, *, is_passive: bool) -> Iterator[ClaimedAct]:
    verb = found["verb"] or found["switch"]
    rest = text[found.end() :].strip()
    kind = verb if verb in KINDS else next(one for one in KINDS if verb in split(KINDS[one]))
    if verb == "put" and _PUT_OFF.match(rest):
        kind = "changed"
    what = SPARED.split(found["object"].strip() or until_end(rest))[0]
    if not re.search(r"\bwhat\b", what) and not _NOTHING.match(what) and not _TO_YOU.match(rest):
        yield ClaimedAct(kind, stem(verb), what, rest, text, is_passive)


def until_end(text: str) -> str:
    """Return what follows a verb up to where its object ends."""
    end = _OBJECT_ENDS.search(f" {text}")
    return text[: max(0, end.start() - 1)] if end else text
