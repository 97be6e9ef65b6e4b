"""Whether a user talks as long as people do: no endless text, no circles, no early end."""

from __future__ import annotations

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
    it a lot that's all no have good day one appreciate wonderful
    """)
)
_COMMON: Final = frozenset(
    split("""
    what when which where would could should your want like them this that with have from need know
    tell pleas there about shall
    """)
)


def is_too_long(said: Utterance, situation: Situation) -> str | None:
    """Say what is wrong with a text that nobody would send."""
    del situation
    return f"That has over {LONGEST} characters." if len(said.text or "") > LONGEST else None


def is_in_a_loop(said: Utterance, situation: Situation) -> str | None:
    """Say what is wrong with a text that was said twice, or with more thanks."""
    own = words(said.text or "")
    before = [words(one) for one in situation.said]
    if before.count(own) >= SAID_AT_MOST or (own in before[1:] and _only_thanks(own)):
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


def _only_thanks(own: list[str]) -> bool:
    return bool(own) and set(own) <= _THANKS


def _stems(text: str) -> set[str]:
    from pytest_toolsandbox.matchers.rouge_l import stem

    return {stem(word) for word in words(text) if len(word) >= SHORTEST_STEM} - _COMMON
