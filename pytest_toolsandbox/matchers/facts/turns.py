"""What comes before what in a letter: ``look around before you type``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final

from pytest_toolsandbox.matchers.statements.stems import stem

from .letter_words import NUMBER
from .letters import Letter
from .links import telling_stems

_ORDER: Final = re.compile(r"\b(?:before|after)\b")
_NEXT: Final = re.compile(r"\b(?:before|after) (?:the|our|your|my) (\w+)")
_THERE: Final = frozenset(("", "at", "to", "in", "on", "during"))
"""Where a thing is, or nothing, of which another letter says what is before or after it."""
_MOST: Final = 10
_LONGEST: Final = 1000
"""How many marks and letters of a sentence are read; the time grows with both."""


def other_turns(expected: Letter, found: Letter) -> Iterator[tuple[str, str]]:
    """Yield what comes first that was to come then, or that was to be at the same time."""
    own, given = _turns(expected.sentences), _turns(found.sentences)
    for first, then in sorted(own):
        if (then, first) in given and (first, then) not in given:
            yield "exchanged", f"{then} before {first}"
    if not any(_ORDER.search(one) for one in expected.sentences):
        beside = {stem(word) for one in found.sentences for word in _NEXT.findall(one)}
        for one in expected.words:
            if one.is_thing and one.where in _THERE and one.name in beside:
                yield "another word", f"before or after {one.written}"


@lru_cache(maxsize=1024)
def _turns(sentences: Sequence[str]) -> frozenset[tuple[str, str]]:
    """Return which words are said to be before which."""
    found: set[tuple[str, str]] = set()
    for sentence in (one[:_LONGEST] for one in sentences):
        for mark in islice(_ORDER.finditer(sentence), _MOST):
            then = [*islice(telling_stems(sentence[mark.end() :]), _MOST)]
            firsts = [*telling_stems(sentence[: mark.start()])] or then[1:]
            pairs = [(one, then[0]) for one in firsts if then and one != then[0]]
            pairs = [one for one in pairs if not any(it.startswith(NUMBER) for it in one)]
            found.update((two, one) if mark[0] == "after" else (one, two) for one, two in pairs)
    return frozenset(found)
