"""Whether a user talks as people do: words, no endless text, no circles, no early end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pytest_toolsandbox.matchers.normal_text import split

from .situation import Situation, words
from .utterance import Utterance

TRIES: Final = 5
"""After how many messages of the agent a user may give up (ToolSandbox, section 2)."""
SAID_AT_MOST: Final = 2
"""How often a user may say the same."""
SHORTEST_STEM: Final = 4
"""Letters of the shortest word that tells what a question is about."""
LONGEST: Final = 1_000
"""Characters of the longest text that a person would send."""

_THANKS: Final = frozenset(
    split("""
    thanks thank you so much thx ty great perfect ok okay cool nice awesome bye goodbye cheers got
    it a lot that's all no have good day one appreciate wonderful again very too many much for
    everything your the help see later soon take care lovely brilliant excellent amazing best really
    """)
)
_FILLERS: Final = frozenset(
    split("""
    please pls sorry really just oh well no yes okay ok so but and again i said is as the there's
    there it's it have like got too
    """)
)
"""Words with which the same is still the same."""
_DATA: Final = re.compile(
    r"\W*|(?:null|undefined|nan|n/a)\W*|\{.*\}|\[.*\]|```.*|\([^)]*\)|\*[^*]*\*",
    re.IGNORECASE | re.DOTALL,
)
_TO_FILL: Final = re.compile(r"[\[{][A-Za-z][\w' -]*[]}]|\bX{3,}\b|\b(\w)\1{0,2}-\1{3,}")
"""A place that a template leaves for a value: ``[your name]``, ``{street}``, ``XXX-XXXX``."""
_COMMON: Final = frozenset(
    split("""
    what when which where would could should your want like them this that with have from need know
    tell pleas there about shall
    """)
)


def is_malformed(said: Utterance, situation: Situation) -> str | None:
    """Say what is wrong with a text that nobody would send."""
    text = said.text or ""
    if len(text) > LONGEST:
        return f"That has over {LONGEST} characters."
    if _DATA.fullmatch(text):
        return "That has no words that a person would send."
    left = [one[0] for one in _TO_FILL.finditer(text) if one[0] not in situation.known]
    return f"You left {left[0]} to be filled in. Say that you do not know it." if left else None


def is_in_a_loop(said: Utterance, situation: Situation) -> str | None:
    """Say what is wrong with a text that was said twice, or with more thanks."""
    own = words(said.text or "")
    before = [words(one) for one in situation.said]
    if [*map(_gist, before)].count(_gist(own)) >= SAID_AT_MOST or (
        own in before[1:] and _only_thanks(own)
    ):
        return "You have said that already. Say something else, or end the conversation."
    if before and _only_thanks(own) and _only_thanks(before[-1]):
        return "You have thanked already. End the conversation."
    return None


def ends_early(said: Utterance, situation: Situation) -> str | None:
    """Say what is wrong with an end at this place."""
    if said.reason in (None, "done") and situation.open_goals:
        return f"You have not asked for this yet: {', '.join(situation.open_goals)}."
    if said.reason == "handed_over" or len(situation.heard) >= TRIES:
        return None
    if said.reason in (None, "done") and situation.turn.announces:
        return "The other one is still at it. Let it go on."
    if not situation.turn.asked:
        return None
    if said.reason in (None, "done"):
        return "You were asked something. Answer it."
    shared = _stems(situation.turn.heard) & _stems(situation.knowledge.text)
    return "You were asked something that you know. Answer it." if shared else None


def _gist(own: Sequence[str]) -> frozenset[str]:
    return frozenset(own) - _FILLERS or frozenset(own)


def _only_thanks(own: Sequence[str]) -> bool:
    return bool(own) and set(own) <= _THANKS


def _stems(text: str) -> set[str]:
    from pytest_toolsandbox.matchers.rouge_l import stem

    return {stem(word) for word in words(text) if len(word) >= SHORTEST_STEM} - _COMMON
