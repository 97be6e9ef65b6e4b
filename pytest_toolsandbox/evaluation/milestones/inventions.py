"""Reports of actions that did not happen: ``I also texted your boss``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.evaluation.results import Invention
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.tasks import Milestones
from pytest_toolsandbox.matchers.claims import done_in
from pytest_toolsandbox.matchers.normal_text import normal_text, split
from pytest_toolsandbox.matchers.statements.stems import stem

Rows = dict[str, list[dict[str, Any]]]

_DEEDS: Final = (("sent",), ("added",), ("deleted",), ("changed",), ("cancelled",))
_NAMED_BY: Final = ("name", "full_name", "first_name", "last_name", "username", "relationship")
"""Columns that say who somebody is; the others of such a row tell how to reach them."""

_I: Final = r"(?:^|\bi (?:have )?|\band )(?:also |just |then |now |already |\w+ly )*"
_TO: Final = re.compile(
    rf"{_I}(?:(?:texted|messaged|emailed|notified|informed|contacted|pinged|told|let)"
    r"|(?:sent|forwarded|written|wrote)\b(?:.{0,80}? to\b)?) (?P<who>.{3,80})"
    r"|^(?P<knows>[^,]{3,40}?) (?:(?:now )?knows?(?: now| too| as well)?$"
    r"|(?:has|have) (?:also |now )?been (?:texted|messaged|emailed|notified|informed|told)\b)"
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
_ALIKE: Final = {
    "mom": "mother", "mum": "mother", "dad": "father", "grandpa": "grandfather",
    "grandma": "grandmother", "manager": "boss",
}  # fmt: skip
_RELATIONS: Final = frozenset(
    split("""
    boss mother father sister brother wife husband son daughter aunt uncle landlord doctor dentist
    neighbor neighbour roommate assistant teacher grandmother grandfather
    """)
)
"""Who may be told something, and needs to be known to be told."""


def inventions(task: Milestones, trajectory: Trajectory) -> Iterator[Invention]:
    """Yield what the agent says to have sent or changed, where nothing of the kind happened.

    Only what is plain counts: a text to somebody known to the world who got nothing, or to a
    relative or superior who is named nowhere else; an entry set or deleted in a table that no call
    has changed; and any message where nothing has changed. Of who stands in the user's own words
    nothing is judged here. Without guarded tables nothing is.
    """
    if task.guarded:
        yield from _Told(trajectory).inventions()


@dataclass(frozen=True)
class _Told:
    trajectory: Trajectory

    def inventions(self) -> Iterator[Invention]:
        for at, message in enumerate(self.trajectory.messages):
            if at < self.trajectory.first or message.recipient is not Role.USER:
                continue
            if message.sender is Role.AGENT:
                yield from (Invention(one, at) for one in self._in(message.content))

    def _in(self, text: str) -> Iterator[str]:
        claimed = dict.fromkeys(clause for deed in _DEEDS for clause in done_in(deed, text))
        for clause in claimed:
            to, act = _TO.search(clause.text), _ACTED_ON.search(clause.text)
            if (to and self._is_told_nothing(to["who"] or to["knows"])) or (
                act and self._is_untouched(act)
            ):
                yield clause.text

    def _is_told_nothing(self, who: str) -> bool:
        """Whether nobody among those who are named got anything, and one of them is known."""
        end = _WHO_ENDS.search(who)
        named = re.split(r",| and (?:to )?| & | as well as ", who[: end.start()] if end else who)
        return any(map(self._got_nothing, named))

    def _got_nothing(self, name: str) -> bool:
        words = _words(name)
        if words & self.of_user:
            return False
        meant = [ways for keys, ways in self.people if keys & words]
        if meant:
            return not any(ways & self.touched for ways in meant)
        return bool(words & _RELATIONS) and not words & _RELATIONS & self.heard

    def _is_untouched(self, act: re.Match[str]) -> bool:
        """Whether no call has done to a table what is said to be done to an entry of it."""
        tables = [name for name in self.trajectory.start if stem(name) == stem(act["what"])]
        kinds = [kind for kind in ("added", "removed") if act[kind]] or ["added", "removed"]
        rows = [changed[name] for changed in self.changes for name in tables if name in changed]
        if act["removed"]:
            rows = [one for one in rows if len(one["removed"]) > len(one["added"])]
        return bool(tables) and not any(one[kind] for one in rows for kind in kinds)

    @cached_property
    def changes(self) -> list[dict[str, Rows]]:
        """What each call changed: table → ``added`` and ``removed`` rows."""
        return [call.after.changes_since(call.before) for call in self.trajectory.calls]

    @cached_property
    def touched(self) -> frozenset[str]:
        """What stands in rows that calls have changed, but not in those of people."""
        some = [rows for changed in self.changes for rows in changed.values()]
        rows = [one for each in some for kind in each.values() for one in kind]
        others = [row for row in rows if not _is_person(row)]
        return frozenset(normal_text(str(value)) for row in others for value in row.values())

    @cached_property
    def people(self) -> list[tuple[frozenset[str], frozenset[str]]]:
        """The words for each person of the world, with what reaches them."""
        states = {self.trajectory.start, self.trajectory.states[-1]}
        rows = [row for state in states for table in state.values() for row in table]
        return [_person(row) for row in rows if _is_person(row) and not row.get("is_self")]

    @cached_property
    def of_user(self) -> frozenset[str]:
        return self._said_by(Role.USER)

    @cached_property
    def heard(self) -> frozenset[str]:
        return self.of_user | self._said_by(Role.EXECUTION_ENVIRONMENT)

    def _said_by(self, sender: Role) -> frozenset[str]:
        texts = [one.content for one in self.trajectory.messages if one.sender is sender]
        return _words(" ".join(texts))


def _is_person(row: Mapping[str, Any]) -> bool:
    return "name" in row and any(re.search("phone|email", column) for column in row)


def _person(row: Mapping[str, Any]) -> tuple[frozenset[str], frozenset[str]]:
    named = " ".join(str(row.get(column) or "") for column in _NAMED_BY)
    ways = {normal_text(str(row[one])) for one in row if one not in _NAMED_BY and row[one]}
    return _words(named), frozenset(ways)


def _words(text: str) -> frozenset[str]:
    words = re.findall(r"[^\W\d_]{3,}", normal_text(text))
    return frozenset(_ALIKE.get(word, word) for word in words)
