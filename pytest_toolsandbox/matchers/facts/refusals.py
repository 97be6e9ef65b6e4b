"""What a letter denies of a thing of which another tells: ``I can't make the tour``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from pytest_toolsandbox.matchers.normal_text import split
from pytest_toolsandbox.matchers.statements.stems import stem

from .letter_words import NUMBER, Word, alike
from .letters import OPTIONAL, Letter

_EMPHATIC: Final = re.compile(
    r"\bnot (?:wait|thank|miss|forget|hesitate|be (?:more|happier|better|gladder)|only|just)\b"
    r"|\bnot\b[^.!?;:,]{0,40}\bwithout\b"
)
"""Denials that say the more: ``I can not wait for the tour``."""
_LACKING: Final = frozenset(
    map(
        stem,
        split("leave stay skip cancel miss lose avoid stop refuse forget remove delete add enter")
        + split("keep close shut"),
    )
)
"""What may be told as well by what is not done, or not there."""


def refusals(expected: Letter, found: Letter) -> Iterator[tuple[str, str]]:
    """Yield things that a letter names in denials alone, and not what it should tell of them."""
    given = [one for one in found.words if one.name[0] != NUMBER]
    if any(map(_EMPHATIC.search, found.sentences)):
        return
    for clause in dict.fromkeys(one.clause for one in expected.words):
        words = [one for one in expected.words if one.clause == clause and one.name[0] != NUMBER]
        if _is_told(words) and (denied := _only_denied(words, given)):
            yield "denied", denied


def _is_told(words: Sequence[Word]) -> bool:
    plain = (not one.is_denied and not one.is_asked and one.name not in _LACKING for one in words)
    return all(plain)


def _only_denied(words: Sequence[Word], given: Sequence[Word]) -> str:
    """Return the first thing that stands in denials alone, where no verb of it is there."""
    same = {
        one: [it for it in given if alike(one, it)] for one in words if one.name not in OPTIONAL
    }
    verbs = [one for one in same if one.is_first]
    named = [one for one in same if same[one]]
    is_said = not verbs or any(same[one] for one in verbs)
    if is_said or not all(it.is_denied and not it.is_asked for one in named for it in same[one]):
        return ""
    return next((one.written for one in named), "")
