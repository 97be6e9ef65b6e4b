"""What an agent proposes to do, and whether it is what the user wants."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from pytest_toolsandbox.matchers.normal_text import normal_text
from pytest_toolsandbox.wording.sentences import QUOTE, Sentence

from .reading.acts import CONSENT, OFFERS, WHICH, any_of
from .reading.stems import HOLLOW, stem
from .turns import Turn

_FINE: Final = r"(?:right|correct|ok|okay|fine|good|happy|all right|alright)"
_IT: Final = r"(?:that|this|it|everything|these|those|they)"
_PROPOSES: Final = any_of(
    rf"""
    {OFFERS.pattern}
    \b(?:do|would|did) you (?:\w+ly |just )?(?:want|like|prefer|wish) (?:this|that|it|the|a)\b
    \b(?:do|did) you mean\b
    \b{_FINE} (?:to|if|for me|with (?:you|it|that|this))\b
    \bshould (?:it|this|that|the)\b
    \b{_IT}(?:'s| is| are)? (?:all )?{_FINE}\b
    \b(?:is|are) {_IT}\b
    \b{_IT} works?\b
    \b(?:{_FINE}|yes)\W*$
    \b(?:sound|look)s? {_FINE}\b
    \b(?:{CONSENT}|proceed|your (?:go|word|signal)|unless you|with you|i hear)\b
    \b(?:make sure|to be sure|verify|say the (?:magic )?word)\b
    \b(?:quick|short|say|type|reply|answer)(?: with)? (?:so\b|when\b|go\b|{QUOTE})
    \bready\b
    ^(?:are )?you sure\b
    \bsure$
    \b(?:how|what) about\b
    """
)
_I_NEED: Final = r"(?<!that )i(?:'d| would)? (?:still )?(?:need|require)"
_MISSING: Final = rf"\b(?:{_I_NEED}|provide|share|send me|missing|specify|clarify)\b"
_INFORMS: Final = re.compile(rf"^(?!.*\b(?:{CONSENT}|verify)\b).*{_MISSING}", re.IGNORECASE)
_OR_NOT: Final = rf"(?:not|would|do you|rather|leave|should i (?:not|wait|leave)|{QUOTE} to cancel)"
_CHOICE: Final = re.compile(rf"\bor\b(?! {_OR_NOT})")
_ADDS: Final = any_of(
    r"""
    \b(?:also|too|as well|additionally|else|another|instead|rather|more|without)\b
    \b(?:leave|skip|cancel|not)\b
    n't\b
    """
)

_WORD: Final = re.compile(r"[^\W_]+(?:'[a-z]+)?")
_FAMILIES: Final = (
    "text send message tell write forward notify inform reply answer sms",
    "remind reminder alarm warn nudge",
    "delete remove erase clear throw wipe drop",
    "change update edit modify correct rename replace fix adjust",
    "move reschedule shift push postpone delay",
    "save add create store",
    "turn switch enable activate toggle disable deactivate",
    "look check search find fetch retrieve pull consult query",
    "calculate convert compute work count",
)
_GENERIC: Final = HOLLOW | frozenset(
    _WORD.findall(
        """
        let want i'm i'll i'd it's that's you'd go ahead proceed continue right correct okay ok once
        confirm confirmation sure ready good sound look looks like mind fine know say word way thing
        everything first before approval permission happy alright soon mean wish make sense exactly
        one here next step tell agree happen approve green light perfect well following plan yours
        """
    )
)


def proposals(turn: Turn) -> list[Sentence]:
    """Return what a turn asks to be agreed to: no questions for information, no choices."""
    return list(filter(_is_proposal, turn.asked))


def _is_proposal(sentence: Sentence) -> bool:
    plain = normal_text(sentence.plain)
    others = (WHICH, _INFORMS, _CHOICE)
    return bool(_PROPOSES.search(plain)) and not any(one.search(plain) for one in others)


@lru_cache(maxsize=4096)
def stems(text: str) -> frozenset[str]:
    """Return the words of a text that say something, without endings, synonyms as one."""
    return frozenset(_stem(word) for word in _words(text) if word not in _GENERIC)


def is_generic(sentence: Sentence) -> bool:
    """Whether a proposal does not say what is proposed: "Shall I go ahead?", "Shall I send it?"."""
    return all(one in _DOING or one.isdecimal() for one in stems(sentence.plain))


def asks_no_more(turn: Turn) -> bool:
    """Whether all that a turn asks is whether to go ahead."""
    return turn.asked == [one for one in proposals(turn) if is_generic(one)]


def adds_something(sentence: Sentence) -> bool:
    """Whether a proposal is about more than, or something else than, what was asked for."""
    proposal = normal_text(sentence.plain).partition(" or ")[0]
    return _ADDS.search(proposal) is not None


def names(sentence: Sentence, phrases: Iterable[str]) -> bool:
    """Whether one of the phrases is in a sentence, all of its words in any form."""
    found = stems(sentence.plain) | set(_words(sentence.plain))
    return any({_stem(word) for word in _words(phrase)} <= found for phrase in phrases)


def _words(text: str) -> list[str]:
    return _WORD.findall(normal_text(text))


def _stem(word: str) -> str:
    bare = stem(word)
    return _FAMILY.get(bare, bare)


_FAMILY: Final = {
    stem(word): stem(family.split()[0]) for family in _FAMILIES for word in family.split()
}
_DOING: Final = frozenset(map(_stem, _WORD.findall("send move change save set make put am pm")))
"""Whatever is wanted may be meant by them: "Shall I send it?", "So 7 pm?"."""
