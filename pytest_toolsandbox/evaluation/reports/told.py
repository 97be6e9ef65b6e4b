"""Whether a report tells what was done, in words that nobody foresaw: ``PO-7 is void now``.

``claims`` knows the words that a scenario asks for and those that mean the same. Where calls have
done what the report is about, it may say so in any others, as long as it says that it is so. In
the same way ``denies`` and ``refuses`` are met by any refusal where nothing was done.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import Final

from pytest_toolsandbox.matchers.claims import Claims, done_in
from pytest_toolsandbox.matchers.combining import AllOf, AnyOf
from pytest_toolsandbox.matchers.denies import Denies
from pytest_toolsandbox.matchers.matcher import Matcher
from pytest_toolsandbox.matchers.normal_text import split
from pytest_toolsandbox.matchers.refuses import REFUSAL, Refuses
from pytest_toolsandbox.matchers.statements.clauses import Clause, clauses
from pytest_toolsandbox.matchers.statements.deeds import deeds_of
from pytest_toolsandbox.matchers.statements.statement import Words, is_bare, is_empty
from pytest_toolsandbox.matchers.statements.stems import stem

from .claimed_acts import LONGEST, STEMS
from .effects import Effects
from .other_verbs import is_named
from .past_forms import ADVERBS, ONLY_LOOKS, PAST
from .things import stems, things

_BY_ME: Final = rf"(?:^|[,:|;>] |\band |\b(?:i|we) (?:have |had )?){ADVERBS}(?P<own>{PAST})\b"
_IT_IS: Final = rf"\b(?:is|are|was|were|been|got|has|have) {ADVERBS}(?P<passive>{PAST})\b"
_ALONE: Final = rf"\b(?P<alone>{PAST})[\s|]*$"
_IS_SO: Final = (
    r"\u2713|\b(?:(?:is|are) (?:\w+ )?now\b|now (?:\w+s|have)\b"
    r"|(?:is|are) (?:\w+ )?(?:gone|off|through"
    r"|in place|free|void|complete|final|live|active|inactive|set|ready|yours)\b"
    r"|(?:is|are) (?:\w+ )?(?:in|on|up|down)(?= (?:now|for|with)\b|\W*$)"
    r"|(?:went|gone|came|come) (?:through|out|ahead|live|in|off|back|up|down)\b"
    r"|on hold\b|now(?= ,|\W*$)|no longer|any ?(?:more|longer)\b|on (?:its|their|the) way"
    r"|up and running|as requested|(?:got|have) (?:you|him|her|them) (?:on|in|an?|the|down)\b"
    r"|you (?:now )?(?:have|have got|got) (?:an?|the|\d\w*)\b"
    r"|(?:you are|he is|she is|they are) (?:\w+ )?(?:on|in|set|down|up|at)\b)"
)
_WILL: Final = (
    r"\b(?:will|(?:is|are) going to|goes|gets|leaves|arrives?|starts?|comes|takes place|applies"
    r"|takes effect|becomes|lands|ships|runs|due|stands|sits|rises|drops)\b"
)
_TELLS: Final = re.compile(f"{_BY_ME}|{_IT_IS}|{_ALONE}|(?P<state>{_IS_SO})|(?P<will>{_WILL})")
_PLAN_OF_MINE: Final = re.compile(
    r"\b(?:i|we|let me|let us) (?:will|shall|am going|are going|would)\b"
)
_FAILED: Final = re.compile(
    r"\b(?:i|we) (?:could not|can not|was not able|were not able|was unable|failed"
    r"|did not manage)\b"
)
_IS_TALK: Final = re.compile(
    r"\b(?:draft|plan|proposal|suggestion|idea|option|options|details? (?:is|are)|example)\b"
)
_REMOVES: Final = frozenset(
    map(stem, split("cancelled canceled deleted removed terminated erased void revoked withdrawn"))
)
_UNDOES: Final = frozenset(
    map(
        stem,
        split("""
        denied declined rejected refused failed expired ignored bounced lapsed lost released
        reversed undone reverted forgot forgotten skipped delayed stopped broke broken
        """),
    )
)
"""Verbs for what no tool is meant to do, unless it is called so."""
_ANY_DEED: Final = frozenset(
    map(stem, split("change request update switch transaction everything"))
)
"""Words for whatever was done."""
_OFF: Final = re.compile(
    r"\b(?:(?:is|are|stays?|turned|switched|now) (?:\w+ )?off|closed?|inactive|disabled|locked"
    r"|shut)\b"
)
_ON: Final = re.compile(r"\b(?:on|open|active|enabled|unlocked)\b")
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
    failed = any(one.is_stated and _FAILED.search(one.text) for one in clauses(text))
    if is_denied or failed or _is_undone(words, text, done):
        return False
    return any(_is_told(words, text, part) for part in _meant(words, done))


def _is_undone(words: Words, text: str, done: Effects) -> bool:
    """Whether it says that what was done failed, or that what was only changed is removed."""
    named = done.named | {*map(stem, words)}
    removed = done.rows("removed", net=True) or named & _REMOVES
    wrong = (_UNDOES if removed else _UNDOES | _REMOVES) - named
    found = chain.from_iterable(_tellings(one) for one in clauses(text) if one.is_stated)
    return any(stem(_verb(one)) in wrong for one in found)


def _tellings(clause: Clause) -> Iterator[re.Match[str]]:
    return _TELLS.finditer(clause.text[:LONGEST])


def _verb(found: re.Match[str]) -> str:
    return found["own"] or found["passive"] or found["alone"] or ""


def _meant(words: Words, done: Effects) -> Iterator[Effects]:
    """Yield what each tool did, of those that may have done what the words say."""
    tools = dict.fromkeys(call.call.name for call in done.calls)
    parts = [done.of_tool(name) for name in tools]
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


def _is_told(words: Words, text: str, part: Effects) -> bool:
    own = part.words | part.known | part.named | stems(map(str, part.values))
    others = frozenset().union(*map(part.words_of, part.trajectory.start)) - own
    kinds = stems(part.trajectory.start) | part.named
    rows = part.known.union(*(one.words for one in part.deeds)) - kinds
    return any(
        _says_so(words, clause, own, part)
        for clause in clauses(text)
        if not things(clause.text) & others or stems([clause.text]) & rows
    )


def _says_so(words: Words, clause: Clause, own: frozenset[str], part: Effects) -> bool:
    if not clause.is_stated or _IS_TALK.search(clause.text):
        return False
    if _is_switched_back(clause.text, part):
        return False
    is_of_it = bool(stems([clause.text]) & (own | _ANY_DEED))
    is_planned = _PLAN_OF_MINE.search(clause.text) or clause.has_negation()
    for found in _tellings(clause):
        if verb := _verb(found):
            place = found.start(found.lastgroup or "")
            is_fact = not clause.has_negation(place) and not clause.has_modality(place)
            is_meant = is_of_it or is_empty(clause.text[found.end() :])
            if is_fact and is_meant and _may_be(verb, words, part):
                return True
        elif is_of_it and not is_planned:
            return True
    return False


def _may_be(verb: str, words: Words, part: Effects) -> bool:
    """Whether a verb may stand for what was done: none that is known for something else."""
    own = stem(verb)
    if own in ONLY_LOOKS:
        return False
    if is_named(own, part.named) or own in map(stem, words):
        return True
    is_known = any(own in STEMS[kind] for kind in ("mailed", "operated", "called"))
    return _may_mean((verb,), part) if deeds_of(verb) else not is_known


def _is_switched_back(text: str, part: Effects) -> bool:
    """Whether it says that something is off that was switched on, or the other way round."""
    kinds = {one.kind for one in part.deeds}
    is_off = "on" in kinds and _OFF.search(text) and not _ON.search(text)
    is_on = kinds & {"off", "removed"} and _ON.search(text) and not _OFF.search(text)
    return bool(is_off or is_on)
