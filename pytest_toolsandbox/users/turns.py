"""What an agent does with a turn: it asks, announces, or tells something.

What an agent proposes to do, and whether it is what the user wants.

What the scripted user says to proposals: what ``agrees`` and ``permits`` stand for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

from pytest_toolsandbox.language.tasks import Assent, UserScript
from pytest_toolsandbox.text.formatting import beginning_and_end
from pytest_toolsandbox.text.normal_text import normal_text
from pytest_toolsandbox.text.sentences import QUOTE, Sentence, sentences

from .reading import CONSENT, HOLLOW, OFFERS, WHICH, Act, accepts, act_of, any_of, stem

_INNER_MARK: Final = re.compile(r"[.?!…](?!\w)|(?<=[ap])\.(?=m\b)", re.IGNORECASE)

_DRAFT: Final = re.compile(r"(?<=:)[*_\s]*\n-{3,}\n(.{1,4000}?)\n-{3,}(?=\n|$)", re.DOTALL)
"""A text between two rules, behind a colon."""


@dataclass(frozen=True)
class Turn:
    """A turn of the agent in its sentences, and what each of them does."""

    sentences: tuple[Sentence, ...]
    acts: tuple[Act, ...]

    @cached_property
    def asked(self) -> list[Sentence]:
        """What it asks for, with a question mark or without."""
        return [one for one, act in self._both() if act is Act.ASKS]

    @property
    def offers_more(self) -> bool:
        """Whether it asks, with a question mark, if there is anything else to do."""
        return any(act is Act.OFFERS_MORE and one.mark == "?" for one, act in self._both())

    @property
    def tells(self) -> bool:
        """Whether one of its sentences tells something."""
        return Act.TELLS in self.acts

    @cached_property
    def heard(self) -> str:
        """The turn as a user hears it: one who asks without a question mark asks all the same.

        Only sentences end in a mark: none stands in a quotation, or behind a shortened word.
        """
        return " ".join(
            _INNER_MARK.sub("", one.text) + ("?" if act is Act.ASKS else one.mark or ".")
            for one, act in self._both()
        )

    @cached_property
    def told(self) -> str:
        """What it tells, without what it announces; of its questions only the marks are left."""
        left = {Act.ASKS: "?", Act.TELLS: "{}."}
        return " ".join(left[act].format(one.text) for one, act in self._both() if act in left)

    @property
    def announces(self) -> bool:
        """Whether it asks nothing, and its last word is what the agent is about to do.

        So is it with one that says no more than that the errand was understood.
        """
        meant = [act for act in self.acts if act is not Act.FILLS]
        if self.asked or not self.acts:
            return False
        return meant[-1] is Act.ANNOUNCES if meant else any(map(_promises, self.sentences))

    def _both(self) -> Iterator[tuple[Sentence, Act]]:
        return zip(self.sentences, self.acts, strict=True)


def _promises(sentence: Sentence) -> bool:
    """Whether it takes the errand on."""
    return accepts(sentence.plain) or bool(
        re.match(r"i(?:'ll| will)\b", sentence.plain, re.IGNORECASE)
    )


@lru_cache(maxsize=1024)
def turn_of(text: str) -> Turn:
    """Return what an agent does with a text."""
    text = _DRAFT.sub(
        lambda draft: re.sub("^", "> ", "\n" + draft[1], flags=re.MULTILINE),
        beginning_and_end(text),
    )
    found = sentences(text)
    return Turn(found, tuple(map(act_of, found)))


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


ON_THE_WAY: Final = ("turn", "look", "use", "access", "change settings", "wifi", "low battery")
"""What a user permits who permits things without naming any."""
_LEFT_ALONE: Final = re.compile(
    r"\b(?:keep|leave|not|without|except|untouched)\b|n't\b", re.IGNORECASE
)
_ASSENT_IT: Final = re.compile(r"\b(?:it|that|this|them|so)\b", re.IGNORECASE)


def assent(script: UserScript, turn: Turn) -> tuple[str, ...]:
    """Return the texts for the proposals of a turn, none where it makes none or others."""
    found = proposals(turn)
    for kind in (script.agrees, script.permits):
        if kind and any(_is_refused(kind, one, turn) for one in found):
            return kind.say_no
    for one in found:
        if script.permits and names(one, script.permits.to or ON_THE_WAY):
            return script.permits.say
        if kind := script.agrees:
            if is_generic(one) or _is_wanted(kind, one, script):
                return kind.say
        elif script.permits and is_generic(one):
            return script.permits.say
        if script.permits and any(names(it, script.permits.to) for it in _before(one, turn)):
            return script.permits.say
    return ()


def _before(proposal: Sentence, turn: Turn) -> tuple[Sentence, ...]:
    """Return the sentence before, if it says what "it" stands for: "Wifi is off. Turn it on?"."""
    place = turn.sentences.index(proposal)
    means_it = is_generic(proposal) or _ASSENT_IT.search(proposal.plain)
    return turn.sentences[max(0, place - 1) : place] if means_it else ()


def _is_refused(kind: Assent, proposal: Sentence, turn: Turn) -> bool:
    """Whether a proposal is not wanted, or what was said just before "Shall I go ahead?"."""
    before = [one for one in _before(proposal, turn) if not _LEFT_ALONE.search(one.plain)]
    return any(names(one, kind.not_to) for one in (proposal, *before))


def _is_wanted(kind: Assent, proposal: Sentence, script: UserScript) -> bool:
    """Whether a proposal names what is listed, or is in words of the opening or the goal."""
    if names(proposal, kind.to):
        return True
    wanted = stems(script.opening) | stems(script.wants)
    return not adds_something(proposal) and bool(stems(proposal.plain) & wanted)
