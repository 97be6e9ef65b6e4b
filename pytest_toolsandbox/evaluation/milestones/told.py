"""Whether a report tells what was done, in words that nobody foresaw: ``PO-7 is void now``.

``claims`` knows the words that a scenario asks for and those that mean the same. Where calls have
done what the report is about, it may say so in any others, as long as it says that it is so. In
the same way ``denies`` and ``refuses`` are met by any refusal where nothing was done.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from pytest_toolsandbox.matchers.claims import Claims, done_in
from pytest_toolsandbox.matchers.combining import AllOf, AnyOf
from pytest_toolsandbox.matchers.denies import Denies
from pytest_toolsandbox.matchers.matcher import Matcher
from pytest_toolsandbox.matchers.refuses import REFUSAL, Refuses
from pytest_toolsandbox.matchers.statements.clauses import Clause, clauses
from pytest_toolsandbox.matchers.statements.deeds import deeds_of
from pytest_toolsandbox.matchers.statements.statement import Words, is_bare, is_empty
from pytest_toolsandbox.matchers.statements.stems import stem

from .effects import Effects
from .other_verbs import is_named
from .past_forms import ADVERBS, ONLY_LOOKS, PAST
from .things import stems, things

_BY_ME: Final = rf"(?:^|[,:|;>] |\band |\b(?:i|we) (?:have |had )?){ADVERBS}(?P<own>{PAST})\b"
_IT_IS: Final = rf"\b(?:is|are|was|were|been|got|has|have) {ADVERBS}(?P<passive>{PAST})\b"
_ALONE: Final = rf"\b(?P<alone>{PAST})[\s|]*$"
_IS_SO: Final = (
    r"\b(?:(?:is|are) (?:\w+ )?now\b|now (?:\w+s|have)\b|(?:is|are) (?:\w+ )?(?:gone|off|through"
    r"|in place|free|void|complete|final|live|active|inactive|set|ready|yours)\b"
    r"|(?:is|are) (?:\w+ )?(?:in|on|up|down)(?= (?:now|for|with)\b|\W*$)"
    r"|(?:went|gone|came|come) (?:through|out|ahead|live|in|off|back|up|down)\b"
    r"|on hold\b|now(?= ,|\W*$)|no longer|any ?(?:more|longer)\b|on (?:its|their|the) way"
    r"|up and running|as requested"
    r"|(?:you are|he is|she is|they are) (?:\w+ )?(?:on|in|set|down|up|at)\b)"
)
_WILL: Final = (
    r"\b(?:will|(?:is|are) going to|goes|gets|leaves|arrives?|starts?|comes|takes place|applies"
    r"|takes effect|becomes|lands|ships|runs|due|stands|sits|rises|drops)\b"
)
_TELLS: Final = re.compile(f"{_BY_ME}|{_IT_IS}|{_ALONE}|(?P<state>{_IS_SO})|(?P<will>{_WILL})")
_PLAN_OF_MINE: Final = re.compile(
    r"\b(?:i|we|let me|let us) (?:will|shall|am going|are going|would)"
)
_FAILED: Final = re.compile(
    r"\b(?:i|we) (?:could not|can not|was not able|were not able|was unable|failed"
    r"|did not manage)\b"
)
_IS_TALK: Final = re.compile(
    r"\b(?:draft|plan|proposal|suggestion|idea|option|options|details? (?:is|are)|example)\b"
)
_KINDS: Final = {
    "sent": ("sent",),
    "deleted": ("removed",),
    "changed": ("changed",),
    "set": ("added", "changed"),
    "enabled": ("on", "changed"),
    "disabled": ("off", "changed"),
    "booked": ("added",),
    "cancelled": ("removed", "changed", "off"),
}
"""Kinds of deeds by the first word of those in ``claims`` that mean them."""


def tells(matcher: Matcher, text: str, done: Effects) -> bool:
    """Whether a text says what a matcher wants, where statements may be made in other words."""
    if isinstance(matcher, AnyOf):
        return any(tells(one, text, done) for one in matcher.matchers)
    if isinstance(matcher, AllOf):
        return all(tells(one, text, done) for one in matcher.matchers)
    return matcher.reached(text) or _says(matcher, text, done)


def _says(matcher: Matcher, text: str, done: Effects) -> bool:
    if isinstance(matcher, Claims):
        return bool(done.calls) and _claims(matcher, text, done)
    if isinstance(matcher, (Denies, Refuses)):
        return not done.calls and _is_refused(matcher.items[0], text, done)
    return False


def _claims(matcher: Claims, text: str, done: Effects) -> bool:
    words = matcher.items[0]
    is_denied = Denies(matcher.items).states(text) and not done_in(words, text)
    if is_denied or any(one.is_stated and _FAILED.search(one.text) for one in clauses(text)):
        return False
    return any(_is_told(text, part) for part in _meant(words, done))


def _meant(words: Words, done: Effects) -> Iterator[Effects]:
    """Yield what each tool did, of those that may have done what the words say."""
    tools = dict.fromkeys(call.call.name for call in done.calls)
    parts = [replace(done, tool=name) for name in tools]
    meant = parts if len(parts) == 1 else [one for one in parts if _may_mean(words, one)]
    is_sent = any(deed.done[0] == "sent" for word in words for deed in deeds_of(word))
    yield from meant if meant or is_sent else [done]


def _may_mean(words: Words, part: Effects) -> bool:
    if any(is_named(stem(word), part.named) for word in words):
        return True
    kinds = {kind for word in words for deed in deeds_of(word) for kind in _KINDS[deed.done[0]]}
    return any(deed.kind in kinds for deed in part.deeds)


def _is_refused(words: Words, text: str, done: Effects) -> bool:
    """Whether it says that something cannot be done, where nothing was, and where that is meant."""
    is_deed = any(deeds_of(word) or re.fullmatch(PAST, word) for word in words)
    about = done.asked | done.returned
    return is_deed and any(
        one.is_stated
        and REFUSAL.search(one.text)
        and (stems([one.text]) & about or is_bare(one, ()))
        for one in clauses(text)
    )


def _is_told(text: str, part: Effects) -> bool:
    own = part.words | part.known | part.named | stems(map(str, part.values))
    others = frozenset().union(*map(part.words_of, part.trajectory.start)) - own
    kinds = stems(part.trajectory.start)
    return any(
        _says_so(clause, own)
        for clause in clauses(text)
        if not things(clause.text) & others or stems([clause.text]) & (own - kinds)
    )


def _says_so(clause: Clause, own: frozenset[str]) -> bool:
    if not clause.is_stated or _IS_TALK.search(clause.text):
        return False
    is_of_it = bool(stems([clause.text]) & own)
    found = _TELLS.finditer(clause.text)
    return any(_is_meant(clause, one, is_of_it=is_of_it) for one in found)


def _is_meant(clause: Clause, found: re.Match[str], *, is_of_it: bool) -> bool:
    kind = found.lastgroup or ""
    start = found.start(kind)
    if kind in ("state", "will"):
        is_free = not clause.has_negation(start) and not _PLAN_OF_MINE.search(clause.text)
        return is_free and is_of_it
    if stem(found[kind]) in ONLY_LOOKS:
        return False
    is_fact = not clause.has_negation(start) and not clause.has_modality(start)
    return is_fact and (is_of_it or is_empty(found.string[found.end() :]))
