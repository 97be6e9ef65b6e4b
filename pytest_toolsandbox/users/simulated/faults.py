"""Faults of a simulated user, found by rules before an utterance is delivered.

The two published kinds are hallucination, a user that says what its information does not contain,
and instruction following, one that falls out of its role or does not end (ToolSandbox, Table 2).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final, Literal

from pytest_toolsandbox.matchers.normal_text import split
from pytest_toolsandbox.matchers.statements.acts import any_of

from .by_tools import INSTRUCTION as BY_TOOLS
from .paper import INSTRUCTION as PAPER
from .situation import Situation, words
from .utterance import Utterance

FaultKind = Literal[
    "malformed", "leak", "roles", "invention", "world", "early_end", "loop", "reviewed"
]
PublishedKind = Literal["hallucination", "instruction_following"]
Effect = Literal["helped", "hindered"]

WHAT: Final[Mapping[FaultKind, str]] = {
    "malformed": "said nothing that could be delivered",
    "leak": "told of its instructions",
    "roles": "fell out of its role",
    "invention": "made something up",
    "world": "told what only the world knows",
    "early_end": "ended too early",
    "loop": "went in circles",
    "reviewed": "was at fault by its review",
}
"""What a user did, in words that follow "the user"."""
HALLUCINATIONS: Final[frozenset[FaultKind]] = frozenset(("invention", "world"))
HELP: Final[frozenset[FaultKind]] = frozenset(("leak", "world"))
"""The faults that tell the agent what it should have had to find out; the others hinder it."""

NAMES_OF_ALL: Final = "Wi-Fi Wifi GPS SMS Google Siri Celsius Fahrenheit"
"""Names that people use without having been told."""
LEAKED_RUN: Final = 6
"""Words in a row of the instruction that show that it is repeated."""
REPEATED: Final = 0.9
"""How like the agent's own message a text is that repeats it, from 0 to 1."""
TRIES: Final = 5
"""After how many messages of the agent a user may give up (ToolSandbox, section 2)."""
SAID_AT_MOST: Final = 2
"""How often a user may say the same."""
SHORTEST_STEM: Final = 4
"""Letters of the shortest word that tells what a question is about."""
LONGEST: Final = 1_000
"""Characters of the longest text that a person would send."""


@dataclass(frozen=True)
class UserFault:
    """A fault in an utterance: ``told`` says to the model what is wrong with it.

    It is ``left`` where the utterance was delivered all the same.
    """

    kind: FaultKind
    told: str
    utterance: str
    left: bool = False

    @property
    def what(self) -> str:
        """What the user did, in words."""
        return WHAT[self.kind]

    @property
    def published_kind(self) -> PublishedKind:
        """The kind under which Tables 2 and 3 count it."""
        return "hallucination" if self.kind in HALLUCINATIONS else "instruction_following"

    @property
    def effect(self) -> Effect:
        """Whether it makes the agent's work easier or harder."""
        return "helped" if self.kind in HELP else "hindered"


def fault_in(utterance: Utterance, situation: Situation) -> UserFault | None:
    """Return the first fault of an utterance."""
    for kind, rule in _OF_ENDS.items() if utterance.ends else _OF_TEXTS.items():
        if told := rule(utterance, situation):
            return UserFault(kind, told, utterance.text or f"(ends: {utterance.reason})")
    return None


def _leaks(said: Utterance, situation: Situation) -> str | None:
    del situation
    text = said.text or ""
    if _INSIDE.search(text) or _RUNS & _runs(text):
        return "That tells of your instructions, which nobody may hear of."
    return None


def _swaps_roles(said: Utterance, situation: Situation) -> str | None:
    text = said.text or ""
    if _OFFERS.search(text):
        return "You offer help: that is the other one's part. You are who wants something."
    if _ACTS.search(text):
        return "You claim to act: only the other one can. Say what you want, or what you know."
    own = words(text)
    if len(own) >= LEAKED_RUN and any(_is_like(own, words(one)) for one in situation.heard):
        return "You repeat the other one's words. Say what you want, or what you know."
    return None


def _invents(said: Utterance, situation: Situation) -> str | None:
    from pytest_toolsandbox.matchers.facts.names import other_names  # takes a tenth of a second
    from pytest_toolsandbox.matchers.facts.values import other_values

    text = said.text or ""
    known = situation.known
    strange = [what for _, what in other_values(text, known)]
    strange += [what for _, what in other_names(text, f"{known} {NAMES_OF_ALL}")]
    quoted = (" ".join(words(one)) for one in _QUOTED.findall(text))
    all_words = " ".join(words(known))
    strange += [one for one in quoted if len(one.split()) > 1 and one not in all_words]
    if strange:
        named = ", ".join(dict.fromkeys(strange))
        return f"You do not know this: {named}. Say only what you know, or that you do not know."
    return None


def _knows_the_world(said: Utterance, situation: Situation) -> str | None:
    text = f" {' '.join(words(said.text or ''))} "
    if found := sorted(one for one in situation.secrets if f" {one} " in text):
        return f"You cannot know this: {found[0]}. It was neither told to you nor said."
    return None


def _is_in_a_loop(said: Utterance, situation: Situation) -> str | None:
    own = words(said.text or "")
    before = [words(one) for one in situation.said]
    if before.count(own) >= SAID_AT_MOST or (own in before[1:] and _only_thanks(own)):
        return "You have said that already. Say something else, or end the conversation."
    if before and _only_thanks(own) and _only_thanks(before[-1]):
        return "You have thanked already. End the conversation."
    return None


def _is_too_long(said: Utterance, situation: Situation) -> str | None:
    del situation
    return f"That has over {LONGEST} characters." if len(said.text or "") > LONGEST else None


def _ends_early(said: Utterance, situation: Situation) -> str | None:
    if said.reason in (None, "done") and situation.open_goals:
        return f"You have not asked for this yet: {', '.join(situation.open_goals)}."
    if said.reason == "handed_over" or len(situation.heard) >= TRIES:
        return None
    if not situation.turn.asked:
        return None
    if said.reason in (None, "done"):
        return "You were asked something. Answer it."
    shared = _stems(situation.turn.heard) & _stems(situation.knowledge.text)
    return "You were asked something that you know. Answer it." if shared else None


_OF_TEXTS: Final[
    Mapping[
        Literal["malformed", "leak", "roles", "invention", "world", "loop"],
        Callable[[Utterance, Situation], str | None],
    ]
] = {
    "malformed": _is_too_long,
    "leak": _leaks,
    "roles": _swaps_roles,
    "world": _knows_the_world,
    "invention": _invents,
    "loop": _is_in_a_loop,
}
_OF_ENDS: Final[Mapping[Literal["early_end"], Callable[[Utterance, Situation], str | None]]] = {
    "early_end": _ends_early
}

_INSIDE: Final = any_of(
    r"""
    \b(?:User [AB]|end_conversation|knowledge boundary|system prompt)\b
    \bmy (?:instructions?|goals? (?:is|are)|role is|persona)\b
    \b(?:simulat\w+|role-?play\w*)\b.*\buser\b
    \bas (?:an ai|a (?:large )?language model|a simulated)\b
    \btool_calls?\b
    </?\w+>
    """
)
_OFFERS: Final = any_of(
    r"""
    \bhow (?:can|may|could) i (?:help|assist)\b
    \b(?:what|anything) (?:else )?(?:can|could|may) i (?:do|help|assist)\b
    \banything else (?:i can|you(?:'d| would) like me to|you need)\b
    \b(?:happy|glad|here) to (?:help|assist)\b
    \bi can (?:help|assist) (?:you|with)\b
    \b(?:would you like|do you want) me to\b
    \blet me know if (?:you need|there is|there's) anything\b
    \bi(?:'m| am) (?:unable|not able) to (?:access|assist|help)\b
    \bi don't have (?:access to|the ability)\b
    \bi(?:'ll| will) (?:check|look|search|find|take care|get)\b.{0,30} for you\b
    """
)
_DONE: Final = (
    r"(?:sent|set|added|created|deleted|removed|updated|changed|turned|enabled|disabled|searched"
    r"|found|checked|looked up|saved|scheduled)"
)
_THING: Final = r"(?:message|text|reminder|contact|alarm|wi-?fi|cellular\w*|location service\w*)"
_CLOSED: Final = r"^(?:done|all set|okay|ok|sure)[.!,]"
_ACTS: Final = any_of(
    rf"""
    \bi(?:'ve| have)? (?:just |now |already |\w+ly )*{_DONE}\b.*\b(?:for you|you asked)\b
    \bi(?:'ve| have)? (?:just |now |already |\w+ly )*{_DONE}\b (?:\w+ )?your {_THING}\b
    \b(?:your|the) {_THING} (?:has|have) been (?:\w+ly )?{_DONE}\b
    {_CLOSED} i(?:'ve| have) {_DONE}\b
    {_CLOSED} (?:your|the) \w+ (?:is|has been) (?:now )?(?:on|off|{_DONE})\b
    """
)
_QUOTED: Final = re.compile(
    '["\u201c\u201e\u00ab]([^"\u201c-\u201e\u00ab\u00bb]{4,})["\u201c\u201d\u00bb]'
)
_THANKS: Final = frozenset(
    split("""
    thanks thank you so much thx ty great perfect ok okay cool nice awesome bye goodbye cheers got
    it a lot that's all no have good day one appreciate wonderful
    """)
)
_COMMON: Final = frozenset(
    split("""
    what when which where would could should your want like them this that with have from need know
    tell pleas there about shall
    """)
)


def _only_thanks(own: list[str]) -> bool:
    return bool(own) and set(own) <= _THANKS


def _is_like(own: list[str], other: list[str]) -> bool:
    return SequenceMatcher(None, own, other, autojunk=False).ratio() >= REPEATED


def _stems(text: str) -> set[str]:
    from pytest_toolsandbox.matchers.rouge_l import stem

    return {stem(word) for word in words(text) if len(word) >= SHORTEST_STEM} - _COMMON


def _runs(text: str) -> frozenset[str]:
    found = words(text)
    return frozenset(
        " ".join(found[start : start + LEAKED_RUN]) for start in range(len(found) - LEAKED_RUN + 1)
    )


_RUNS: Final = _runs(PAPER) | _runs(BY_TOOLS)
