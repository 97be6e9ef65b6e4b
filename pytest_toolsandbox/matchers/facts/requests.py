"""What a letter asks, orders or leaves open that another tells, and the other way round."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pytest_toolsandbox.matchers.normal_text import split
from pytest_toolsandbox.matchers.statements.stems import stem

from .letter_words import MAYBE_YOU, ME, WE, YOU, Word, alike, not_in
from .letters import POLITE, Letter

_IF: Final = re.compile(
    r"\b(?:if|in case|provided|as long as|unless|whether|should you|on (?:the )?condition that)\b"
)
_PLAIN_IF: Final = re.compile(r"\bif\b(?! (?:that|it|this|you|possible|so|not|any)\b)")
_TURNS_ROUND: Final = re.compile(
    r"\b(?:unless|whether or not|even if|although|even though|despite|almost|nearly|hardly|partly"
    r"|half (?:of )?the|los(?:e|es|ing|t)|thrown|threw|late|stole|stolen|refuse\w*|cancel\w*"
    r"|without (?:you|me|us|him|her))\b"
)
"""What turns round or narrows what stands beside it."""
_WANTED: Final = frozenset(map(stem, split("want need fancy care")))
"""With what an offer begins: ``Need a lift?``"""
_UNTIL: Final = re.compile(r"\b(?:until|till|to|through|up to|before)\b|-")
_REQUEST: Final = re.compile(
    r"\bplease\b|\b(?:can|could|would|will) (?:you|we)\b|\byou must\b"
    r"|(?:^|[.!?;:,] )(?!ha(?:ve|s|d)\b|did\b|w(?:as|ere|hen|here|ho)\b)[^.!?]{1,200}\?"
    r"|\b(?:like|need|appreciate|let me|kind)\b"
)


def other_conditions(expected: Letter, found: Letter) -> Iterator[tuple[str, str]]:
    """Yield conditions that are left out or put in, and words that turn round what is said."""
    own, given = expected.text.casefold(), found.text.casefold()
    if (missed := _IF.search(own)) and not _IF.search(given) and "?" not in given:
        yield "missing", missed[0]
    said = {*_TURNS_ROUND.findall(own)}
    is_negative = any(one.is_denied for one in expected.words)
    for one in _TURNS_ROUND.findall(given):
        if one not in said and not (is_negative and one.startswith("cancel")):
            yield "left open", one
    if not _IF.search(own) and "?" not in own and (more := _PLAIN_IF.search(given)):
        yield "left open", more[0]
    if re.search(r"\buntil\b", own) and not _UNTIL.search(given):
        yield "missing", "until"


def other_requests(expected: Letter, found: Letter) -> Iterator[tuple[str, str]]:
    """Yield what is asked for that was not to be, and the other way round."""
    own, given = expected.text.casefold(), found.text.casefold()
    if "please" in own:
        told = (one for one in found.words if one.is_first and not one.is_asked)
        orders = (one for one in told if one.doer in (YOU, MAYBE_YOU))
        if not _REQUEST.search(given) and all(one.name in POLITE for one in orders):
            yield "not asked for", "please"
    else:
        for order in re.findall(r"\bplease ([a-z]+)", given):
            if not_in(expected.words, [Word(stem(order), order)], POLITE):
                yield "asked for", order
    yield from _questions(expected, found)


def _questions(expected: Letter, found: Letter) -> Iterator[tuple[str, str]]:
    """Yield what is asked that was to be told."""
    for sentence in dict.fromkeys(one.sentence for one in found.words if one.is_asked):
        words = [it for it in found.words if it.sentence == sentence and it.name not in POLITE]
        told = [one for one in words if _stands(one, expected, is_asked=False)]
        asked = [one for one in words if _stands(one, expected, is_asked=True)]
        is_offer = any(one.doer in (YOU, ME, WE) for one in words)
        first = next(it for it in found.words if it.sentence == sentence)
        is_offer = is_offer or first.name in _WANTED
        if len(told) > max(1, len(asked)) and not is_offer:
            yield "asked", " ".join(one.written for one in told)


def _stands(word: Word, letter: Letter, *, is_asked: bool) -> bool:
    return any(alike(word, one) and one.is_asked == is_asked for one in letter.words)
