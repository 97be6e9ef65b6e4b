"""Deeds that are told of other rows than those that they were done to: ``and the calzone``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Final

from pytest_toolsandbox.matchers.facts.names import Name, names_in
from pytest_toolsandbox.matchers.normal_text import split
from pytest_toolsandbox.matchers.statements.clauses import Clause, clauses
from pytest_toolsandbox.matchers.statements.stems import stem

from .claimed_acts import SPARED
from .effects import Effects, short_texts
from .past_forms import ADVERBS, ONLY_LOOKS, PAST
from .things import stems, things

_ACTIVE: Final = re.compile(
    rf"(?:^|\band |\b(?:i|we) (?:have )?){ADVERBS}(?P<verb>{PAST})\b(?P<what>.*)"
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
_PRONOUN: Final = re.compile(r"(?:\w+ ){0,3}?(?:it|them|this|that|everything|all|both)\b")


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
        found = _ACTIVE.search(clause.text)
        if found is None or stem(found["verb"]) in ONLY_LOOKS | _TELLS:
            return False
        place = found.start("verb")
        is_meant = not (clause.has_negation(place) or clause.has_modality(place))
        return is_meant and self._is_of_another(_ENDS.split(found["what"])[0])

    def _is_of_another(self, what: str) -> bool:
        said = frozenset() if _PRONOUN.match(what.strip()) else things(what)
        is_other = bool(said & self._others) and not said & (self._own - self._kinds)
        return is_other or self._names_another(what) or self._adds_another(what)

    def _names_another(self, what: str) -> bool:
        """Whether it has a name that only rows have of which nothing done knows."""
        said = stems([what])
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
    def _others(self) -> frozenset[str]:
        """The stems of words in names, titles and the like of other rows."""
        return stems(short_texts(self.done.trajectory.start)) - self._own
