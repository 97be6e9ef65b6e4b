"""What an agent proposes to do, and whether it is what the user wants."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from pytest_toolsandbox.matchers.normal_text import normal_text
from pytest_toolsandbox.wording.sentences import Sentence

from .turns import Act, Turn, any_of

_FINE: Final = r"(?:right|correct|ok|okay|fine|good|all right|alright)"
_IT: Final = r"(?:that|this|it|everything|these|those|they)"
_DO_YOU: Final = r"\b(?:do|would|did) you(?: still| really| just)?"
_PROPOSES: Final = any_of(
    rf"""
    \b(?:shall|should|may|can|could|might) i\b(?! (?:have|get|ask|know|see|call you)\b)
    \b(?:am|was) i to\b
    {_DO_YOU} (?:want|like|prefer|wish) (?:me|us|this|that|it|the|a)\b
    \b(?:do|did) you mean\b
    \byou(?:'d| would)? (?:want|like) me to\b
    ^(?:\w+,? )?want me to\b
    \b{_FINE} (?:to|if|for me|with you)\b
    \bmind if i\b
    \bshould (?:it|this|that|the)\b
    \b{_IT}(?:'s| is| are)? (?:all )?{_FINE}\b
    \b(?:is|are) {_IT}\b
    \b(?:{_FINE}|yes)\W*$
    \b(?:sound|look)s? {_FINE}\b
    \b(?:confirm\w*|go-? ?ahead|proceed|approv\w+|permission|consent|green light|your ok\w*)\b
    \bsay (?:the word|yes|so|when)\b
    \bready\b
    ^(?:are )?you sure\b
    \bsure$
    \bif i (?:should|may|can)\b
    \bif you(?:'d| would)? (?:like|want|wish|agree|don't mind)\b
    \b(?:how|what) about\b
    """
)
_ASKING: Final = r"(?:^|[,:;] |\b(?:and|but|so|or|know|me|specify|clarify|confirm|say|sure) )"
_I_NEED: Final = r"(?<!that )i(?:'d| would)? (?:still )?(?:need|require)"
_MISSING: Final = rf"\b(?:{_I_NEED}|provide|share|send me|missing|specify|clarify)\b"
_INQUIRES: Final = any_of(
    rf"""
    {_ASKING}(?:which|who|whom|whose)\b
    {_ASKING}(?:what|when|where|why|how)\b(?! about)
    {_MISSING}(?!.*\b(?:confirm|go-?ahead|ok|permission|approv|consent))
    """
)
_OR_NOT: Final = r"(?:not|would|do you|rather|leave|should i (?:not|wait|leave))"
_CHOICE: Final = re.compile(rf"\bor\b(?! {_OR_NOT})")
_ADDS: Final = any_of(
    r"""
    \b(?:also|too|as well|additionally|else|another|instead|rather|more|without)\b
    \b(?:leave|skip|cancel|not)\b
    n't\b
    """
)

_WORD: Final = re.compile(r"[^\W_]+(?:'[a-z]+)?")
_ENDING: Final = re.compile(r"(?<=\w{3})(?:ions?|ings?|ers?|ed|es|s|e|'s)$")
_DOUBLED: Final = re.compile(r"(?<=\w\w)(\w)\1$")
_IRREGULAR: Final = {
    "sent": "send", "told": "tell", "wrote": "write", "written": "write", "found": "find",
    "made": "make", "setting": "set", "thrown": "throw", "threw": "throw", "kept": "keep",
}  # fmt: skip
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
_GENERIC: Final = frozenset(
    _WORD.findall(
        """
        a an and are as at be by can could do does for from had has have i if in is it its just let
        me my now of on or our please shall should so still than that the their them then there
        these they this those to up us want was we were what will with would you your yours yes no
        not but i'm i'll i'd it's that's you'd go ahead proceed continue right correct okay ok
        confirm confirmation sure ready good sound look looks like mind fine know say word way thing
        everything all done doing going get first before once your approval permission happy alright
        may when soon me mean wish make sense exactly one here next step tell agree any happen
        approve green light perfect well did might must shall following plan
        """
    )
)


def proposals(turn: Turn) -> list[Sentence]:
    """Return what a turn asks to be agreed to: no questions for information, no choices."""
    pairs = zip(turn.sentences, turn.acts, strict=True)
    return [one for one, act in pairs if act is Act.ASKS and _is_proposal(one)]


def _is_proposal(sentence: Sentence) -> bool:
    plain = normal_text(sentence.plain)
    is_question = _PROPOSES.search(plain) and not _INQUIRES.search(plain)
    return bool(is_question) and not _CHOICE.search(plain)


@lru_cache(maxsize=4096)
def stems(text: str) -> frozenset[str]:
    """Return the words of a text that say something, without endings, synonyms as one."""
    return frozenset(_stem(word) for word in _words(text) if word not in _GENERIC)


def is_generic(sentence: Sentence) -> bool:
    """Whether a proposal does not say what is proposed: "Shall I go ahead?", "Shall I send it?"."""
    return all(stem in _DOING or stem.isdecimal() for stem in stems(sentence.plain))


def asks_no_more(turn: Turn) -> bool:
    """Whether all that a turn asks is whether to go ahead."""
    pairs = zip(turn.sentences, turn.acts, strict=True)
    asked = [one for one, act in pairs if act is Act.ASKS]
    return asked == [one for one in proposals(turn) if is_generic(one)]


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
    bare = _bare(word)
    return _FAMILY.get(bare, bare)


def _bare(word: str) -> str:
    word = _IRREGULAR.get(word, word)
    bare = _ENDING.sub("", word)
    return bare if bare == word else _DOUBLED.sub(r"\1", bare)


_FAMILY: Final = {
    _bare(word): _bare(family.split()[0]) for family in _FAMILIES for word in family.split()
}
_DOING: Final = frozenset(map(_stem, _WORD.findall("send move change save set make put am pm")))
"""Whatever is wanted may be meant by them: "Shall I send it?", "So 7 pm?"."""
