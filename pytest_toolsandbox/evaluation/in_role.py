"""Others that a text gives the role that was asked for, while it names the right one as another."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from .asked import Asked
from .candidates import LATER
from .fact import has_any, is_whole
from .segments import beside, pieces, role_words, segments

_PERSON: Final = re.compile(
    r"(?<![\w'\"\u201c])[A-Z][a-z][\w'-]+ [A-Z][a-z][\w'-]+(?! (?:[A-Z]|and |of ))"
)
_SENTENCE: Final = re.compile(r"[;\n]|[.!?](?=\s)")


def in_role(text: str, rights: Iterable[str], asked: Asked) -> Iterator[str]:
    """Yield rivals of a fact that stand beside the question's word for it: ``Bob curates it``.

    Only what is plain counts: the fact stands beside other words, and never beside one that right
    texts have there; the rival stands in a segment without a fact.
    """
    named = [fact for fact in asked.facts if isinstance(fact[0], str)]
    told = segments(text, asked.facts, asked.headlines)
    if not told:
        return
    sentences = (one for one in _SENTENCE.split(text) if not LATER.search(one))
    found = [
        (one, name)
        for one in chain.from_iterable(pieces(it, asked.headlines) for it in sentences)
        if not has_any(named, one) and (name := _name(one, asked))
    ]
    known = [one for it in rights for one in segments(it, asked.facts)] if found else []
    for fact in named if found else ():
        role = beside(fact, (), known) & role_words(asked.question)
        own = beside(fact, (), told)
        yield from (
            name
            for piece, name in found
            if own and role and not own & role and role_words(piece) & role
        )


def _name(piece: str, asked: Asked) -> str:
    """Return a rival, or the full name of somebody whom question and right texts do not name."""
    people = (one[0] for one in _PERSON.finditer(piece) if one[0].casefold() not in asked.known)
    rivals = (one for one in asked.rivals if is_whole(one, piece))
    return next(chain(rivals, people), "")
