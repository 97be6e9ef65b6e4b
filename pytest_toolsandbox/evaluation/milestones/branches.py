"""What was to be done in another case than what was: ``otherwise remind me of the tires``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pytest_toolsandbox.matchers.statements.clauses import clauses

from .deeds import is_sent
from .effects import Effects
from .things import stems, things

_EITHER: Final = re.compile(
    r"\b(?:otherwise|or else|if not|if it (?:does|is)n't|in that case|else)\b"
)
"""What parts two cases in a request."""
_REMINDS: Final = re.compile(
    r"\b(?:will|have) (?:also )?(?:remind|nudge|tell) you\b(?P<what>.*)"
    r"|\breminder\b[^:]*?(?:to|:) (?P<of>.*)"
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


def _common(done: Effects, told: frozenset[str]) -> frozenset[str]:
    """Return the words that the user says of both cases."""
    pieces = [stems([one]) for text in done.said_by_user for one in _EITHER.split(text.casefold())]
    return frozenset(one for one in told if sum(one in piece for piece in pieces) > 1)
