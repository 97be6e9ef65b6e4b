"""What a letter puts something else in the place of: ``at the cafe instead of Harbor Steps``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from pytest_toolsandbox.matchers.normal_text import split

from .letter_words import BEGIN, NUMBER
from .letters import Letter
from .links import telling_stems
from .same_words import may_stand_for

_INSTEAD: Final = re.compile(r"\b(?:instead of|rather than|in place of)\b")
_BARE: Final = re.compile(r"\binstead\b(?! of\b)")
_CLAUSE_END: Final = re.compile(r"[.!?;:,()]|\b(?:so|because|since|but)\b")
_STOPS: Final = BEGIN.union(
    split("at by for from in into of on to with we i you shall can could would will should")
)
_WORD: Final = re.compile(r"[^\W\d_]+|[.!?;:,()]")
_MOST: Final = 10
_LONGEST: Final = 1000
"""How many marks of a letter and letters of a sentence are read; the time grows with both."""


def other_instead(expected: Letter, found: Letter) -> Iterator[tuple[str, str]]:
    """Yield what is replaced by something else, and was to take another's place or to stay.

    What the expected letter tells beside a clause with a bare ``instead`` may be what is replaced
    by that of the clause: ``Cafe Isobar is dark, so shall we eat at Harbor Steps instead?``.
    """
    if any("'s place" in one for one in expected.sentences):  # which says who is replaced
        return
    own = [_parted(one) for one in expected.sentences]
    chosen = [word for one in expected.sentences for word in _with_bare_instead(one)]
    kept = [word for words, _ in own for word in words]
    stay = [word for word in kept if not (chosen and word.startswith(NUMBER))]
    gone = [word for _, all_of in own for words in all_of for word in words]
    given = [_parted(one) for one in found.sentences]
    there = [*gone, *(word for words, _ in given for word in words)]
    pairs = ((words, one) for words, all_of in given for one in all_of)
    for words, replaced in islice(pairs, _MOST):
        is_chosen = any(_is_in(one, words) for one in chosen)
        is_kept = all(_is_in(one, chosen if is_chosen else stay) for one in replaced)
        if replaced and is_kept and not any(_is_in(one, there) for one in replaced):
            yield "exchanged", f"instead of {' '.join(replaced).replace(NUMBER, '')}"


def _with_bare_instead(sentence: str) -> Iterator[str]:
    """Yield the stems of the clause that chooses something in the place of what it leaves out."""
    for clause in _CLAUSE_END.split(sentence[:_LONGEST]):
        if _BARE.search(clause):
            yield from telling_stems(clause)


def _is_in(word: str, words: Sequence[str]) -> bool:
    return any(may_stand_for(word, one) for one in words)


def _parted(sentence: str) -> tuple[list[str], list[list[str]]]:
    """Return the stems of a sentence, and apart from them those of each thing that is replaced."""
    plain = sentence[:_LONGEST]
    marks = [*islice(_INSTEAD.finditer(plain), _MOST)]
    kept: list[str] = []
    replaced = []
    begin = 0
    for mark in marks:
        kept += telling_stems(plain[begin : mark.start()])
        begin = _end_of_thing(plain, mark.end())
        replaced.append([*telling_stems(plain[mark.end() : begin])])
    return [*kept, *telling_stems(plain[begin:])], replaced


def _end_of_thing(sentence: str, begin: int) -> int:
    """Return where the thing ends that is named from a place on."""
    is_named = False
    for word in _WORD.finditer(sentence, begin):
        is_stop = word[0] in _STOPS
        if not word[0][0].isalpha() or (is_stop and is_named):
            return word.start()
        is_named = is_named or not is_stop
    return len(sentence)
