"""``claims``: the text says that something was done."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from .normal_text import split
from .registry import matcher
from .statements.clauses import Clause, clauses
from .statements.deeds import ANY_FORM, opposite_of, other_deeds, wordings
from .statements.statement import Statement, Words, around, has, is_bare, is_failure

_BE: Final = r"(?:been|be|being|is|was|were|are|got)"
_ADVERB: Final = r"(?:\w+ly|also|now|just|already|both|all|then|since|even|once|again|not)"
_BEFORE: Final = re.compile(
    rf"(?P<subject>\S+)?(?P<have> (?:has|have|had))?(?P<be> {_BE})*(?: {_ADVERB})* $"
)
_PERSONS: Final = ("you", "he", "she", "they")
_OTHERS: Final = frozenset(
    (*_PERSONS, *split("somebody someone better best who it which to a an any each every of the"))
)
_NEAR: Final = 200
"""How far after a word the rest of its clause is read."""

_OBJECT: Final = re.compile(r" (?:you|me|us|him|her|them|his|their|your|an?|the)\b")
_NO_OBJECT: Final = re.compile(
    r"(?: to| :)? (?:nothing|nobody|no|none|neither)\b"
    r"|(?: (?!about\b|that\b)\w+){1,3} (?:neither\b.* nor\b.*|(?:nothing|nobody|none)"
    r"|no (?:text|texts|message|messages|reminder|note|word|code))"
    r"(?=\W*$| (?:,|at all|so far|yet|of|and|for|as)(?!\w))"
)
_ITEM: Final = frozenset((":", "-", "\u2013", "\u2014"))
"""What stands in a list between somebody and what was done: ``Samira: told her``."""
_BY_OTHERS: Final = re.compile(
    r"\bby (?:you|him|her|them|somebody|someone|(?:\w+ )?(?:him|her|them|your)sel(?:f|ves))\b"
)
_ORDER: Final = re.compile(r"^(?:set|put) (?:it|them)\b")
_ASIDE: Final = re.compile(r"^\w+ (?:on|by|at)\b")
_YOU: Final = re.compile(r" (?:you|me|us)\b")
_GOES_ON: Final = re.compile(
    r"\b(?:says|said|reads|read|is|was|has|had|did|does|will|asks|(?<!as you )asked)\b"
)
_COMPLETE: Final = re.compile(
    r"""^\W*(?:(?:and|so|(?:that|it|everything|all|this|both)(?:\ is|\ are)?|you\ are
        |consider\ (?:it|that))\ (?:now\ |all\ )*)?
    (?:(?:all\ )?(?:done|sorted|completed?|finished|handled|arranged|taken\ care\ of)|all\ set
        |mission\ accomplished)\b
    | ^\u2713$""",
    re.VERBOSE,
)
INSTEAD: Final = re.compile(r"\b(?:instead of|rather than)\b")
_OF_IT: Final = re.compile(
    r"\b(?:make|move|change|shift|repeat|delete|remove|keep|round) (?:it|that|this|the reminder)\b"
)
"""What is asked of something that is there."""
_OF_MORE: Final = re.compile(
    r"\b(?:any|some)thing (?:else|more|further)\b(?!.*\b(?:know|tell|confirm)\b)"
    r"|\b(?:shall|should) i (?:also )?(?:text|message|tell|call|let)\b"
)
"""What is asked when all is done: ``anything else to shift?``"""
_STILL: Final = re.compile(r"\b(?:still|stays?|remains?)\b")
_COURTESY: Final = re.compile(r"^(?:(?:please|just|and|so) )*(?:let me know|tell me)(?= if\b|$)")
"""What begins many a last sentence, and uses words for messages."""


@matcher("claims")
@dataclass(frozen=True)
class Claims(Statement):
    """A text that says that this was done: the first words say what, the others to what or whom.

    A plan, an offer, a question, a condition, a denial or a quotation claims nothing.
    """

    def states(self, text: str) -> bool:
        first = self.items[0]
        if done := done_in(first, text):
            free = around(self.items, text)
            is_partly = not self.items[1:] and _is_partly_undone(first, text)
            return not is_partly and any(self.has_others(one, free) for one in done)
        return _says_done(text) and not _is_about_else(first, clauses(text))


@lru_cache(maxsize=1024)
def done_in(words: Words, text: str) -> tuple[Clause, ...]:
    """Return the clauses of a text which say that something was done for which the words stand."""
    unsure = _unsure_in(text)
    done = (clause for clause in clauses(text) if is_done(words, clause, unsure))
    return tuple(replace(one, text=INSTEAD.split(one.text)[0]) for one in done)


def is_done(words: Words, clause: Clause, unsure: frozenset[int]) -> bool:
    """Whether a clause says that something was done for which the words stand.

    In the sentences ``unsure`` promises do not say so: ``I'll remind you once I know the day``.
    """
    if not clause.is_stated or not wordings(words, ANY_FORM).search(clause.text):
        return False
    promise = wordings(words, ("promises",)).search(clause.text)
    if promise and not clause.has_negation(promise.start()) and clause.sentence not in unsure:
        return True
    return (
        any(_is_so(clause, one) for one in wordings(words, ("states",)).finditer(clause.text))
        or any(_is_fact(clause, one) for one in wordings(words, ("done",)).finditer(clause.text))
        or _is_ticked(words, clause)
    )


def _is_so(clause: Clause, match: re.Match[str]) -> bool:
    start, end = match.span()
    is_meant = not clause.has_negation(start) and not clause.has_modality(start)
    return is_meant and not _NO_OBJECT.match(clause.text, end)


def _is_fact(clause: Clause, match: re.Match[str]) -> bool:
    before = _BEFORE.search(f" {clause.text[: match.start()]}"[-80:])
    is_own = before is None or _is_own(clause.text[match.end() :], before)
    if match.start() == 0 and _is_aside(clause):
        return False
    return is_own and _is_so(clause, match) and not _YOU.match(clause.text, match.end())


def _is_aside(clause: Clause) -> bool:
    """Whether what begins with a participle is no report: ``set it to 5``, ``(sent on Monday)``."""
    is_within = clause.opener in ("(", ",") and bool(_ASIDE.match(clause.text))
    return is_within or bool(_ORDER.match(clause.text))


def _is_own(rest: str, before: re.Match[str]) -> bool:
    """Whether it was the agent who did it, not somebody else, and not ``the text you sent``."""
    subject = before["subject"]
    if _BY_OTHERS.search(rest[:_NEAR]):
        return False
    if before["be"]:
        return subject not in ("i", "we")  # "I was told", by somebody else
    if subject in (None, "i", "we", "and", "then"):
        return True
    if subject in _OTHERS or before["have"]:
        return False
    return (subject in _ITEM or not _OBJECT.match(rest)) and not _GOES_ON.search(rest[:_NEAR])


def _is_ticked(words: Words, clause: Clause) -> bool:
    """Whether it is ``text to Fred: done``, or ``I did text Fred``."""
    name = wordings(words, ("names",)).search(clause.text)
    if not name or clause.has_negation() or clause.has_modality():
        return False
    did = re.search(r"\bdid (?:\w+ly )?$", clause.text[: name.start()])
    return bool(did) or bool(re.search(r"\u2713|\b(?:done|complete|completed)\b", clause.text))


@lru_cache(maxsize=1024)
def _unsure_in(text: str) -> frozenset[int]:
    """Return the sentences whose promises claim nothing: under a condition, beside a question."""
    found = clauses(text)
    is_asked = any(
        one.is_question
        and not is_bare(one, ())
        and not _OF_IT.search(one.text)
        and not _OF_MORE.search(one.text)
        for one in found
    )
    return frozenset(one.sentence for one in found if is_asked or one.is_conditional)


@lru_cache(maxsize=1024)
def _says_done(text: str) -> bool:
    return any(map(_is_complete, clauses(text)))


def _is_complete(clause: Clause) -> bool:
    return clause.is_stated and not clause.has_negation() and bool(_COMPLETE.search(clause.text))


def _is_partly_undone(words: Words, text: str) -> bool:
    """Whether the opposite is said to be so still: ``Wi-Fi is on, but cellular is still off``."""
    undone = opposite_of(words)
    return bool(undone) and any(_STILL.search(one.text) for one in done_in(undone, text))


def _is_about_else(words: Words, text: tuple[Clause, ...]) -> bool:
    """Whether the text says that this is yet to be done, or that something else was done."""
    other = other_deeds(words)
    return any(
        is_failure(one)
        or (has(words, _COURTESY.sub("", one.text)) and not _is_left_alone(words, one, other))
        or any(_is_fact(one, match) for match in other.finditer(one.text) if not _is_complete(one))
        for one in text
    )


def _is_left_alone(words: Words, clause: Clause, other: re.Pattern[str]) -> bool:
    """Whether it is ``the old reminder was not changed``, which is no other end of ``set``."""
    is_own = wordings(words, ("done",)).search(clause.text)
    return not is_own and clause.has_negation() and bool(other.search(clause.text))
