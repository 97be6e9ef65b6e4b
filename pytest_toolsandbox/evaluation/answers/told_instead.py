"""What an answer tells as the outcome, or as the most of all, in the place of the right one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import Final

from pytest_toolsandbox.wording.sentences import parts

from .asked import Asked
from .fact import has_any, is_whole
from .reckoned import other_sums

_CLAUSE: Final = re.compile(r"[;,]\s|\b(?:and|but|while|whereas)\b")
_DENIES: Final = re.compile(r"\b(?:not|never|second|third|next|than|after)\b|n't\b", re.IGNORECASE)


def told_instead(text: str, asked: Asked) -> Iterator[str]:
    """Yield another sum that is told as the answer, and who else is told as the most."""
    for sentence in chain.from_iterable(map(parts, text.splitlines())):
        if asked.asked_numbers:
            yield from other_sums(sentence, asked.is_number, asked.is_asked_number)
        for clause in _CLAUSE.split(sentence):
            is_most = asked.superlatives.search(clause) and not _DENIES.search(clause)
            if is_most and not has_any(asked.facts, clause):
                yield from (one for one in asked.rivals if is_whole(one, clause))
