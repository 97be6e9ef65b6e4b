"""``asks``: the text asks for a piece of information, with or without a question mark."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pytest_toolsandbox.wording.sentences import sentences

from .registry import matcher
from .statements.acts import asked_in
from .statements.canonical import canonical
from .statements.statement import Statement, has, is_empty

_EARLIER: Final = 20
"""Sentences before ``Which one is it?`` in which it may stand what that is about."""
_GIVE: Final = re.compile(r"\b(?:share|provide|give|send|specify|clarify|confirm|know)\b")
_WHICH_ONE: Final = re.compile(r"\b(?:which|what) (?:one|of (?:them|these|those|the))\b")


@matcher("asks")
@dataclass(frozen=True)
class Asks(Statement):
    """A text that asks for this, with or without a question mark.

    An offer (``Shall I send the address?``) and a question that is quoted ask for nothing.
    """

    def states(self, text: str) -> bool:
        return any(all(has(item, said) for item in self.items) for said in _asked(text))


@lru_cache(maxsize=1024)
def _asked(text: str) -> tuple[str, ...]:
    """Return what is asked for, a text for each question and request, without what leads to it."""
    asked = []
    for number, sentence in enumerate(sentences(text)):
        said = asked_in(sentence).casefold()
        if said and (_WHICH_ONE.search(said) or is_empty(_GIVE.sub(" ", said))):
            said = " ".join(canonical(text)[max(0, number - _EARLIER) : number + 1])
        asked.append(said)
    return tuple(filter(None, asked))
