"""Who does what to whom, between writer and reader: ``I can't reach you`` for the reverse."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pytest_toolsandbox.matchers.normal_text import split, typewritten
from pytest_toolsandbox.matchers.statements.stems import HOLLOW, stem

_BETWEEN: Final = r"(?P<between>(?: (?!(?:i|we|you|he|she|they)\b)[a-z']+){1,8}?)"
_I_YOU: Final = re.compile(
    rf"\b(?:i|we)(?:'\w+)?{_BETWEEN} your?\b(?! (?:will|can|have|are|know|to)\b)"
)
_YOU_ME: Final = re.compile(rf"\b(?:you(?:'\w+)?|please){_BETWEEN} (?:me|us|my|our)\b(?! know\b)")
_DOES: Final = r"(?:'\w+)?(?P<between>(?: (?!(?:i|we|you|he|she|they|but|and)\b)[a-z']+){1,8})"
_I_DO: Final = re.compile(rf"\b(?:i|we){_DOES}")
_YOU_DO: Final = re.compile(rf"\byou{_DOES}")
_FREE: Final = frozenset(
    map(stem, split("let tell send thank see get give hope want piece hand know need ask bit"))
)
"""Words that stand between writer and reader either way."""


def exchanged_persons(expected: str, found: str) -> Iterator[tuple[str, str]]:
    """Yield words of what one does to the other in one text alone, and the other in the other."""
    own, given = _plain(expected), _plain(found)
    mine, yours = _words(_I_YOU, own), _words(_YOU_ME, own)
    its_mine, its_yours = _words(_I_YOU, given), _words(_YOU_ME, given)
    turned = (mine - yours) & (its_yours - its_mine) | (yours - mine) & (its_mine - its_yours)
    yield from (("persons exchanged", one) for one in sorted(turned or _subjects(own, given)))


def _subjects(own: str, given: str) -> frozenset[str]:
    """Return what the writer does in one text and the reader in the other, where both change."""
    mine, yours, its_mine, its_yours = (
        _words(form, text) for text in (own, given) for form in (_I_DO, _YOU_DO)
    )
    now_yours = (mine - yours) & (its_yours - its_mine)
    now_mine = (yours - mine) & (its_mine - its_yours)
    return now_yours | now_mine if now_yours and now_mine else frozenset()


def _words(form: re.Pattern[str], text: str) -> frozenset[str]:
    found = " ".join(one["between"] for one in form.finditer(text)).split()
    return frozenset(stem(one) for one in found if one == "have" or one not in HOLLOW) - _FREE


def _plain(text: str) -> str:
    return " ".join(typewritten(text).casefold().split())
