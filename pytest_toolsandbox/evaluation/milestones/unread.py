"""What a report says of the entries of a table that no call has looked into."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pytest_toolsandbox.matchers.statements.clauses import clauses
from pytest_toolsandbox.matchers.statements.stems import stem

from .effects import Effects
from .things import stems

_LOOKED: Final = re.compile(
    r"(?:^|\bi (?:have )?|\band )(?:(?:also|just|then|\w+ly) )*(?:looked (?:through|in|into|at)"
    r"|searched|checked|went (?:through|over)|scanned|gone through) (?:all )?(?:of )?(?:your|the)"
    r" (?:\w+ )??(?P<what>\w+)(?: ?,? (?:too|also|as well|first))?\W*$"
)
_THERE: Final = re.compile(
    r"\byou (?:(?:already|still|also|currently) )*(?:have (?:got )?(?!to\b)"
    r"|(?:did|do) not (?:set|have|save|make|get|create) )"
    r"(?:(?:no|any|an?|another|only|one|two|three|several|the) )+(?:\w+ )??(?P<what>[a-z]+)\b"
)
_OWN: Final = re.compile(
    r"\b(?:have|had|has|got|set|made|saved|wrote|there's|there is)\b[^.!?]{0,40}"
)
"""What the user tells of what there is."""
_ALSO: Final = {"text": "messag"}


def of_unread_tables(text: str, done: Effects) -> Iterator[str]:
    """Yield clauses that tell which entries there are in a table that nobody has read or changed.

    What the user says of it himself may be told.
    """
    for clause in clauses(text):
        found = _LOOKED.search(clause.text) or _THERE.search(clause.text)
        is_told = found and clause.is_stated and not clause.has_negation(found.start())
        if found and is_told and _is_unread(found["what"], done):
            yield clause.text


def _is_unread(what: str, done: Effects) -> bool:
    """Whether a word is the name of a table that no call has read."""
    named = _ALSO.get(stem(what), stem(what))
    tables = {name for name in done.trajectory.start if stem(name) == named}
    told = stems(one for text in done.said_by_user for one in _OWN.findall(text.casefold()))
    if not tables or named in told:
        return False
    made = [call.trace for call in done.trajectory.calls if call.trace]
    return not any(one.reads is None or tables & {*one.reads} for one in made)
