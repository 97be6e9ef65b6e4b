"""Whether a user falls out of its role: it acts as the assistant, or repeats it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Final

from pytest_toolsandbox.matchers.normal_text import typewritten

from .claimed_acts import claims_an_act
from .clauses import clauses
from .offers import OFFERS
from .situation import Situation, words
from .utterance import Utterance

REPEATED: Final = 0.8
"""How much of a text that repeats the agent is in its message, from 0 to 1."""
SHORTEST_QUESTION: Final = 4
"""Words of the shortest question or message of the agent that nobody echoes by chance."""
SHORTEST_REPEATED: Final = 6
"""Words of the shortest text that nobody repeats by chance."""
_DICTATED: Final = re.compile(
    r'"[^"]*"|\b(?:say|saying|write|text|put|reads?|tell \w+)\b[^.?!:"\n]*:[^.?!]*', re.IGNORECASE
)
"""What somebody else is to be told, who is meant by "you" in it."""
_YOURS: Final = re.compile(
    r"(?<!do )(?<!try )\byour (?!(?:help|message|reply|answer|turn|guess|word|time|call|fault|side"
    r"|end|job|point|question|advice|idea|offer|effort|trouble|patience|work|support|mistake|choice"
    r"|opinion|way|own|last|first|previous)s?\b)\w+"
)
"""What is the other one's, but for what one who answers has."""
_ONES_OWN: Final = re.compile(r"\b(?:I|I'\w+|my|me)\b")


def swaps_roles(said: Utterance, situation: Situation) -> str | None:
    """Say what is wrong with a text that offers help, claims an action, or repeats the agent."""
    text = typewritten(said.text or "")
    plain = clauses(_DICTATED.sub("", text))
    if OFFERS.search(plain) or _speaks_of_yours(plain, situation):
        return "You offer help: that is the other one's part. You are who wants something."
    if claims_an_act(plain, situation):
        return "You claim to act: only the other one can. Say what you want, or what you know."
    if _repeats(text, situation):
        return "You repeat the other one's words. Say what you want, or what you know."
    return None


def _speaks_of_yours(plain: str, situation: Situation) -> bool:
    """Whether a text is about something of the other one's, who has nothing but its answers."""
    quoted = " ".join(re.findall(r'"[^"]*"', typewritten(situation.known))).lower()
    return any(one not in quoted for one in _YOURS.findall(plain))


def _repeats(text: str, situation: Situation) -> bool:
    own, others = words(text), [words(one) for one in situation.heard]
    is_question = text.rstrip().endswith("?")
    if len(own) < (SHORTEST_QUESTION if is_question else SHORTEST_REPEATED):
        return len(own) >= SHORTEST_QUESTION and own in others
    is_agents = bool(_ONES_OWN.search(text)) or is_question
    return any(_is_in(own, one) and (is_agents or len(own) > len(one) / 2) for one in others)


def _is_in(own: Sequence[str], other: Sequence[str]) -> bool:
    """Whether a text is in another, in its order; what shares too few words is not compared."""
    enough = REPEATED * len(own)
    if sum((Counter(own) & Counter(other)).values()) < enough:
        return False
    blocks = SequenceMatcher(None, own, other, autojunk=False).get_matching_blocks()
    return sum(one.size for one in blocks) >= enough
