"""Read a turn of the agent for the scripted user: questions, announcements, statements, proposals.

``assent`` answers proposals by the scenario's ``agrees`` and ``permits``.
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

from .reading import CONSENT, FUNCTION_WORDS, OFFERS, WHICH, Act, accepts, act_of, any_of, stem

_INNER_MARK: Final = re.compile(r"[.?!…](?!\w)|(?<=[ap])\.(?=m\b)", re.IGNORECASE)

_DRAFT: Final = re.compile(r"(?<=:)[*_\s]*\n-{3,}\n(.{1,4000}?)\n-{3,}(?=\n|$)", re.DOTALL)
"""A text between two horizontal rules, after a colon."""


@dataclass(frozen=True)
class Turn:
    """The sentences of a turn of the agent, and their speech acts."""

    sentences: tuple[Sentence, ...]
    acts: tuple[Act, ...]

    @cached_property
    def questions(self) -> list[Sentence]:
        """The questions and requests, with a question mark or without."""
        return [sentence for sentence, act in self._pairs() if act is Act.ASKS]

    @property
    def offers_more(self) -> bool:
        """Whether it asks, with a question mark, if there is anything else to do."""
        return any(act is Act.OFFERS_MORE and s.mark == "?" for s, act in self._pairs())

    @property
    def has_statements(self) -> bool:
        """Whether one of its sentences is a statement."""
        return Act.STATES in self.acts

    @cached_property
    def punctuated(self) -> str:
        """The turn with a question mark after each question.

        Marks are only at the end of sentences, not in quotations or after abbreviations.
        """
        return " ".join(
            _INNER_MARK.sub("", sentence.text) + ("?" if act is Act.ASKS else sentence.mark or ".")
            for sentence, act in self._pairs()
        )

    @cached_property
    def statements(self) -> str:
        """The statements, with a bare question mark for each question."""
        forms = {Act.ASKS: "?", Act.STATES: "{}."}
        return " ".join(forms[act].format(s.text) for s, act in self._pairs() if act in forms)

    @property
    def is_mere_filler(self) -> bool:
        """Whether it has no content and accepts nothing: "All right, as you say"."""
        return {*self.acts} == {Act.FILLS} and not self.announces

    def reports(self, before: str, *, follows_calls: bool) -> str:
        """Return what it reports, after the statements ``before``, with a mark for each question.

        Mere filler after calls reports them: "OK, that's done". Without calls it leaves the report
        of the turn before as it is, which a question may have hidden.
        """
        if not self.is_mere_filler or not (before or follows_calls):
            return self.statements
        filler = " ".join(f"{sentence.text}." for sentence in self.sentences)
        return filler if follows_calls else f"{before} {filler}"

    @property
    def announces(self) -> bool:
        """Whether it asks nothing and ends with an announcement, or only accepts the task."""
        acts = [act for act in self.acts if act is not Act.FILLS]
        if self.questions or not self.acts:
            return False
        return acts[-1] is Act.ANNOUNCES if acts else any(map(_accepts_task, self.sentences))

    def _pairs(self) -> Iterator[tuple[Sentence, Act]]:
        return zip(self.sentences, self.acts, strict=True)


def _accepts_task(sentence: Sentence) -> bool:
    return accepts(sentence.plain) or bool(
        re.match(r"i(?:'ll| will)\b", sentence.plain, re.IGNORECASE)
    )


@lru_cache(maxsize=1024)
def turn_of(text: str) -> Turn:
    """Return a text of the agent as a turn."""
    text = _DRAFT.sub(
        lambda draft: re.sub("^", "> ", "\n" + draft[1], flags=re.MULTILINE),
        beginning_and_end(text),
    )
    parts = sentences(text)
    return Turn(parts, tuple(map(act_of, parts)))


_FINE: Final = r"(?:right|correct|ok|okay|fine|good|happy|all right|alright)"
_IT: Final = r"(?:that|this|it|everything|these|those|they)"
_PROPOSES: Final = any_of(
    rf"""
    {OFFERS.pattern}
    \b(?:do|would|did) you (?:\w+ly |just )?(?:want|like|prefer|wish) (?:this|that|it|the|a)\b
    \bdo you want (?:these|those|both|all (?:of )?{_IT})\b
    \b(?:do|did) you mean\b
    \b{_FINE} (?:to|if|for me|with (?:you|it|that|this))\b
    \bshould (?:it|this|that|the)\b
    \b{_IT}(?:'s| is| are)? (?:all )?{_FINE}\b
    \b(?:is|are) {_IT}\b
    \b{_IT}(?: \w+)? works?\b
    \b(?:{_FINE}|yes|agreed)\W*$
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
_TELLS: Final = re.compile(
    r"\blet (?!(?:me|us|you)\b)(?=(?:\S+ ){1,6}?know\b)|(?<=\bi )(?:also )?tell (?!(?:me|you)\b)",
    re.IGNORECASE,
)
"""How the agent proposes to inform others: "Shall I let Bob know?", not "Tell me"."""
_LOOKS_FINE: Final = re.compile(rf"\blooks? (?:all )?{_FINE}\b", re.IGNORECASE)
_INFORMS: Final = re.compile(rf"^(?!.*\b(?:{CONSENT}|verify)\b).*{_MISSING}", re.IGNORECASE)
_OR_NOT: Final = (
    rf"(?:no\b|not|would|do you|rather|leave|should i (?:not|wait|leave)|{QUOTE} to cancel)"
)
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
_GENERIC: Final = FUNCTION_WORDS | frozenset(
    _WORD.findall(
        """
        let want i'm i'll i'd it's that's you'd go ahead proceed continue right correct okay ok once
        confirm confirmation sure ready good sound look looks like mind fine know say word way thing
        everything first before approval permission happy alright soon mean wish make sense exactly
        one both all here next step tell agree agreed happen approve green light perfect well
        following plan yours really
        """
    )
)


def proposals(turn: Turn) -> list[Sentence]:
    """Return the proposals of a turn: no questions for information, no choices."""
    return list(filter(_is_proposal, turn.questions))


def _is_proposal(sentence: Sentence) -> bool:
    plain = normal_text(sentence.plain)
    exceptions = (WHICH, _INFORMS, _CHOICE)
    return bool(_PROPOSES.search(plain)) and not any(
        pattern.search(plain) for pattern in exceptions
    )


@lru_cache(maxsize=4096)
def _stems(text: str) -> frozenset[str]:
    """Return the stems of a text's content words, with one stem for synonyms."""
    return frozenset(_stem(word) for word in _words(text) if word not in _GENERIC)


def _is_generic(sentence: Sentence) -> bool:
    """Return whether a proposal does not name an action: "Shall I go ahead?", "Shall I do it?"."""
    return all(word in _DOING or word.isdecimal() for word in _stems(sentence.plain))


def asks_only_to_proceed(turn: Turn) -> bool:
    """Return whether a turn only asks whether to go ahead."""
    return turn.questions == list(filter(_is_generic, proposals(turn)))


def _adds_something(sentence: Sentence) -> bool:
    """Return whether a proposal goes beyond the request, or differs from it."""
    proposal = normal_text(sentence.plain).partition(" or ")[0]
    return _ADDS.search(proposal) is not None


def _names(sentence: Sentence, phrases: Iterable[str]) -> bool:
    """Return whether a sentence has all words of one of the phrases, in any form."""
    plain = _LOOKS_FINE.sub(" ", sentence.plain)  # asks about something, not for a look
    plain = _TELLS.sub("inform ", plain)
    present = _stems(plain) | set(_words(plain))
    return any({_stem(word) for word in _words(phrase)} <= present for phrase in phrases)


def _words(text: str) -> list[str]:
    return _WORD.findall(normal_text(text))


def _stem(word: str) -> str:
    bare = stem(word)
    return _FAMILY.get(bare, bare)


_FAMILY: Final = {
    stem(word): stem(family.split()[0]) for family in _FAMILIES for word in family.split()
}
_DOING: Final = frozenset(map(_stem, _WORD.findall("send move change save set make put am pm")))
"""Words that fit any request: "Shall I send it?", "So 7 pm?"."""


_PERMITTED: Final = ("turn", "look", "use", "access", "change settings", "wifi", "low battery")
"""The default of ``permits: to``."""
_LEFT_ALONE: Final = re.compile(
    r"\b(?:keep|leave|not|without|except|untouched)\b|n't\b", re.IGNORECASE
)
_PRONOUN: Final = re.compile(r"\b(?:it|that|this|them|so)\b", re.IGNORECASE)


def assent(script: UserScript, turn: Turn) -> tuple[str, ...]:
    """Return the answers to the proposals of a turn, none if it has no expected ones."""
    for kind in (script.agrees, script.permits):
        if kind and any(_is_refused(kind, proposal, turn) for proposal in proposals(turn)):
            return kind.say_no
    for proposal in proposals(turn):
        if script.permits and _names(proposal, script.permits.to or _PERMITTED):
            return script.permits.say
        if kind := script.agrees:
            if _is_generic(proposal) or _is_wanted(kind, proposal, script):
                return kind.say
        elif script.permits and _is_generic(proposal):
            return script.permits.say
        before = _before(proposal, turn)
        if script.permits and any(_names(sentence, script.permits.to) for sentence in before):
            return script.permits.say
    return ()


def _before(proposal: Sentence, turn: Turn) -> tuple[Sentence, ...]:
    """Return the sentence before, if "it" may refer to it: "Wifi is off. Turn it on?"."""
    index = turn.sentences.index(proposal)
    refers = _is_generic(proposal) or _PRONOUN.search(proposal.plain)
    return turn.sentences[max(0, index - 1) : index] if refers else ()


def _is_refused(kind: Assent, proposal: Sentence, turn: Turn) -> bool:
    """Return whether the user refuses a proposal, or the sentence that it refers to."""
    before = [s for s in _before(proposal, turn) if not _LEFT_ALONE.search(s.plain)]
    return any(_names(sentence, kind.not_to) for sentence in (proposal, *before))


def _is_wanted(kind: Assent, proposal: Sentence, script: UserScript) -> bool:
    """Return whether a proposal names a listed phrase, or has words of the opening or the goal."""
    if _names(proposal, kind.to):
        return True
    wanted = _stems(script.opening) | _stems(script.wants)
    return not _adds_something(proposal) and bool(_stems(proposal.plain) & wanted)
