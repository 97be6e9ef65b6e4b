"""What was to be done in another case than what was: ``otherwise remind me of the tires``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_toolsandbox.matchers.normal_text import normal_text
from pytest_toolsandbox.matchers.statements.clauses import clauses

from .deeds import is_sent, text_of
from .effects import Effects
from .things import stems, things

_EITHER: Final = re.compile(
    r"\b(?:otherwise|or else|if not|if it (?:does|is)n't|in that case|else)\b"
)
"""What parts two cases in a request."""
_CAPITAL: Final = re.compile(r"\b[A-Z][a-z]{3,}\b")
_REMINDS: Final = re.compile(
    r"\b(?:will|have) (?:also )?(?:remind|nudge|tell) you\b.*?\b(?:to|about|of) (?P<what>.*)"
    r"|\b(?:reminder|heads[- ]up)\b[^:]*?(?:to|:) (?P<of>.*)"
)


def other_branches(text: str, done: Effects) -> Iterator[str]:
    """Yield promises of what the user wanted in another case, where that was not set.

    It has words of the user that no row that was added has, and lacks the words of the user that
    these have.
    """
    rows = [row for row in done.rows("added", net=True) if not is_sent(row)]
    if not rows or not any(_EITHER.search(one.casefold()) for one in done.said_by_user):
        return
    set_up = stems(value for row in rows for value in row.values() if isinstance(value, str))
    wanted = set_up & done.asked_by_user
    for clause in clauses(text):
        found = _REMINDS.search(clause.text) if clause.is_stated else None
        if found is None or clause.has_negation():
            continue
        told = things(found["what"] or found["of"]) & done.asked_by_user
        if told - set_up and wanted - told and not wanted & told - _common(done, told):
            yield clause.text


def other_places(text: str, done: Effects) -> Iterator[str]:
    """Yield where another one of several places is, which a tool found under one name.

    What was added has the number or the address of one of them, of which the text says nothing.
    """
    sent = normal_text(" ".join(map(text_of, done.rows("added"))))
    for result in (call.trace.result for call in done.trajectory.calls if call.trace):
        found = result if isinstance(result, list) and len(result) > 1 else []
        if len({one.get("name") for one in found if isinstance(one, Mapping)} - {None}) != 1:
            continue
        used = [one for one in found if any(mark in sent for mark in _marks(one))]
        own = stems(_CAPITAL.findall(str(used)))
        others = stems(_CAPITAL.findall(str(found))) - own
        common = stems(_CAPITAL.findall(str([one for one in found if one not in used])))
        for clause in clauses(text) if len(used) == 1 and not stems([text]) & own - common else ():
            if clause.is_stated and stems([clause.text]) & others:
                yield clause.text


def _marks(place: Mapping[str, Any]) -> Iterator[str]:
    """Yield the number to call of a place, and its street with the number of its house."""
    values = [str(one).split(",")[0] for one in place.values() if isinstance(one, str)]
    yield from (normal_text(one) for one in values if one.startswith("+"))
    yield from (normal_text(one.rpartition(" ")[0]) for one in values if re.match(r"\d+ \w", one))


def _common(done: Effects, told: frozenset[str]) -> frozenset[str]:
    """Return the words that the user says of both cases."""
    pieces = [stems([one]) for text in done.said_by_user for one in _EITHER.split(text.casefold())]
    return frozenset(one for one in told if sum(one in piece for piece in pieces) > 1)
