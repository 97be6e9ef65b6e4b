"""What a text refuses to tell, though it was asked for and can be told: who directed it, say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from pytest_toolsandbox.wording.sentences import typed

from .fact import Fact, has_any
from .segments import role_words

_PIECE: Final = re.compile(r"[.!?;,]\s|[\n()]|\b(?:and|but|so|though|although|while)\b")
_REFUSES: Final = re.compile(
    r"""\b(?:can(?:not|'t|\ not)|(?:could|do|did|was|were|am|is|are)(?:\ not|n't))\ (?:\w+\ ){0,2}?
        (?:say|tell|know|find|determine|get|see|count|identify|confirm|look\ up|work\ out|recorded
        |listed|known|given|available|stated|named|shown|documented|specified|mentioned|found)\b
    | \b(?:unable|failed)\ to\ (?:say|tell|find|determine|get|count|identify|confirm|look\ up)\b
    | \b(?:unknown|unavailable|missing)\W*\Z | \bno\ (?:data|information|records?)\b""",
    re.VERBOSE | re.IGNORECASE,
)


def refused(
    text: str, question: str, rights: Iterable[str], facts: Sequence[Fact]
) -> Iterator[str]:
    """Yield the pieces of a text that refuse what the question asks for and right texts tell."""
    told = role_words(question) & role_words("\n".join(rights))
    for piece in _PIECE.split(typed(text)):
        is_role = _REFUSES.search(piece) and told & role_words(piece)
        if is_role and not has_any(facts, piece):
            yield " ".join(piece.split())
