"""Deeds that are told of other rows than those that they were done to: ``and the calzone``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Final

from pytest_toolsandbox.matchers.facts.names import Name, names_in
from pytest_toolsandbox.matchers.normal_text import split
from pytest_toolsandbox.matchers.quantities.words import ONES, either, worth
from pytest_toolsandbox.matchers.statements.clauses import Clause, clauses
from pytest_toolsandbox.matchers.statements.stems import stem

from .claimed_acts import SPARED
from .deeds import Row
from .effects import MANY, Effects, short_texts
from .past_forms import ADVERBS, ONLY_LOOKS, PAST
from .things import ENTRIES, stems, things

_ACTIVE: Final = re.compile(
    rf"(?:^|\band |\b(?:i|we) (?:have )?){ADVERBS}(?P<verb>{PAST})\b(?P<what>.*)"
)
_PASSIVE: Final = re.compile(
    rf"^(?P<what>.{{3,80}}?) (?:(?:has|have) {ADVERBS}been|(?:is|are) now) {ADVERBS}"
    rf"(?P<verb>{PAST})\b"
)
_ENDS: Final = re.compile(
    rf"{SPARED.pattern}|\b(?:instead of|rather than|not|without|like|than|before|after|next to"
    r"|beside|behind|between|ahead of|in place of|until|unlike|as|who|attention"
    r"|with (?:no|the same))\b|[(;]"
)
"""Where somebody else may be named who has no part in it."""
_AND: Final = re.compile(r"(?: ,)? and | & | plus | as well as | along with | together with ")
_TELLS: Final = frozenset(
    map(
        stem,
        split("done texted messaged told informed notified emailed wrote written contacted asked"),
    )
)
"""Verbs for what somebody gets, which is compared with what was sent."""
_COUNT: Final = re.compile(
    rf"\b(?:(?P<both>both)|(?:all )?(?P<number>{either(ONES)}))"
    r" (?:of )?(?:(?:the|your|these|those|his|her|their|of) )*(?:\w+(?: 's)? ){0,2}?"
    r"(?P<what>[a-z]+s)\b"
)
_FOUND: Final = re.compile(r"\bas (?:I|you) (?:found|saw|said|told|know|mentioned|noted)\b")
_PRONOUN: Final = re.compile(r"(?:\w+ ){0,3}?(?:it|them|this|that|everything|all)\b")
_CODE: Final = re.compile(r"\b[a-z]{1,5}-\d{1,6}\b")
_NUMBER: Final = re.compile(r"\b(?!(?:19|20)\d\d\b)\d{4,}\b")
"""Digits by which a row is known, and no year."""
_FEWEST: Final = 2
"""Rows of a table of which some may be mistaken for others."""


def done_to_others(text: str, done: Effects) -> Iterator[str]:
    """Yield the clauses that tell a deed of names, things or numbers of rows it was not done to."""
    told = _Told(text, done)
    is_judged = any(one.kind != "sent" for one in done.deeds)
    for clause in clauses(text) if is_judged else ():
        if clause.is_stated and told.is_of_others(clause):
            yield clause.text


@dataclass(frozen=True)
class _Told:
    text: str
    done: Effects

    def is_of_others(self, clause: Clause) -> bool:
        for form in (_ACTIVE, _PASSIVE):
            found = form.search(clause.text)
            if found is None or stem(found["verb"]) in ONLY_LOOKS | _TELLS:
                continue
            is_found = stem(found["verb"]) in self.done.returned or _FOUND.search(self.text)
            if form is _PASSIVE and is_found:
                continue  # somebody else may have done it, and a tool tells so
            place = found.start("verb")
            if not (clause.has_negation(place) or clause.has_modality(place)):
                rest = found.string[found.end() :] if form is _PASSIVE else ""
                what = _ENDS.split(f"{found['what']} {rest}")[0]
                if self._is_of_another(what):
                    return True
        return False

    def _is_of_another(self, what: str) -> bool:
        said = frozenset() if _PRONOUN.match(what.strip()) else things(what)
        return (
            bool(said & self._others and not said & (self._own - self._kinds))
            or self._names_another(what)
            or self._adds_another(what)
            or self._is_more(what)
        )

    def _names_another(self, what: str) -> bool:
        """Whether it has a name or number that only rows have of which nothing done knows."""
        said = stems([what])
        if any(one in self._others for one in _NUMBER.findall(what)):
            return True
        if any(one in self._other_codes for one in _CODE.findall(what)):
            return True
        return any(
            stems(name.words) <= said and stems(name.words) & self._others for name in self._names
        )

    def _adds_another(self, what: str) -> bool:
        """Whether a further thing is named beside another, which only other rows are called."""
        first, *others = _AND.split(what)
        is_own = bool(things(first) & self._own)
        return is_own and any(
            things(one) & self._others and not things(one) & self._own for one in others
        )

    def _is_more(self, what: str) -> bool:
        """Whether it counts more rows of a table than were changed."""
        counted = _COUNT.search(what)
        if counted is None:
            return False
        tables = [one for one in self._watched if stem(counted["what"]) in stems([one])]
        changed = [one for one in self.done.deeds if one.table in tables and one.kind != "sent"]
        count = MANY if counted["both"] else worth(counted["number"])
        different = {one.words for one in changed}
        return bool(changed) and count is not None and count > len(different)

    @cached_property
    def _watched(self) -> list[str]:
        start = self.done.trajectory.start
        return [one for one in start if len(start[one]) >= _FEWEST and stem(one) not in ENTRIES]

    @cached_property
    def _kinds(self) -> frozenset[str]:
        """The stems of what any row of a table, or any deed of a tool, is called."""
        return stems(self.done.trajectory.start) | self.done.tools

    @cached_property
    def _names(self) -> list[Name]:
        return [*names_in(self.text)]

    @cached_property
    def _own(self) -> frozenset[str]:
        reached = self.done.touched | self.done.concerned
        people = chain(*(keys for keys, ways in self.done.people if ways & reached))
        return (self.done.words | self.done.known | self.done.named).union(map(stem, people))

    @cached_property
    def _other_codes(self) -> frozenset[str]:
        """The codes by which only rows are known that were not changed: ``inc-2040``."""
        own = _codes_in(row for one in self.done.deeds for row in one.rows)
        start = self.done.trajectory.start.values()
        return _codes_in(row for table in start for row in table) - own

    @cached_property
    def _others(self) -> frozenset[str]:
        """The stems of words in names, titles and the like of other rows."""
        return stems(short_texts(self.done.trajectory.start)) - self._own


def _codes_in(rows: Iterable[Row]) -> frozenset[str]:
    values = (str(value).casefold() for row in rows for value in row.values())
    return frozenset(one for one in values if _CODE.fullmatch(one))
