"""Two names that are told the same of: ``Ada and Bob directed the longest one together``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

from pytest_toolsandbox.wording.sentences import parts

from .fact import Fact, has_any

_ONE: Final = r"[A-Z][\w'-]{1,30}(?:\ [A-Z][\w'-]{1,30}){1,2}"
_ASIDE: Final = r"(?:\ \([^()]{1,60}\)|\ (?:from|of)\ [A-Z]\w{1,30})?"
_PAIR: Final = re.compile(
    rf"""\W*(?!(?:Of|Both|Between|Among|Compar\w+|Like|Unlike|With|Than)\b)
    ({_ONE}){_ASIDE}\ (?:and|as\ well\ as)\ ({_ONE}){_ASIDE}
    \ (?=[a-z])(?!(?:are|were|v|have|both|made?|make|took|cost|run|ran|share|tied?|earned|come|came
      |total)\b)""",
    re.VERBOSE,
)


def pairs(text: str, known: str, facts: Sequence[Fact]) -> Iterator[str]:
    """Yield names that begin a sentence together with one that was asked for.

    Who is ``known`` from question or solutions may be compared; so may people who *are* something.
    """
    for sentence in chain.from_iterable(map(parts, text.splitlines())):
        for found in filter(None, [_PAIR.match(sentence)]):
            others = [one for one in found.groups() if not has_any(facts, one)]
            yield from (one for one in others if len(others) == 1 and one not in known)
