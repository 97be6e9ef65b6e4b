"""Deeds that have the name of a tool of the world which was not called: ``and renewed it, too``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from pytest_toolsandbox.matchers.normal_text import split
from pytest_toolsandbox.matchers.statements.clauses import clauses
from pytest_toolsandbox.matchers.statements.stems import stem

from .claimed_acts import KINDS, LONGEST, until_end
from .effects import Effects
from .other_verbs import is_named
from .things import stems, things

_OWN: Final = re.compile(
    r"(?:^|\band |\b(?:i|we) (?:have )?)(?:(?:also|just|then|now|already|even|too|\w+ly) )*"
    r"(?P<verb>\w{4,}ed)\b(?! (?:if|that|whether|to|with|by|at)\b)"
)
"""Where the verb of a tool in the past tells what was done with it."""
_WORD_END: Final = re.compile(r"[_.-]|(?<=[a-z])(?=[A-Z])")
_ONLY_READS: Final = frozenset(
    map(
        stem,
        split("""
        browse calculate call check compare compute convert count describe estimate fetch filter
        find get list load lookup match open parse predict query quote read recommend retrieve
        review scan search select show sort suggest summarize test translate validate verify view
        """),
    )
)
"""First words of the names of tools that change nothing, or that say too little."""
_KNOWN: Final = frozenset(stem(verb) for verbs in KINDS.values() for verb in split(verbs))
"""The verbs that are compared with what was done by rules of their own."""


def verbs_of(tools: Iterable[str]) -> frozenset[str]:
    """Return the stems of the first words of tools' names."""
    return frozenset(stem(_WORD_END.split(name)[0].casefold()) for name in tools)


def claimed_of_tools(text: str, tools: frozenset[str], done: Effects) -> Iterator[str]:
    """Yield the clauses that tell a deed of one of the ``tools``, names, that was not called.

    It tells it of nothing that what was done is about, and nothing found speaks of it.
    """
    verbs = verbs_of(tools) - _ONLY_READS - _KNOWN
    for clause in clauses(text) if verbs - done.named else ():
        for found in _OWN.finditer(clause.text[:LONGEST]) if clause.is_stated else ():
            if stem(found["verb"]) in verbs and not clause.has_negation(found.start("verb")):
                what = until_end(clause.text[found.end() :].strip())
                about = things(what) - stems(done.trajectory.start)
                if not _may_be_done(stem(found["verb"]), about, done):
                    yield clause.text


def _may_be_done(verb: str, about: frozenset[str], done: Effects) -> bool:
    is_there = any(one.startswith(verb) for one in (*done.named, *done.returned))
    return is_there or is_named(verb, done.named) or bool(about & (done.words | done.known))
