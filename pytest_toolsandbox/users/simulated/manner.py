"""Check how a user talks: malformed texts, leaks, the agent's part, loops, an early end."""

from __future__ import annotations

import re
from typing import Final

from pytest_toolsandbox.matchers.normal_text import split, typewritten
from pytest_toolsandbox.users.proposals import proposals
from pytest_toolsandbox.users.reading.acts import OFFERS
from pytest_toolsandbox.users.reading.stems import HOLLOW, stem
from pytest_toolsandbox.users.turns import turn_of

from .by_tools import INSTRUCTION as BY_TOOLS
from .paper import INSTRUCTION as PAPER
from .situation import Situation, runs, words
from .utterance import Utterance

LONGEST: Final = 1_000
"""Characters of the longest text that a person would send."""
LEAKED_RUN: Final = 5
"""Words in a row of an instruction that show that it is repeated."""
LABELS: Final = frozenset(split("user simulated scenario instruction prompt goal boundary"))
"""The names of what a simulated user is sent: of its parts in prompts, scenarios and options."""
REPEATED: Final = 0.7
"""The share of a text's runs of three words that must be in one message of the agent."""
SHORTEST_REPEATED: Final = 6
"""Words of the shortest text that nobody repeats by chance; of a question, two less."""
TRIES: Final = 5
"""After how many messages of the agent a user may give up (ToolSandbox, section 2)."""
SAID_AT_MOST: Final = 2
"""How often a user may say the same."""

_DATA: Final = re.compile(
    r"\W*|(?:null|undefined|nan|n/a)\W*|\{.*\}|\[.*\]|```.*|\([^)]*\)|\*[^*]*\*",
    re.IGNORECASE | re.DOTALL,
)
_TO_FILL: Final = re.compile(r"[\[{][A-Za-z][\w' -]*[]}]|\bX{3,}\b|\b(\w)\1{0,2}-\1{3,}")
"""A placeholder of a template: ``[your name]``, ``{street}``, ``XXX-XXXX``."""
_MARKUP: Final = re.compile(
    r"\b[^\W\d_]+_\w+|\b\w+\(\w+=|</?\w+>|<\||\|>|\bUser [AB]\b"
    r"|^\W*(?:user|assistant|agent|system|tool|reply)\s*:",
    re.IGNORECASE,
)
"""Names and calls of tools, tags, marks of a chat template, and the speaker of a line."""
_PROMPTS: Final = runs(words(PAPER), LEAKED_RUN) | runs(words(BY_TOOLS), LEAKED_RUN)
_ONES_OWN: Final = re.compile(r"\b(?:I|I'\w+|my|me)\b|\?\s*$")
_THANKS: Final = frozenset(
    split("""
    thanks thank you so much thx ty great perfect ok okay cool nice awesome bye goodbye cheers got
    it a lot that's all no have good day one appreciate wonderful again very too for everything your
    the help see later soon take care
    """)
)
_NO_TOPIC: Final = HOLLOW | {"know", "like", "need", "tell", "want"}


def is_malformed(said: Utterance, situation: Situation) -> str | None:
    """Return what is wrong with a text that nobody would send."""
    text = said.text or ""
    if len(text) > LONGEST:
        return f"That has over {LONGEST} characters."
    if _DATA.fullmatch(text):
        return "That has no words that a person would send."
    gaps = [gap[0] for gap in _TO_FILL.finditer(text) if gap[0] not in situation.known]
    return f"You left {gaps[0]} to be filled in. Say that you do not know it." if gaps else None


def leaks(said: Utterance, situation: Situation) -> str | None:
    """Return what is wrong with a text that repeats the prompt or names its parts."""
    text = typewritten(said.text or "")
    own = words(text)
    names = {word.removesuffix("'s").removesuffix("s") for word in own} & LABELS
    marks = [mark[0] for mark in _MARKUP.finditer(text) if mark[0] not in situation.known]
    if names - {*situation.words} or marks or runs(own, LEAKED_RUN) & _PROMPTS:
        return "That tells of your instructions, which nobody may hear of."
    return None


def swaps_roles(said: Utterance, situation: Situation) -> str | None:
    """Return what is wrong with a text that proposes to act, or repeats the agent."""
    text = typewritten(said.text or "")
    if any(OFFERS.search(sentence.plain) for sentence in proposals(turn_of(text))):
        return "You offer help: that is the other one's part. You are who wants something."
    if any(_repeats(text, message) for message in situation.heard):
        return "You repeat the other one's words. Say what you want, or what you know."
    return None


def _repeats(text: str, heard: str) -> bool:
    own, other = words(text), words(heard)
    if len(own) < SHORTEST_REPEATED - 2 * text.rstrip().endswith("?"):
        return own == other and len(own) >= SHORTEST_REPEATED - 2
    parts = runs(own, 3)
    is_most = _ONES_OWN.search(text) or len(own) > len(other) / 2
    return bool(is_most) and len(parts & runs(other, 3)) >= REPEATED * len(parts)


def is_in_a_loop(said: Utterance, situation: Situation) -> str | None:
    """Return what is wrong with a text that was said twice, or that only thanks again."""
    own, before = _gist(said.text or ""), [*map(_gist, situation.said)]
    if before.count(own) >= SAID_AT_MOST or (own in before[1:] and own <= _THANKS):
        return "You have said that already. Say something else, or end the conversation."
    if before and own and own <= _THANKS and before[-1] <= _THANKS:
        return "You have thanked already. End the conversation."
    return None


def _gist(text: str) -> frozenset[str]:
    own = frozenset(words(text))
    return own - HOLLOW or own


def ends_early(said: Utterance, situation: Situation) -> str | None:
    """Return what is wrong with ending the conversation now."""
    is_done = said.reason in (None, "done")
    if is_done and situation.open_goals:
        return f"You have not asked for this yet: {', '.join(situation.open_goals)}."
    if said.reason == "handed_over" or len(situation.heard) >= TRIES:
        return None
    turn = turn_of(situation.heard[-1] if situation.heard else "")
    if is_done and turn.announces:
        return "The other one is still at it. Let it go on."
    if turn.asked and is_done:
        return "You were asked something. Answer it."
    if turn.asked and _topics(turn.heard) & _topics(situation.knowledge.text):
        return "You were asked something that you know. Answer it."
    return None


def _topics(text: str) -> set[str]:
    return {stem(word) for word in words(text) if word not in _NO_TOPIC}
