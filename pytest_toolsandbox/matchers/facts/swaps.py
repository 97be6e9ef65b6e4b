"""Words in the place of others: ``the guitar tuner comes`` for ``the piano tuner comes``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice, product, takewhile
from typing import Final, NamedTuple

from pytest_toolsandbox.matchers.normal_text import split, typewritten
from pytest_toolsandbox.matchers.statements.stems import HOLLOW, stem

from .same_words import are_alike, are_opposed, groups_of

_FRAME: Final = split(
    "about and at by for from if in inside into of on or out than that to until up when with"
)
"""Words that stay where others are exchanged."""
_LINKS: Final = split("because but since so while")
"""Words that end a clause as a mark does."""
_WHERE: Final = split("after before behind over under")
"""Words of a frame of which one excludes the other."""
_NOT: Final = split("cannot neither never no not nothing without")
_HOLLOW: Final = HOLLOW.union(
    split("""
    again alone although back bad best better both cheers dear else even ever everything fine good
    great hello here hers hey hi just love lovely mine nice ok okay once ours quite rather really
    right soon sorry sure thank thanks then though twice very well where who whose wonderful yours
    """)
)
_ACTING: Final = frozenset(
    split("""
    to i you we they he she it who can could will would should may might must shall do does did
    don't didn't can't won't have has had i've you've we've i'll you'll we'll they've please
    """)
)
"""After these a verb stands, for which there are too many others."""
COUNTED: Final = frozenset(
    split("""
    mon tue wed thu fri sat sun monday tuesday wednesday thursday friday saturday sunday today
    tonight tomorrow yesterday january february march april may june july august september october
    november december jan feb mar apr jun jul aug sep sept oct nov dec am pm noon midnight one two
    three four five six seven eight nine ten eleven twelve usd km min mins degrees dollars dollar
    euros eur kilometers minutes hours
    """)
)
"""Words of quantities, which are compared as such."""

_TOKEN: Final = re.compile(
    r"(?P<number>[$\u20ac\u00a3+]?\d[\w:.,/%-]*)|[^\W\d_]+(?:'[a-z]+)?|[.!?;:()\n\",]"
)
_END: Final = "|"
_NUMBER: Final = "#"
_SHORTEST: Final = 3
"""Letters of a word that says what a text is about."""
_MOST: Final = 400
"""Words of a text that are read; the time grows with their square."""
_JOINTS: Final = ({_END, "and"}, {"and", "or"})
_FAR: Final = 3
"""How many words on either side are looked at."""


class Token(NamedTuple):
    """A word of a text as it is compared and as it is written, and whether it may be exchanged."""

    name: str
    written: str
    is_word: bool = False
    is_negated: bool = False
    is_verb: bool = False


def swaps(expected: str, found: str) -> Iterator[tuple[str, str]]:
    """Yield words of ``expected`` with those of ``found`` that stand in their place.

    Neither text has the other's word anywhere.
    """
    asked, given = tokens(expected), tokens(found)
    if lost := _not_in(given, asked):
        for place, own in product(_not_in(asked, given), lost):
            if _is_exchanged(asked, own, given, place):
                yield asked[own].written, given[place].written


def unknown_words(text: str, known: str) -> frozenset[str]:
    """Return the words of a text, as they are written, for which another text has none alike."""
    names = frozenset(map(stem, re.findall(r"[^\W\d_]+", known.casefold())))
    groups = groups_of(names)
    return frozenset(
        one.written
        for one in tokens(text)
        if one.is_word and one.name not in names and groups.isdisjoint(groups_of((one.name,)))
    )


def _not_in(others: Sequence[Token], own: Sequence[Token]) -> list[int]:
    """Return the places of the words for which the others have none."""
    names = {one.name for one in others}
    known = groups_of(names)
    parts = [one.name for one in others if one.is_word and len(one.name) > _FAR]
    return [
        place
        for place, (name, _, is_word, *_) in enumerate(own)
        if is_word
        and name not in names
        and known.isdisjoint(groups_of((name,)))
        and not any(_is_part(name, part) or _is_part(part, name) for part in parts)
    ]


def _is_part(one: str, other: str) -> bool:
    """Whether one word is part of the other, as in ``oatmilk``, and does not undo it."""
    return len(one) > _FAR and one in other and other != f"un{one}"


def _is_alike(one: Token, other: Token) -> bool:
    return are_alike(one.name, other.name) or {one.name, other.name} in _JOINTS


def _is_exchanged(asked: Sequence[Token], own: int, given: Sequence[Token], place: int) -> bool:
    one, other = asked[own], given[place]
    if one.is_negated != other.is_negated:
        return False
    left = _shared(asked[:own][::-1], given[:place][::-1])
    right = _shared(asked[own + 1 :], given[place + 1 :])
    if are_opposed(one.name, other.name):
        return len(left) + len(right) > 1
    both = (*left, *right)
    is_like = len(both) > _FAR or any(one.is_word for one in both)
    return bool(left and right) and is_like and not one.is_verb and not other.is_verb


def _shared(one: Sequence[Token], other: Sequence[Token]) -> list[Token]:
    """Return which words beside two words are alike, from there on."""
    pairs = zip(one[:_FAR], other[:_FAR], strict=False)
    return [mine for mine, _ in takewhile(lambda both: _is_alike(*both), pairs)]


@lru_cache(maxsize=1024)
def tokens(text: str) -> tuple[Token, ...]:
    """Return the words of a text that say what it is about, those that join them, and its ends."""
    found, before = [Token(_END, _END)], ""
    is_negated = False
    for match in islice(_TOKEN.finditer(typewritten(text)), _MOST):
        token = _token(match, is_negated=is_negated)
        if before in _ACTING or not before[-1:].isalnum():
            token = token._replace(is_verb=True)
        before = match[0].casefold()
        is_negated = token.name != _END and (is_negated or token.name == "not")
        if token.name and not (token.name == _END == found[-1].name):
            found.append(token)
    return tuple(found if found[-1].name == _END else [*found, Token(_END, _END)])


def _token(match: re.Match[str], *, is_negated: bool) -> Token:
    written, small = match[0], match[0].casefold().removesuffix("'s")
    is_short = len(small) < _SHORTEST
    for name, is_it in (
        (f"{_NUMBER}{small.strip('.,-/:')}", match["number"] or small in COUNTED),
        (_END, not small[0].isalpha() or small in _LINKS),
        ("not", small.endswith("n't") or small in _NOT),
        (small, small in _FRAME),
        ("", small in _HOLLOW or small.endswith("ly") or "'" in small or is_short),
    ):
        if is_it:
            return Token(name, written)
    is_verb = small in _WHERE
    return Token(stem(small), written, is_word=True, is_negated=is_negated, is_verb=is_verb)
