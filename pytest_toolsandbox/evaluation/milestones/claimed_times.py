"""Days and times that a report gives to what was set or told, and that this has not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from pytest_toolsandbox.matchers.statements.clauses import Clause, clauses

from .effects import Effects

_SET: Final = re.compile(r"\b(?:remind(?:ed|er|ers)?|nudge|ping|alert|alarm|wake|goes? off)\b")
_TOLD: Final = re.compile(
    r"\b(?:i|we) (?:have )?(?:also |just |\w+ly )*(?:texted|told|messaged|informed|notified|let"
    r"|wrote|sent)\b|\bknows?\b"
)
_KINDS: Final = frozenset(("weekday", "date", "time", "day"))


def other_times(text: str, done: Effects) -> Iterator[str]:
    """Yield the clauses in which no weekday, date, time or other day fits what was set or sent.

    One that fits is enough for each of these kinds: ``on Monday, a week before May 26``.
    """
    nothing = Clause("", "", -1)
    for before, clause in pairwise((nothing, *clauses(text))):
        is_set = clause.is_stated and not clause.has_negation() and _SET.search(clause.text)
        is_told = clause.opener == "that" and _TOLD.search(before.text)
        if (is_set or is_told) and _is_other(clause.text, done):
            yield clause.text


def _is_other(text: str, done: Effects) -> bool:
    from pytest_toolsandbox.matchers.quantities import quantities_in

    known = _KINDS & {str(kind) for kind, *_ in done.times_of_rows}
    fits: dict[str, bool] = {}
    for one in quantities_in(text):
        kinds = {str(kind) for kind, *_ in one.asked}
        for kind in kinds if kinds <= known else ():
            fits[kind] = fits.get(kind, False) or not one.asked.isdisjoint(done.times)
    return not all(fits.values())
