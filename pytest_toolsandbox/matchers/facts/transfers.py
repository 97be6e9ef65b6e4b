"""Who gives what to whom in a letter: ``I need the figures from you``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, product
from typing import Final, NamedTuple

from pytest_toolsandbox.matchers.normal_text import split
from pytest_toolsandbox.matchers.quantities.words import ordinal
from pytest_toolsandbox.matchers.statements.stems import stem

from .swaps import COUNTED

_ORDERS: Final = split("give send bring hand offer lend supply provide deliver pass forward")
_GIVES: Final = frozenset(
    split("gives gave given giving sends sent sending brings brought bringing lends lent lending")
    + split("hands offers offering supplies provides delivers delivering passes forwards")
).union(_ORDERS)
_SENT: Final = frozenset(split("sent given delivered brought lent"))
_BE: Final = frozenset(split("is are was were be been"))
_HAS: Final = frozenset(split("have has had"))
_GETS: Final = frozenset(
    split("get gets got getting receive receives received receiving need needs want wants expect")
    + split("expects borrow borrowing")
).union(_HAS)
_REACHES: Final = ({"reach"}, {"reaches"}, {"be", "with"}, {"are", "with"}, {"is", "with"})
_ARRIVES: Final = frozenset(split("arrive arrives arrived come comes came"))
_FIRST: Final = frozenset(("", "please", "and", "kindly"))
_ARTICLES: Final = frozenset(split("the a an some any another"))
_OWNERS: Final = frozenset(split("my our your his her their"))
_OBJECTS: Final = frozenset(split("me you us him her them"))
_WILL: Final = frozenset(split("will can may shall to could"))
_STOPS: Final = frozenset(
    split("to for from by with in on at until till before after of and that if when is are was be")
)
_US: Final = frozenset(("i", "we"))
_HANDED: Final = frozenset(split("inbox mailbox desk hands doorstep"))
"""Where somebody has got what was to reach him: ``on your desk``."""
_FAR: Final = 12
"""How many words beside a verb are read."""


class Transfer(NamedTuple):
    """Who gives a thing and who gets it, as far as that is said."""

    giver: str
    getter: str


def transfers(clause: Sequence[str], persons: Mapping[str, str]) -> Iterator[tuple[str, Transfer]]:
    """Yield the stems of the things that change hands in a clause, each with its transfer."""
    doer = ""
    for place, word in enumerate(clause):
        before = clause[place - 1] if place else ""
        rest = clause[place + 1 : place + _FAR]
        if before in _ARTICLES or before in _OWNERS:
            continue
        if word in _SENT and before in _BE:
            yield from _received(clause, place, persons)
            return
        if word in _ARRIVES and not doer:
            yield from _arrived(clause[:place], persons)
            return
        if word == "have" and not doer and before in _FIRST and _handed_to(rest, persons):
            yield from _given("you", rest, persons, gives=False)
            return
        if word in _GIVES or (doer and word in _GETS and _is_verb(before, word, rest)):
            giver = doer or ("you" if word in _ORDERS and before in _FIRST else "")
            yield from _given(giver, rest, persons, gives=word in _GIVES)
            return
        if not doer and any({word, *rest[: len(its) - 1]} == its for its in _REACHES):
            whom = (word, *rest)[1 if word.startswith("reach") else 2 :][:1]
            getter = persons.get(whom[0], "") if whom else ""
            things = _thing([it for it in clause[:place] if it not in _WILL])
            yield from ((stem(it), Transfer("", getter)) for it in things)
            return
        if word in persons and before not in _STOPS and not _owns(word, rest):
            doer = persons[word]


def _received(
    clause: Sequence[str], place: int, persons: Mapping[str, str]
) -> Iterator[tuple[str, Transfer]]:
    """Yield what was sent: ``the offer to Ada was sent today``."""
    getter = next((persons.get(whom, "") for to, whom in pairwise(clause) if to == "to"), "")
    for thing in _thing(clause[:place]):
        yield stem(thing), Transfer("", getter)


def _arrived(clause: Sequence[str], persons: Mapping[str, str]) -> Iterator[tuple[str, Transfer]]:
    """Yield what has come from somebody: ``the bill from Ada has arrived``."""
    giver = next((persons.get(whom, "") for word, whom in pairwise(clause) if word == "from"), "")
    things = [word for word in clause if word not in _WILL | _HAS | _BE]
    yield from ((stem(thing), Transfer(giver, "")) for thing in _thing(things) if giver)


def _is_verb(before: str, word: str, rest: Sequence[str]) -> bool:
    """Whether something is got, and not only said with a verb that helps: ``you have paid``."""
    follows = bool(rest) and (rest[0] in _ARTICLES or rest[0] in _OWNERS)
    return word not in _HAS or before in _WILL or follows


def _owns(word: str, rest: Sequence[str]) -> bool:
    return word in _OWNERS or (bool(rest) and rest[0] == "'s")


def _given(
    doer: str, rest: Sequence[str], persons: Mapping[str, str], *, gives: bool
) -> Iterator[tuple[str, Transfer]]:
    getter = giver = ""
    is_name = bool(rest) and rest[0] in persons and not _owns(rest[0], rest[1:])
    if is_name or (rest and rest[0] in _OBJECTS and rest[1:2] and rest[1] in _ARTICLES | _OWNERS):
        getter, rest = persons[rest[0]], rest[1:]
    for where, whom in pairwise(rest):
        is_to = where == "to" or (where == "for" and not gives)
        getter = persons.get(whom, "") if is_to and not getter else getter
        giver = persons.get(whom, "") if where == "from" else giver
    if not gives and not getter:
        getter = _handed_to(rest, persons)
        getter = "" if getter == doer else getter  # I have it with me
    gives = gives or bool(getter)
    transfer = Transfer(giver or doer, getter) if gives else Transfer(giver, doer)
    yield from ((stem(thing), transfer) for thing in _thing(rest))


def _handed_to(rest: Sequence[str], persons: Mapping[str, str]) -> str:
    """Return with whom a thing is to be: ``I will have it with you``, ``in your inbox``."""
    places = zip(rest, rest[1:], [*rest[2:], ""], strict=False)
    for where, whom, place in places:
        is_place = where in ("in", "on") and whom in _OWNERS and place in _HANDED
        if is_place or (where == "with" and not _owns(whom, [place])):
            return persons.get(whom, "")
    return ""


def _thing(words: Sequence[str]) -> Iterator[str]:
    """Yield the words of the thing that comes first."""
    for word in words:
        if word in _STOPS:
            return
        is_small = word in _ARTICLES or word in _OWNERS or word in COUNTED or word == "'s"
        if not is_small and word[0].isalpha() and not ordinal(word):
            yield word


def are_at_odds(own: Sequence[Transfer], found: Sequence[Transfer]) -> bool:
    """Whether a thing has another giver or getter wherever it is given."""
    return bool(own and found) and all(
        _excludes(one.giver, other.giver)
        or _excludes(one.getter, other.getter)
        or _are_turned(one, other)
        for one, other in product(own, found)
    )


def _are_turned(one: Transfer, other: Transfer) -> bool:
    """Whether one gets what comes from the same one elsewhere."""
    is_turned = one.giver == other.getter, one.getter == other.giver
    return (bool(one.giver) and is_turned[0]) or (bool(one.getter) and is_turned[1])


def agree(own: Sequence[Transfer], found: Sequence[Transfer]) -> bool:
    """Whether a thing goes to you or me as it was to, and comes from nobody else."""
    return any(
        one.getter in (*_US, "you")
        and not _excludes(one.giver, other.giver)
        and other.getter
        and not _excludes(one.getter, other.getter)
        for one, other in product(own, found)
    )


def _excludes(one: str, other: str) -> bool:
    if not one or not other or one == other or {one, other} == _US:
        return False
    return bool({one, other} & {*_US, "you"})
