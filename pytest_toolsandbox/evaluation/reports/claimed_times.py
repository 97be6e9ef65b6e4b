"""Days and times that a report gives to what was set or told, and that this has not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set as AbstractSet
from datetime import timedelta
from itertools import pairwise
from typing import Final

from pytest_toolsandbox.matchers.quantities.quantity import Meaning
from pytest_toolsandbox.matchers.statements.clauses import Clause, clauses

from .deeds import is_sent, text_of
from .effects import Effects, given_by
from .moments import moments_in
from .things import stems

_SET: Final = re.compile(
    r"\b(?:remind(?:ed|er|ers)?|nudge|ping|alert|alarm|wake|heads[- ]up|goes? off|warn|come up"
    r"|hear from me)\b"
    r"|\bi (?:will|shall) ring\b|\b(?:is|are) now (?:on|at|due|set|for)\b"
    r"|\b(?:is|are) (?:on|at|due|set for) .{1,40}\bnow$"
    r"|^(?:it (?:is|has been) )?(?:all |now )*(?:done|moved|set|shifted|pushed|rescheduled)\b"
)
_TOLD: Final = re.compile(
    r"\b(?:i|we) (?:have )?(?:also |just |\w+ly )*(?:texted|told|messaged|informed|notified|let"
    r"|wrote|sent)\b|\bknows?\b"
)
_KINDS: Final = frozenset(("weekday", "date", "time"))
_DAYS: Final = {"today": 0, "tonight": 0, "tomorrow": 1}

_THERE: Final = re.compile(
    r"^(?:(?:and|so|yes|but|,) )*(?:there (?:is|are)|you (?:(?:already|still|do) )*have"
    r"|i (?:can |have )?(?:see|found|find))\b|\bstill\b|\bis in your reminders\b"
)
"""What tells of an entry that was there before."""
_BESIDE: Final = re.compile(r" ,? ?(?:which|where|since it|as it|when it)\b.*$")
"""What is told of something beside: ``the shop, which closes at 8 pm``."""
_REPEATED: Final = re.compile(
    r"\b(?:every|each) (?:(?:single|other) )?(?:day|morning|evening|night|week|month|year|hour"
    r"|\w+day)\b|\b(?:daily|weekly|monthly|hourly|yearly)\b"
)
"""What is no row by itself."""
_ITEM: Final = re.compile(r" ?,? (?:and|,) (?:on )?| ,? ?; ?")
_FROM_NOW: Final = re.compile(r"\bfrom (?:today|tomorrow|now)\b(?! (?:on|until|till|to)\b)")
"""From where a time is counted."""


def other_times(text: str, done: Effects) -> Iterator[str]:
    """Yield the clauses in which no weekday, date, time or other day fits what was set or sent.

    One that fits is enough for each of these kinds: ``on Monday, a week before May 26``.
    """
    nothing, was_told = Clause("", "", -1), False
    for before, clause in pairwise((nothing, *clauses(text))):
        is_set = clause.is_stated and not clause.has_negation() and _SET.search(clause.text)
        head, _, tail = clause.text.partition(" that ")
        is_told = (clause.opener == "that" and bool(_TOLD.search(before.text))) or (
            was_told and clause.is_reported and clause.sentence == before.sentence
        )
        was_told = is_told
        is_told_here = (
            clause.is_stated and not clause.has_negation() and tail and _TOLD.search(head)
        )
        if not (is_set or is_told or is_told_here):
            continue
        known = done.times if _THERE.search(clause.text) else done.times_of_deeds
        told = _BESIDE.sub("", tail if is_told_here else clause.text)
        if _is_other(told, known, done) or (
            is_set and (_is_repeated(clause.text, done) or _is_of_other_row(told, done))
        ):
            yield clause.text


def _is_repeated(text: str, done: Effects) -> bool:
    """Whether it is said to come again and again, where the user speaks of nothing of the kind."""
    asked = " ".join(done.said_by_user).casefold()
    return bool(_REPEATED.search(text)) and not re.search(r"\b(?:every|each)\b|ly\b", asked)


def _is_of_other_row(text: str, done: Effects) -> bool:
    """Whether an item of a list has a time that its own row has not, or no row of like ones."""
    rows = [row for row in done.rows("added") if not is_sent(row)]
    all_rows = (*rows, *done.rows("removed"))
    told = [{one: row[one] for one in row if not one.endswith("_id")} for row in rows]
    marks = [stems([text_of(row)]) for row in told]
    for item in _ITEM.split(text) if len(rows) > 1 else ():
        said = stems([item])
        own = [one for one in marks if said & one - frozenset().union(*({*marks} - {one}))]
        its = [row for row in all_rows if own and stems([text_of(row)]) >= own[0]]
        times = given_by(moments_in(its, done.now)) if len(own) == 1 else done.times_of_deeds
        if (len(own) == 1 or len({*marks}) == 1) and _is_other(item, times, done):
            return True
    return False


def _is_other(text: str, times: AbstractSet[Meaning], done: Effects) -> bool:
    from pytest_toolsandbox.matchers.quantities import quantities_in

    known = _KINDS & {str(kind) for kind, *_ in done.times_of_rows}
    fits: dict[str, bool] = {}
    for one in quantities_in(_FROM_NOW.sub(" ", text)):
        asked = _on_what_date(one.asked, done)
        kinds = {str(kind) for kind, *_ in asked}
        if kinds == {"number", "time"} and re.search(
            rf"\b(?:at|around|by) {re.escape(one.written)}$", text
        ):
            kinds, asked = {"time"}, frozenset(it for it in asked if it[0] == "time")
        for kind in kinds if kinds <= known else ():
            fits[kind] = fits.get(kind, False) or not asked.isdisjoint(times)
    return not all(fits.values())


def _on_what_date(asked: AbstractSet[Meaning], done: Effects) -> AbstractSet[Meaning]:
    """Return what is asked for; of ``tomorrow`` the date."""
    days = [_DAYS.get(str(one)) for kind, one, *_ in asked if kind == "day"]
    if len(days) != len(asked) or not days or days[0] is None:
        return asked
    date = done.now + timedelta(days=days[0])
    return frozenset((("date", date.month, date.day),))
