"""Words for people, entries and other things, by which reports are compared with what was done."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from pytest_toolsandbox.matchers.normal_text import normal_text, split
from pytest_toolsandbox.matchers.statements.stems import HOLLOW, stem

_ALIKE: Final = {
    "mom": "mother", "mum": "mother", "dad": "father", "grandpa": "grandfather",
    "grandma": "grandmother", "manager": "boss",
}  # fmt: skip
_SAME_THING: Final = {
    "wi": "wifi", "fi": "wifi", "wireless": "wifi", "gps": "location", "cell": "cellular",
    "mobile": "cellular", "power": "battery",
}  # fmt: skip
_VAGUE: Final = frozenset(
    map(
        stem,
        split("""
        account amount another appointment approach back book calculation card contact copy
        data date day details device entries entry everything event field figure first half
        above below following
        hour info information item label last latter line list mind mode name network new
        next note number old one order other page part phone place qqq plan rest record
        second service setting settings signal something spelling status stuff text thing
        things time title today tomorrow tonight two typo unit value week word wording
        again all am both each either evening morning noon pm though monday tuesday wednesday
        thursday friday saturday sunday january february march april may june july august september
        october november december current due earlier existing expired former original outdated
        overdue past previous remaining upcoming
        """),
    )
)
"""Words for things that may be any: who updated the entry may have changed a reminder."""

ENTRIES: Final = frozenset(
    map(
        stem,
        split("""
        alarm account album appointment booking calendar contact entries entry event folder group
        meeting message messages note photo playlist reminder reservation task text texts
        timer thread conversation history
        """),
    )
)
"""Words for entries that a table of another name may have."""
OWN_ENTRIES: Final = frozenset(
    map(stem, split("account album booking folder group photo playlist reservation"))
)
"""Those of them that are no reminders, contacts or messages by another name."""


def words(text: str) -> frozenset[str]:
    """Return the words of a text of which names consist; ``mom`` is ``mother``."""
    found = re.findall(r"[^\W\d_]{3,}", normal_text(text))
    return frozenset(_ALIKE.get(word, word) for word in found)


def stems(texts: Iterable[str]) -> frozenset[str]:
    """Return the stems of all words that say something."""
    found = re.findall(r"[^\W_]{2,}", normal_text(" ".join(texts)).replace("_", " "))
    plain = (_SAME_THING.get(word, _ALIKE.get(word, word)) for word in found if word not in HOLLOW)
    return frozenset(map(stem, plain))


def things(text: str) -> frozenset[str]:
    """Return the stems of words for things of their own: of ``the old entry`` none."""
    return frozenset(one for one in stems([text]) if one not in _VAGUE and not one[0].isdigit())
