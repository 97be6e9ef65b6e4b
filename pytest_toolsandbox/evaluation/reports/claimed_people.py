"""Deeds that are told of other people than those whom they concern: ``I've removed Victor``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import Final

from pytest_toolsandbox.matchers.quantities.words import ONES, either, worth
from pytest_toolsandbox.matchers.statements.clauses import Clause, by_sentence, with_quotes
from pytest_toolsandbox.matchers.statements.stems import stem

from .claimed_acts import SPARED, ClaimedAct, claimed_acts
from .deeds import is_sent
from .effects import MANY, TAIL, Effects, tells_too_many
from .things import ENTRIES, stems, things, words

_OF_PEOPLE: Final = frozenset(("added", "changed", "deleted"))
_COUNTED: Final = {"added": "added", "deleted": "removed"}
_OWNER: Final = re.compile(
    r"^(?P<thing>.*?\b(?:entry|contact|number|card|record|name)) (?:of|for) (?P<who>.+)"
)
_PLACED: Final = re.compile(
    r"\b(?:next to|beside|against|behind|under|in|into|to|on) (?P<who>[^,;:]{3,40}?) 's"
    r" (?:\w+ )?(?:name|contact|entry|card|record|number)\b"
)
_GONE: Final = re.compile(
    r"^(?:(?:and|so|now|then) )*(?:(?:the|your) )?(?:(?:entry|contact|card) )?(?:(?:of|for) )?"
    r"(?P<who>.{3,80}?) (?:is|are) (?:(?:now|all|both) )*(?:gone|deleted|off your (?:\w+ )?\w+)"
    r"(?: now| from your [\w ]{3,20})?\W*$"
)
_HAD: Final = re.compile(r" 's | (?:for|of) ")
"""What somebody had, such as a number."""
_SPARED_UNTIL: Final = re.compile(
    rf"{SPARED.pattern} (?P<who>.{{3,60}}?)(?= (?:has|have|is|are|was|were|from|in|[,;:(])(?!\w)|$)"
)
_STATE: Final = re.compile(
    r"^(?P<who>.{3,60}?) (?:(?:is|are) (?:now (?:also )?)?(?P<no>no longer |gone )?"
    r"|(?:is|are|was|were|has been|have been) (?:now )?(?:added|saved|removed|deleted)\b.*)"
    r"(?:in|to|from|on) your (?:\w+ )?(?:contacts|address book)\b"
)
_IN_LIST: Final = re.compile(r"^.{3,40}? (?:in|to|from) your (?:\w+ )?(?:contacts|address book)\b")
_NUMBER: Final = re.compile(r"\+?\d[\d ()./-]{2,}\d")
_FEWEST: Final = 4
"""Digits of a number by which somebody may be known: ``the one with 0156``."""
_COUNT: Final = re.compile(
    rf"^(?:all |the )*(?P<count>both|{either(ONES)}|\d{{1,2}}) (?:of (?:the|your) )?"
    r"(?:(?:\w+ed|overdue|old|past|other) )*(?P<what>\w+)"
)


def claimed_of_others(text: str, done: Effects) -> Iterator[str]:
    """Yield the clauses that tell a deed of people, numbers or more rows than it was done to."""
    for act in claimed_acts(text):
        if (
            _is_of_another(act, text, done)
            or _is_of_more(act, done)
            or _has_other_number(act, done)
        ):
            yield act.clause
    for sentence in by_sentence(text):
        for place, clause in enumerate(sentence):
            if clause.is_stated and not clause.is_negated:
                who = with_quotes(sentence, place)
                if _is_state_of_another(clause, text, done) or _is_gone(clause, who, done):
                    yield clause.text


def _is_of_another(act: ClaimedAct, text: str, done: Effects) -> bool:
    if act.kind not in _OF_PEOPLE:
        return False
    owner = _OWNER.match(act.object if act.is_passive else act.rest)
    placed = _PLACED.search(act.rest)
    if placed and any(_is_another(one, done) for one in _names(placed["who"])):
        return True
    spared = _SPARED_UNTIL.search(act.clause) if act.kind == "deleted" else None
    if spared and any(_is_concerned(one, done) for one in _names(spared["who"])):
        return True
    if _IN_LIST.search(act.rest) and any(
        _is_strange(one, text, done) for one in _names(act.object)
    ):
        return True
    return any(_is_another(one, done) for one in _names(owner["who"] if owner else act.object))


def _is_state_of_another(clause: Clause, text: str, done: Effects) -> bool:
    state = _STATE.search(clause.text)
    if state is None or not (state["no"] or re.search(r"\bnow\b|ed\b", state[0])):
        return False
    names = _names(SPARED.split(state["who"])[0])
    return any(_is_another(one, done) or _is_strange(one, text, done) for one in names)


def _is_gone(clause: Clause, said: str, done: Effects) -> bool:
    """Whether somebody is said to be gone who is still there: in quotation marks, or without."""
    gone = _GONE.search(said)
    if gone is None or clause.has_negation() or not done.rows("removed", net=True):
        return False
    names = _names(SPARED.split(gone["who"])[0])
    return any(_is_another(one, done) or _is_there(one, done) for one in names)


def _is_there(name: str, done: Effects) -> bool:
    """Whether words stand in rows that are still there, and in none of those that were removed."""
    if _HAD.search(name):
        return False
    removed = [one for one in done.deeds if one.kind == "removed"]
    own = done.known_to(removed).union(*(one.words for one in removed))
    others = frozenset().union(*(done.words_of(one.table) for one in removed)) - own
    return bool(things(name) & others) and not things(name) & own


def _is_concerned(name: str, done: Effects) -> bool:
    """Whether what was done concerns all people whom a name may mean."""
    meant = done.meant(words(name))
    return bool(meant) and all(ways & done.concerned for ways in meant)


def _names(text: str) -> list[str]:
    return re.split(r",| and | & | as well as ", text)


def _is_another(name: str, done: Effects) -> bool:
    """Whether somebody is named who is known, and of whom nothing that was done knows."""
    named = words(name)
    meant = done.meant(named)
    known = frozenset().union(*(keys for keys, _ in done.people)) & named
    return bool(meant) and not (
        any(ways & done.concerned for ways in meant) or stems(known) <= done.words | done.known
    )


def _is_strange(name: str, text: str, done: Effects) -> bool:
    """Whether it is a name of which neither the user nor anything that was done knows."""
    written = re.search(re.escape(name.strip()), text, re.IGNORECASE)
    if written is None or not written[0].istitle():
        return False
    named = stems([name])
    return bool(named) and not named & (done.words | done.known | done.asked_by_user)


def _is_of_more(act: ClaimedAct, done: Effects) -> bool:
    """Whether more is said to be added or deleted, or more people to be texted, than were."""
    counted = _COUNT.match(act.object)
    people = stems(chain(*(keys for keys, _ in done.people)))
    if counted and act.kind in _COUNTED and stem(counted["what"]) in ENTRIES | people:
        count = MANY if counted["count"] == "both" else worth(counted["count"])
        rows = [row for row in done.rows(_COUNTED[act.kind], net=True) if not is_sent(row)]
        return count is not None and count > len(rows)
    return act.kind == "texted" and tells_too_many(act.rest, done)


def _has_other_number(act: ClaimedAct, done: Effects) -> bool:
    """Whether a number of somebody stands in it whom nothing that was done concerns."""
    for number in _NUMBER.findall(f"{act.object if act.is_passive else ''} {act.rest}"):
        tail = re.sub(r"\D", "", number)[-TAIL:]
        known = [one for _, ways in done.people for one in ways if _ends_with(one, tail)]
        if known and not any(tail in one for one in done.numbers):
            return True
    return False


def _ends_with(way: str, tail: str) -> bool:
    return len(tail) >= _FEWEST and re.sub(r"\D", "", way).endswith(tail)
