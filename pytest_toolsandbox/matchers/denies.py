"""``denies``: the text says that something was not done, could not be done or is not so."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from .claims import INSTEAD, done_in
from .registry import matcher
from .statements.clauses import Clause, clauses
from .statements.deeds import deeds_of, opposite_of
from .statements.statement import Statement, Words, around, has, is_bare, is_failure

_ELLIPTIC: Final = re.compile(
    r"^(?:and |but )?not (?!\w+ing\b)|\b(?:was|were|is|are|has|have|did|could) not$"
)
"""``but not Fred``, ``Fred has not``: what, says the clause before."""


@matcher("denies")
@dataclass(frozen=True)
class Denies(Statement):
    """A text that says that this was not done, could not be done or is not so.

    A question and a condition deny nothing, nor does what was claimed in the end.
    """

    def states(self, text: str) -> bool:
        found, free = clauses(text), around(self.items, text, is_denial=True)
        denied = [place for place in range(len(found)) if self._is_denied(text, place, free)]
        if not denied:
            return False
        done, later = done_in(self.items[0], text), found[denied[-1] + 1 :]
        return not any(one in done and self.has_others(one, free) for one in later)

    def _is_denied(self, text: str, place: int, free: frozenset[int]) -> bool:
        clause = clauses(text)[place]
        undone = opposite_of(self.items[0])
        if undone and clause in done_in(undone, text):
            opposite = type(self)((undone, *self.items[1:]))
            return opposite.has_others(_with_subject(text, place, opposite.items), free)
        instead = INSTEAD.search(clause.text)
        if not clause.is_stated or not clause.has_negation(instead.start() if instead else None):
            return False
        if is_failure(clause):
            return any(map(deeds_of, self.items[0]))
        if has(self.items[0], clause.text):
            return self.has_others(clause, free)
        if place == 0 or not _ELLIPTIC.search(clause.text):
            return False
        others = type(self)(self.items[1:])
        return has(self.items[0], clauses(text)[place - 1].text) and others.has_others(
            clause, frozenset()
        )


def _with_subject(text: str, place: int, items: Iterable[Words]) -> Clause:
    """Return a clause with the one before it, if that says of what it is: ``and is off``."""
    clause = clauses(text)[place]
    before = clauses(text)[place - 1] if place else clause
    is_same = before is not clause and before.sentence == clause.sentence
    goes_on = is_same and is_bare(clause, items)
    return replace(clause, text=f"{before.text} {clause.text}") if goes_on else clause
