"""Clauses of a text, and how each is meant: as a fact, or under a negation, a plan, a condition."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from typing import Final

from pytest_toolsandbox.wording.sentences import Sentence, sentences

from .canonical import LEAD, canonical

_FAR: Final = 400
"""How many letters before a word may hold what negates or plans it."""

NEGATION: Final = re.compile(
    r"""\b(?:not|no(?!\ (?:extra\ |additional\ |further\ )?(?:charge|cost|fee|surcharge)\b)|never
    |nothing|nobody|none|neither|nor|without|unable|fail(?:ed|s|ure|ing)?
    |unsuccessful(?:ly)?|hardly|barely|impossible|unavailable|instead\ of|rather\ than|yet\ to
    |unsent|undelivered|unchanged|no\ luck|refused)\b|\u2717""",
    re.VERBOSE,
)
_MODALITY: Final = re.compile(
    r"""\b(?:will|would|can|could|might|should|shall|must|going\ to|about\ to|wants?|wanted
    |needs?|needed|plan|plans|planning|try|tries|trying|tried|attempt(?:s|ed|ing)?|ready|hope|get
    |gets|getting|please|let\ me|let\ us|supposed|to\ be(?!\ (?:on\ the\ )?safe)|next\ steps?
    |to\ do|draft|say\ the\ word
    |(?<!\d\ )(?<!in\ )(?<!on\ )(?<!of\ )(?<!from\ )may(?!\ \d))\b|\u25a1""",
    re.VERBOSE,
)
_CONDITION: Final = "if|unless|whether|until|till|in case|provided|assuming"
_TIME: Final = "once|when|whenever|after|before|as soon as"
_WHEN: Final = re.compile(f"{_CONDITION}|{_TIME}")
_BREAK: Final = re.compile(
    rf"""(?P<mark> {LEAD} | [,;()\u2013\u2014] | :(?=\s|$) | (?<=\s)-+(?=\s) )
    | \b(?P<word> but|however|although|though|because|since|while|whereas|which|who|that|and|or
        |so(?=\ (?:i|we|he|she|it|they|you|the|your)\b)
        |{_CONDITION.replace(" ", chr(92) + " ")}|{_TIME.replace(" ", chr(92) + " ")})\b""",
    re.VERBOSE,
)
_MORE: Final = re.compile(r"(?:anything|something|what) (?:else|more|further)\b")
"""What begins a question of its own: ``it is off again, anything else?``"""
_AUXILIARY: Final = (
    r"(?<!\d )am|is|are|was|were|be|been|being|has|have|had|do|does|did|will|would|can|could"
    r"|(?<!\d )may(?! \d)|might|should|shall|must|got|get"
)
_DONE: Final = (
    r"\w{3,}ed|sent|told|set|put|made|wrote|written|done|gone|let|went|shot|left|found|gave|got|"
    r"kept|read|took|saw|came|brought|bought|met|knew|broke"
)
VERB: Final = re.compile(
    rf"\b(?:{_AUXILIARY}|{_DONE}|knows?|says|starts|wants|needs|looks|depends|stays|goes|gets|comes|falls|rings|need)\b"
)
_LEADING: Final = r"^(?:(?:and|or|but|so|then|also|now|just|both|all|already|\w+ly) )*"
_NO_SUBJECT: Final = re.compile(rf"{_LEADING}(?:not |never )?(?:{_AUXILIARY}|{_DONE}|to)\b")
_PARTICIPLE_FIRST: Final = re.compile(rf"{_LEADING}(?:{_DONE})\b")
_PERFECT: Final = re.compile(r"\b(?:has|have|had|be|been|is|are|was|were|being)\b")
_AUXILIARY_BEFORE: Final = 12
"""Letters before ``not`` in which ``has been`` may stand."""

_SUBJECT: Final = re.compile(r"^\W*(?:i|we|you|he|she|it|they)\b")
_ACTING: Final = re.compile(r"\w{3,}ing\b")
_OF_OTHERS: Final = re.compile(r"^(?:he|she|they|you)\b")
_TELLS: Final = re.compile(
    r"\b(?:told|texted|messaged|informed|notified|know|said|says|wrote|writes|reads|saying|sent|"
    r"mentioned|asked|asking|letting)\b(?! you\b)"
)
_ASKS: Final = re.compile(
    rf"""^\W*(?:(?:and|or|but|so|also|please|then|now|okay|ok)\ )*
    (?:(?:what|which|who|whom|whose|where|when|why|how)\b
      |(?:{_AUXILIARY})\ |want\ me|any|mind\b|ready\b|shall\b)""",
    re.VERBOSE,
)
_INVERTED: Final = re.compile(
    r"^\W*(?:and |or |but |so )?(?:do|does|did|is|are|has|have|can|could|will|would|should|shall)"
    r"(?: not)? (?:i|you|we|he|she|it|they)\b"
)


@dataclass(frozen=True)
class Clause:
    """A clause in its canonical form, and how it is meant.

    ``opener`` is what parts it from the one before. ``is_negated`` and ``is_modal`` say that it
    goes on under a negation, or a plan, of the one before; its own stand in its text.
    """

    text: str
    opener: str
    sentence: int
    quoted: str = ""
    is_question: bool = False
    is_conditional: bool = False
    is_reported: bool = False
    is_negated: bool = False
    is_modal: bool = False

    @property
    def is_stated(self) -> bool:
        """Whether it says that something is so or not so, now or later."""
        return not (self.is_question or self.is_conditional or self.is_reported)

    def has_negation(self, until: int | None = None) -> bool:
        """Whether it is negated, or has a negation before a place."""
        return self.is_negated or bool(NEGATION.search(_read(self.text, until)))

    def has_modality(self, until: int | None = None) -> bool:
        """Whether it is planned, wished or possible, as far as is said before a place."""
        return self.is_modal or bool(_MODALITY.search(_read(self.text, until)))


def _read(text: str, until: int | None) -> str:
    """Return what is read for a word at a place: in a long clause not all that goes before it."""
    return text if until is None else text[max(0, until - _FAR) : until]


@lru_cache(maxsize=1024)
def clauses(text: str) -> tuple[Clause, ...]:
    """Return the clauses of a text, in its order."""
    pairs = zip(sentences(text), canonical(text), strict=True)
    return tuple(
        clause
        for number, (sentence, whole) in enumerate(pairs)
        for clause in _of_sentence(sentence, whole, number)
    )


@lru_cache(maxsize=1024)
def by_sentence(text: str) -> tuple[tuple[Clause, ...], ...]:
    """Return the clauses of each sentence of a text."""
    return tuple(tuple(group) for _, group in groupby(clauses(text), attrgetter("sentence")))


def with_quotes(sentence: Sequence[Clause], place: int) -> str:
    """Return the text of one clause of a sentence, with what is quoted in it."""
    before = sum(one.text.count("qqq") for one in sentence[:place])
    quotes = iter(re.findall(r'"([^"]*)"', sentence[place].quoted)[before:])
    return re.sub("qqq", lambda _: next(quotes, "qqq"), sentence[place].text)


def _of_sentence(sentence: Sentence, whole: str, number: int) -> list[Clause]:
    quoted = sentence.quoted.casefold()
    plain = [Clause(text, opener, number, quoted) for opener, text in _joined(list(_pieces(whole)))]
    asked, is_past = _first_question(plain, sentence), _is_past(plain)
    found: list[Clause] = []
    for index, clause in enumerate(plain):
        is_open = _is_condition(clause, is_past)
        meant = replace(clause, is_question=index >= asked, is_conditional=is_open)
        found.append(_continued(meant, found[-1]) if found else meant)
    if "\u2717" in whole or "\u25a1" in whole:
        return [replace(one, is_negated="\u2717" in whole, is_modal=True) for one in found]
    return found


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """Cut a sentence at every mark and word that may begin a clause."""
    opener, start = "", 0
    for match in _BREAK.finditer(text):
        yield opener, text[start : match.start()].strip()
        opener, start = match[0], match.end()
    yield opener, text[start:].strip()


def _joined(pieces: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Put pieces without a verb to what stands beside them, save a negated one: ``not Fred``."""
    found: list[tuple[str, str]] = []
    is_whole = False
    for opener, text in pieces:
        is_own = (
            bool(VERB.search(text))
            or bool(_MORE.match(text))
            or (opener != ":" and bool(re.match(r"(?:not|never|no|without)\b|\u2713|\u2717", text)))
            or bool(_WHEN.fullmatch(opener) and (_SUBJECT.match(text) or _ACTING.match(text)))
        )
        if not found or (is_whole and (is_own or opener == LEAD)):
            found.append((opener, text))
            is_whole = is_own
        else:
            before, first = found[-1]
            found[-1] = (
                before if is_whole or not is_own else _stronger(before, opener),
                f"{first} {opener} {text}".strip(),
            )
            is_whole = is_whole or is_own
    return [(opener, text.strip(" .?!,")) for opener, text in found if text.strip(" .?!,")]


def _stronger(opener: str, other: str) -> str:
    """Return which of two openers counts for a joined clause: ``but | if``."""
    return other if _WHEN.fullmatch(other) and opener in ("", ",") else opener


def _first_question(plain: list[Clause], sentence: Sentence) -> int:
    form = _ASKS if sentence.mark == "?" else _INVERTED
    for index, clause in enumerate(plain):
        if form.match(clause.text) and clause.opener not in ("that", "who", "which"):
            return index
    return 0 if sentence.mark == "?" else len(plain)


def _is_past(plain: list[Clause]) -> bool:
    """Whether a sentence tells what was: ``after I texted her, I set the reminder``."""
    return len(plain) > 1 and all(
        VERB.search(one.text) and not _MODALITY.search(one.text) for one in plain
    )


def _is_condition(clause: Clause, is_past: bool) -> bool:
    if re.fullmatch(_CONDITION, clause.opener):
        return True
    if re.fullmatch(_TIME, clause.opener):
        return not is_past
    return bool(re.match(r"(?:should|had|were) (?:i|you|it|he|she|they|the)\b", clause.text))


def _continued(clause: Clause, before: Clause) -> Clause:
    """Hand on to a clause what is said of the one before and holds for both."""
    if clause.opener == "that":
        return replace(
            clause,
            is_reported=bool(_TELLS.search(before.text)) or before.is_reported,
            is_negated=before.has_negation() and bool(VERB.search(clause.text)),
        )
    if clause.opener in (",", "and") and _PARTICIPLE_FIRST.match(clause.text):
        is_theirs = bool(_OF_OTHERS.match(before.text)) or before.is_reported
        clause = replace(clause, is_reported=is_theirs)
    if not _goes_on(clause, before):
        return clause
    return replace(
        clause,
        is_conditional=clause.is_conditional or before.is_conditional,
        is_reported=clause.is_reported or before.is_reported,
        is_negated=before.has_negation(),
        is_modal=before.has_modality(),
    )


def _goes_on(clause: Clause, before: Clause) -> bool:
    """Whether a clause has no subject of its own, and the verb before governs its own too."""
    if clause.opener == LEAD:
        return not _SUBJECT.match(clause.text)
    if clause.opener not in (",", "and", "or", "(", ")") or not _NO_SUBJECT.match(clause.text):
        return False
    if clause.opener == "or" or not _PARTICIPLE_FIRST.match(clause.text):
        return True
    blocked = NEGATION.search(before.text) or _MODALITY.search(before.text)
    start = max(0, blocked.start() - _AUXILIARY_BEFORE) if blocked else 0
    return blocked is not None and _PERFECT.search(before.text, start) is not None
