"""Whether what an agent says to have done was done: a deed of this kind, to this thing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from pytest_toolsandbox.matchers.facts.names import names_in
from pytest_toolsandbox.matchers.statements.stems import stem

from .claimed_acts import ClaimedAct, until_end
from .deeds import Deed
from .effects import Effects
from .things import ENTRIES, stems, things

_CARRIES: Final = {
    "texted": ("sent",),
    "added": ("added", "changed", "sent"),
    "deleted": ("removed", "changed"),
    "changed": ("changed", "added", "on", "off"),
    "cancelled": ("removed", "changed"),
    "on": ("on",),
    "off": ("off",),
}
"""Which deeds carry a verb of each kind: to save may be to change, to move may be to set anew."""
_PRONOUN: Final = re.compile(
    r"^(?:it|them|both|all|all of (?:it|them)|both of them|each of them)(?= (?:as well|also)|$)"
)
_OF_A_TEXT: Final = re.compile(
    r"\b(?:text|message|wording|typo|draft|sentence|sign|mark|mind|sum|tip|total|list of|tax|point"
    r"|spelling|search|reply|note|you|up|on|together|sure|trouble)\b"
)
_MAY_BE_ELSE: Final = re.compile(r"(?:please |just |then |now )*(?:set|put|make|save)\b")
"""What begins an order to the user as well: ``Set it to 177 degrees``."""
_IS_NEWS: Final = re.compile(r"\bbeen\b|\bnow\b| (?:too|as well|also)$")
"""What tells of a deed just done: ``was added`` may be long ago."""
_WHICH: Final = re.compile(
    r"^(?:the|your) ((?:\w+ ){1,2})(?:reminder|contact|alarm|event|meeting|appointment)s?\W*$"
)
"""What says by another word than its own which entry it is: ``your dinner reminder``."""
_WHOSE: Final = re.compile(r"^(?:for|of|about|called|named|titled)\b(?P<what>[^;:()]*)")
_MORE: Final = re.compile(
    r"\b(?:another|a second|one more|an? (?:extra|additional|further)|a copy)\b(?! of)"
)


def is_carried(act: ClaimedAct, text: str, done: Effects) -> bool:
    """Whether a deed carries an act of a text, as far as it is plain what this was done to."""
    kinds = _CARRIES.get(act.kind)
    if kinds is None or _MAY_BE_ELSE.match(act.clause):
        return True
    if act.is_passive and not _IS_NEWS.search(act.clause):
        return True
    fitting = [one for one in done.deeds if one.kind in kinds]
    tables = frozenset() if act.kind == "texted" else _tables(act, done)
    here = [one for one in fitting if one.table in tables] if tables else fitting
    if not here:
        is_of_row = things(act.object) & (done.known_to(fitting).union(*(d.words for d in fitting)))
        is_new = re.match(r"(?:an?|another) ", act.object)
        return bool(is_of_row and not is_new) or not _is_of_the_world(act, tables, done)
    if _is_one_too_many(act, here):
        return False
    names = stems(word for name in names_in(text) for word in name.words)
    return not _is_of_another_row(act, here, done, names)


def _tables(act: ClaimedAct, done: Effects) -> frozenset[str]:
    """Return the tables of whose entries the object speaks by their own name.

    A return for an order is no order.
    """
    named = {stem(one) for one in re.findall(r"[a-z]+", until_end(act.object))}
    if named & {"text"}:
        named.add("messag")
    return frozenset(one for one in done.trajectory.start if stem(one) in named)


def _is_of_the_world(act: ClaimedAct, tables: Iterable[str], done: Effects) -> bool:
    """Whether the object is plainly something that only a call can change."""
    if tables:
        return True
    if _OF_A_TEXT.search(f"{act.object} {act.rest}"):
        return False
    is_entry = bool(stems([act.object]) & ENTRIES) or bool(_PRONOUN.match(act.object))
    return is_entry or bool(done.deeds and re.search(r"\byour\b", act.object))


def _said(act: ClaimedAct) -> frozenset[str]:
    """Return the stems of words for what an act was done to."""
    after = act.rest.removeprefix(act.object).strip() if not act.is_passive else ""
    whose = _WHOSE.match(after)
    return things(f"{act.object} {whose['what'] if whose else ''}")


def _is_of_another_row(
    act: ClaimedAct, here: list[Deed], done: Effects, names: frozenset[str]
) -> bool:
    """Whether the object is known by names, or words of rows, beside those to which it was done."""
    if (
        act.kind in ("on", "off")
        or _PRONOUN.match(act.object)
        or all(one.kind == "sent" for one in here)
    ):
        return False
    own = done.known_to(here).union(*(one.words for one in here))
    others = frozenset().union(*(done.words_of(one.table) for one in here)) - own
    said = _said(act) - ENTRIES
    which = _WHICH.match(act.object)
    if which and things(which[1]) and not things(which[1]) & (own | done.asked | done.found):
        return True
    if said & names:
        return not said & names & own
    return bool(said & others) and not said & (own - others)


def _is_one_too_many(act: ClaimedAct, here: list[Deed]) -> bool:
    if act.kind != "added" or not _MORE.search(act.clause):
        return False
    return sum(one.kind == "added" for one in here) < 2  # noqa: PLR2004  # one more than one
