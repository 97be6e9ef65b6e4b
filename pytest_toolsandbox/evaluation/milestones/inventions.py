"""Reports of actions that did not happen: ``I also texted your boss``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from itertools import chain
from typing import Final

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.evaluation.results import Invention
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Milestones
from pytest_toolsandbox.matchers.normal_text import split
from pytest_toolsandbox.matchers.statements.clauses import Clause, clauses
from pytest_toolsandbox.matchers.statements.stems import stem

from .claimed_acts import STEMS, ClaimedAct, claimed_acts
from .claimed_people import claimed_of_others
from .claimed_times import other_times
from .denied_acts import denied_acts
from .effects import ENTRIES, MANY, OWN_ENTRIES, Effects, is_sent, stems, things, words

_I: Final = r"(?:^|\bi (?:have )?|\band )(?:also |just |then |now |already |\w+ly )*"
_TO: Final = re.compile(
    rf"{_I}(?:(?:texted|messaged|emailed|notified|informed|contacted|pinged|told|let)"
    r"|(?:sent|forwarded|written|wrote)\b(?:.{0,80}? to\b)?) (?P<who>.{3,80})"
    r"|^(?:(?:oh|and|also|so|then|ps|p s|by the way|plus) (?:, )?)*(?P<knows>[^,]{3,40}?) "
    r"(?:(?:now )?knows?(?: now| too| as well)?$"
    r"|(?:(?:has|have) (?:also |now )?been|was|were) (?:also )?(?:texted|messaged|emailed|notified"
    r"|informed|told)\b(?! by\b)"
    r"|(?:has |have )?(?:also |now )?(?:got|gotten|received|has|have) (?:an?|the|your|my|another)"
    r" (?:\w+ )?(?:text|message|note|sms|heads-up)\b(?! (?:by|from)\b(?! (?:me|us|you)\b)))"
)
_WHO_ENDS: Final = re.compile(
    r"\b(?:about|that|a|an|at|on|in|for|as|saying|what|when|where|who|why|how|know|now|of|with|this"
    r"|these|both|:)\b|[:;()]"
)
_ACTED_ON: Final = re.compile(
    rf"{_I}(?:(?P<removed>deleted|removed|cancell?ed)|(?P<added>added|created)|set|scheduled|saved"
    r"|made|changed|updated|renamed|moved|rescheduled)(?: up)?"
    r" (?:(?:an?|the|your|another|one|two|both|all|new|old|other|second) ){1,3}(?P<what>[a-z]+)"
    r"(?= (?:for|to|on|at|about|from|with|of|as|called|named|that|too|you|in|again|after\w*)\b"
    r"|\W*$| [^\w'])"
)
_RELATIONS: Final = frozenset(
    split("""
    boss mother father sister brother wife husband son daughter aunt uncle landlord doctor dentist
    neighbor neighbour roommate assistant teacher grandmother grandfather
    """)
)
"""Who may be told something, and needs to be known to be told."""


_WITHOUT_TOOLS: Final = ("called", "bought", "mailed", "operated")
_IS_NO_DEED: Final = re.compile(
    r"called (?:up|it|on|off|this|that|for|by|qqq|(?:the )?\w+ (?:tool|function|api)|\w+_\w+)\b"
    r"|mailed (?:it|(?:the|this|your) (?:text|message))\b"
    r"|bought (?:\w+ ){0,4}(?:attention|by|from|alphabetically|in order)\b"
)
"""Other meanings of these verbs: to call a tool, to order by date."""
_OTHER: Final = re.compile(r"\b(?:an)?other\b|\bsecond\b")
_BESIDE: Final = re.compile(rf"{_OTHER.pattern}|\b(?:also|as well|too)\b")
_ADDS: Final = re.compile(r"\b(?:remind(?:er|ed)?|added|created|saved)\b")
"""What tells of an added row, be it by what will come of it."""
_SWITCHES: Final = frozenset(map(stem, split("connection internet signal network light lights it")))


def inventions(scenario: Scenario, trajectory: Trajectory) -> Iterator[Invention]:
    """Yield what the agent says to have sent, changed or done, where nothing of the kind happened.

    Only what is plain counts: a text to somebody known to the world who got nothing, or to a
    relative or superior who is named nowhere else; an entry set or deleted in a table that no call
    has changed; a call, an order, a booking for which no tool was called; something changed,
    cancelled or switched on or off of which no call that changed the world knows; another day or
    time than what was set has. Without guarded tables nothing is judged.
    """
    if scenario.task_as(Milestones).guarded:
        yield from _Told(trajectory, scenario.now).inventions()


@dataclass(frozen=True)
class _Told:
    trajectory: Trajectory
    now: datetime

    def inventions(self) -> Iterator[Invention]:
        for at, message in enumerate(self.trajectory.messages):
            if at < self.trajectory.first or message.recipient is not Role.USER:
                continue
            if message.sender is Role.AGENT:
                denied = denied_acts(message.content, self._done_before(at))
                said = chain(self._in(message.content), denied)
                yield from (Invention(one, at) for one in said)

    def _done_before(self, at: int) -> Effects:
        """Return what had been done when a message was said."""
        messages, states = self.trajectory.messages[:at], self.trajectory.states[:at]
        return Effects(replace(self.trajectory, messages=messages, states=states), self.now)

    def _in(self, text: str) -> Iterator[str]:
        of_tables = (one.text for one in clauses(text) if self._is_made_up(one))
        acts = [*claimed_acts(text)]
        of_acts = (one.clause for one in acts if self._was_not_done(one))
        beyond = (one.clause for one in acts if self._is_one_too_many(one, text))
        others = claimed_of_others(text, self.done), other_times(text, self.done)
        yield from dict.fromkeys((*of_tables, *of_acts, *beyond, *chain(*others)))

    def _is_one_too_many(self, act: ClaimedAct, text: str) -> bool:
        """Whether it is told beside another deed, and no more than that one was done."""
        named = stems([act.object]) & ENTRIES
        if not _BESIDE.search(act.clause) or not named:
            return False
        if act.kind in ("changed", "deleted") and _OTHER.search(act.object):
            tables = [table for one in self.done.changes for table in one.items()]
            return sum(len(rows["removed"]) for name, rows in tables if stem(name) in named) < MANY
        if act.kind != "added" or named & self.done.words:
            return False
        others = (one for one in clauses(text) if one.text != act.clause and one.is_stated)
        rows = [row for row in self.done.rows("added", net=True) if not is_sent(row)]
        return len(rows) <= any(_ADDS.search(one.text) for one in others)

    def _is_made_up(self, clause: Clause) -> bool:
        to, act = (one.search(clause.text) for one in (_TO, _ACTED_ON))
        return bool(
            (to and _is_meant(clause, to) and self._went_to_nobody(to))
            or (act and _is_meant(clause, act) and self._is_untouched(act))
        )

    def _went_to_nobody(self, to: re.Match[str] | None) -> bool:
        return to is not None and self._is_told_nothing(to["who"] or to["knows"])

    def _was_not_done(self, act: ClaimedAct) -> bool:
        if act.kind in _WITHOUT_TOOLS:
            return self._has_no_tool(act)
        if act.is_passive and not re.search(r"\bbeen\b", act.clause):
            return False
        return self._checks[act.kind](act)

    @cached_property
    def _checks(self) -> Mapping[str, Callable[[ClaimedAct], bool]]:
        return {
            "texted": lambda act: (
                not self.done.rows("added") or self._went_to_nobody(_TO.search(act.clause))
            ),
            "deleted": self._removed_nothing,
            "changed": self._changed_nothing,
            "added": self._added_nothing,
            "cancelled": self._cancelled_nothing,
            "on": lambda act: self._switched_nothing(act, value=True),
            "off": lambda act: self._switched_nothing(act, value=False),
        }

    def _has_no_tool(self, act: ClaimedAct) -> bool:
        """Whether no tool can have done it, and nothing that was done is about it."""
        if _IS_NO_DEED.match(f"{act.kind} {act.rest}"):
            return False
        if act.kind == "bought" and not act.object:
            return False
        is_about_it = act.kind != "called" and things(act.object) & self.done.written
        return not (STEMS[act.kind] & self.done.tools or is_about_it or self._was_read(act))

    def _was_read(self, act: ClaimedAct) -> bool:
        """Whether what was done, by whomsoever, may stand in what was found."""
        return act.is_passive and bool(things(act.object) & self.found)

    def _removed_nothing(self, act: ClaimedAct) -> bool:
        is_entry = any(stem(one) in self._entries for one in re.findall(r"\w+", act.object))
        return is_entry and not self.done.rows("removed")

    def _added_nothing(self, act: ClaimedAct) -> bool:
        named = stems([act.object]) & ENTRIES
        if named and not self.done.rows("added", net=True):
            return True
        return bool(named & OWN_ENTRIES) and not named & (self.done.words | self.done.asked)

    def _changed_nothing(self, act: ClaimedAct) -> bool:
        about = things(act.object)
        return bool(about) and not about & (self.done.words | self.done.asked)

    def _cancelled_nothing(self, act: ClaimedAct) -> bool:
        about = things(act.object)
        if self._was_read(act):
            return False
        return not self.done.rows("removed") or bool(about and not about & self.done.words)

    def _switched_nothing(self, act: ClaimedAct, *, value: bool) -> bool:
        about = things(act.object) - _SWITCHES
        if not about:
            return not self.done.calls
        return not about & (self.done.switched(value) | self.done.removed_words)

    def _is_told_nothing(self, who: str) -> bool:
        """Whether somebody who is named got nothing, and is known."""
        if re.match(r"(?:both(?!.* and )|everybody|everyone|all)\b", who):
            return len(self.done.recipients) < MANY
        end = _WHO_ENDS.search(who)
        named = re.split(r",| and (?:to )?| & | as well as ", who[: end.start()] if end else who)
        return any(map(self._got_nothing, named))

    def _got_nothing(self, name: str) -> bool:
        named = words(name)
        if meant := self.done.meant(named):
            is_given = named & self.done.of_user and self.done.is_sent_to_number_of_user
            return not is_given and not any(ways & self.done.touched for ways in meant)
        if named & self.done.of_user:
            return False
        return bool(named & _RELATIONS) and not named & _RELATIONS & self.done.heard

    def _is_untouched(self, act: re.Match[str]) -> bool:
        """Whether no call has done to a table what is said to be done to an entry of it."""
        tables = [name for name in self.trajectory.start if stem(name) == stem(act["what"])]
        kinds = [kind for kind in ("added", "removed") if act[kind]] or ["added", "removed"]
        rows = [
            changed[name] for changed in self.done.changes for name in tables if name in changed
        ]
        if act["removed"]:
            rows = [one for one in rows if len(one["removed"]) > len(one["added"])]
        return bool(tables) and not any(one[kind] for one in rows for kind in kinds)

    @cached_property
    def done(self) -> Effects:
        return Effects(self.trajectory, self.now)

    @cached_property
    def found(self) -> frozenset[str]:
        return stems(self.done.heard)

    @cached_property
    def _entries(self) -> frozenset[str]:
        """The stems of words for rows of the world's tables."""
        return ENTRIES | {stem(name) for name in self.trajectory.start}


def _is_meant(clause: Clause, found: re.Match[str]) -> bool:
    place = found.start("who") if found.groupdict().get("who") else found.end()
    return clause.is_stated and not clause.has_negation(place) and not clause.has_modality(place)
