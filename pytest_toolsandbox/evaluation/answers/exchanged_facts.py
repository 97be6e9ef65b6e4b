"""Facts of a text that have changed places: each stands where a right text has the other."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set as AbstractSet
from itertools import chain, combinations
from typing import Final

from pytest_toolsandbox.matchers.statements.stems import HOLLOW

from .fact import Fact
from .segments import Segment, alone, beside, role_words, segments

_BEFORE: Final = r"\b([a-z]{4,})\W{1,3}(?:(?:is|was|are|called|named|the)\W{1,3}){0,3}"


def exchanged_facts(
    text: str,
    rights: Iterable[str],
    facts: Sequence[Fact],
    question: str = "",
    titles: Collection[str] = (),
) -> Iterator[str]:
    """Yield two names, or numbers, each of which is told what the right texts tell of the other.

    Only what is plain counts: they stand in different segments, one with words that right texts
    have beside the other one alone, the other so, too, or with words of the question that they do
    not have beside it; and neither with words that they have beside itself alone.
    """
    told = segments(text, facts, titles)
    named = [one for one in facts if any(one in own for own, _ in told)]
    pairs = [pair for pair in combinations(named, 2) if len({*map(_is_name, pair)}) == 1]
    if not pairs:
        return
    known = [segment for right in rights for segment in segments(right, facts, titles)]
    asked = role_words(question)
    labels, others = _labels([text], facts), _labels([*rights], facts)
    for one, other in pairs:
        is_labelled = _is_name(one) and any(
            (labels[it] - labels[its]) & (others[its] - others[it])
            for it, its in ((one, other), (other, one))
        )
        is_crossed = is_labelled or _crossed(one, other, told, known)
        if is_crossed or _crossed(one, other, alone(told), alone(known), asked):
            yield f"{one[0]} in the place of {other[0]}"


def _crossed(
    one: Fact,
    other: Fact,
    told: Sequence[Segment],
    known: Sequence[Segment],
    asked: AbstractSet[str] = frozenset(),
) -> bool:
    """Whether each of two facts stands beside words of the other; for one, ``asked`` words do."""
    own, others = beside(one, [other], known), beside(other, [one], known)
    of_one, of_other = beside(one, [other], told), beside(other, [one], told)
    if not (own and others) or of_one & (own - others) or of_other & (others - own):
        return False
    is_one, is_other = of_one & (others - own), of_other & (own - others)
    if is_one and is_other:
        return True
    is_asked = (of_one if is_other else of_other) & (asked - own - others)
    return bool((is_one | is_other) & asked and is_asked)


def _labels(texts: Sequence[str], facts: Sequence[Fact]) -> Mapping[Fact, AbstractSet[str]]:
    """Return the words just before each fact: ``label`` in ``on the label Night Depot``.

    A word of a fact is none of them: ``Copperline`` in ``Copperline Railways``.
    """
    own = {word.casefold() for fact in facts for one in fact for word in str(one).split()}
    found: dict[Fact, AbstractSet[str]] = {}
    for fact in facts:
        written = _BEFORE + f"(?:{'|'.join(re.escape(str(one)) for one in fact)})"
        words = (re.findall(written, text, re.IGNORECASE) for text in texts)
        found[fact] = frozenset(map(str.casefold, chain(*words))) - HOLLOW - own
    return found


def _is_name(fact: Fact) -> bool:
    return re.search(r"[^\W\d_]", str(fact[0])) is not None
