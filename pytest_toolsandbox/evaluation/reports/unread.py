"""What a report says of the entries of tables: those that no call has looked into, or others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pytest_toolsandbox.matchers.normal_text import normal_text
from pytest_toolsandbox.matchers.statements.clauses import clauses
from pytest_toolsandbox.matchers.statements.stems import stem

from .effects import Effects
from .things import stems, words

_LOOKED: Final = re.compile(
    r"(?:^|\bi (?:have )?|\band )(?:(?:also|just|then|\w+ly) )*(?:looked (?:through|in|into|at)"
    r"|searched|checked|went (?:through|over)|scanned|gone through) (?:all )?(?:of )?(?:your|the)"
    r" (?:\w+ )??(?P<what>\w+)(?: ?,? (?:too|also|as well|first))?\W*$"
)
_THERE: Final = re.compile(
    r"\byou (?:(?:already|still|also|currently) )*(?:have (?:got )?(?!to\b)"
    r"|(?:did|do|have) not (?:yet )?(?:set|have|saved?|made?|make|got|get|created?|put) )"
    r"(?:(?:no|any|an?|another|only|one|two|three|several|the) )+(?:\w+ )??(?P<what>[a-z]+)\b"
)
_MISSING: Final = re.compile(
    r"(?:^|\b(?:and|so|but|that|as) )there (?:is|are|was|were) (?:not? (?:an?|any)?|nobody|no one"
    r"|nothing)\b(?P<one>[^,;:]{0,60}?) (?:in|among|on) your (?:\w+ )?(?P<what>contacts?|address"
    r" book|reminders?|messages|texts)\b"
    r"|^(?P<who>[^,;:]{2,60}?) (?:is|are|was|were) (?:not|nowhere) (?:\w+ )?(?:in|among|on) your"
    r" (?:\w+ )?(?P<where>contacts?|address book|reminders?|messages|texts)\b"
)
_NUMBER: Final = re.compile(r"\+\d{7,15}")
_WAS_THERE: Final = re.compile(
    r"^(?P<who>[^,;:]{3,60}?) (?:(?:was|were|had been) (?:already )?|(?P<now>is|are) already )"
    r"(?:in|among|on) your (?:\w+ )?(?:contacts|address book)\b"
)
_OWN: Final = re.compile(
    r"\b(?:have|had|has|got|set|made|saved|wrote|there's|there is)\b[^.!?]{0,40}"
)
"""What the user tells of what there is."""
_LACKED: Final = re.compile(r"(?:n't|\b(?:not?|never|without|missing))\b[^.!?]{0,60}")
"""What the user tells of what there is not."""
_ALSO: Final = {"text": "messag", "addres book": "contact"}


def of_unread_tables(text: str, done: Effects) -> Iterator[str]:
    """Yield clauses that tell which entries there are in a table that nobody has read or changed.

    What the user says of it himself may be told.
    """
    for clause in clauses(text):
        found = _LOOKED.search(clause.text) or _THERE.search(clause.text)
        is_told = found and clause.is_stated and not clause.has_negation(found.start())
        if (found and is_told and _is_unread(found["what"], done, found[0])) or (
            clause.is_stated and (_is_missed(clause.text, text, done) or _is_new(clause.text, done))
        ):
            yield clause.text


def _is_missed(clause: str, text: str, done: Effects) -> bool:
    """Whether it says that there is nobody, or no number, in the contacts who is there.

    Who has looked, and has not found them by the name that was given, may say so.
    """
    found = _MISSING.search(clause)
    if found is None:
        return False
    what, named = found["what"] or found["where"], words(found["one"] or found["who"] or "")
    is_unread = _is_unread(what, done, " not ")
    if what.startswith(("rem", "mes", "tex")) or not (is_unread or named <= done.heard):
        return is_unread
    numbers = [*map(normal_text, _NUMBER.findall(text))] if "number" in named else []
    return any(
        (named and named <= keys) or any(one in ways for one in numbers)
        for keys, ways in done.people_at(-1)
    )


def _is_new(clause: str, done: Effects) -> bool:
    """Whether it says of somebody whom a call has added that they were there before."""
    found = _WAS_THERE.search(clause)
    if found is None or (found["now"] and len(done.said_by_user) > 1):
        return False
    named = words(found["who"])
    before, after = ([one for one, _ in done.people_at(at) if one & named] for at in (0, -1))
    return bool(after) and not before


def _is_unread(what: str, done: Effects, said: str) -> bool:
    """Whether a word is the name of a table that no call has read, nor the user told of so."""
    named = _ALSO.get(stem(what), stem(what))
    tables = {name for name in done.trajectory.start if stem(name) == named}
    own = _LACKED if re.search(r"\bnot?\b", said) else _OWN
    told = stems(one for text in done.said_by_user for one in own.findall(text.casefold()))
    if not tables or named in told:
        return False
    made = [call.trace for call in done.trajectory.calls if call.trace]
    return not any(one.reads is None or tables & {*one.reads} for one in made)
