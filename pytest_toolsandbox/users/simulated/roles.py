"""Whether a user falls out of its role: it acts as the assistant, or repeats it."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import Final

from pytest_toolsandbox.matchers.normal_text import typewritten
from pytest_toolsandbox.matchers.statements.acts import any_of

from .claimed_acts import claims_an_act
from .deeds import BEGINS, DO, DONE, I_WILL, OF_THE_PHONE, SERVE, SERVE_ANY, THAT, THING
from .situation import Situation, words
from .utterance import Utterance

REPEATED: Final = 0.9
"""How like the agent's own message a text is that repeats it, from 0 to 1."""
SHORTEST_QUESTION: Final = 4
"""Words of the shortest question of the agent that nobody echoes by chance."""
SHORTEST_REPEATED: Final = 6
"""Words of the shortest text that nobody repeats by chance."""


def swaps_roles(said: Utterance, situation: Situation) -> str | None:
    """Say what is wrong with a text that offers help, claims an action, or repeats the agent."""
    text = typewritten(said.text or "")
    if _OFFERS.search(text):
        return "You offer help: that is the other one's part. You are who wants something."
    if claims_an_act(text, situation):
        return "You claim to act: only the other one can. Say what you want, or what you know."
    if _repeats(text, situation):
        return "You repeat the other one's words. Say what you want, or what you know."
    return None


def _repeats(text: str, situation: Situation) -> bool:
    own = words(text)
    asked = [words(one.text) for one in situation.turn.asked]
    if text.rstrip().endswith("?") and len(own) >= SHORTEST_QUESTION and own in asked:
        return True
    is_long = len(own) >= SHORTEST_REPEATED
    return is_long and any(_is_like(own, words(one)) for one in situation.heard)


def _is_like(own: list[str], other: list[str]) -> bool:
    return SequenceMatcher(None, own, other, autojunk=False).ratio() >= REPEATED


_DETAILS: Final = r"(?:details|recipient|contents?|wording|title)"
_MAY_I: Final = r"\b(?:shall|should|can|may|could) i"
_A: Final = r"(?:the|a|your|her|his) (?:\w+ )?"
_NOT_SAY: Final = r"(?!(?:just )?(?:give|tell|spell|say|need|rephrase|keep|leave))"
_YOU_MEAN: Final = r"(?:you mean|you(?:'d| would) (?:like|prefer))"
_OFFERS: Final = any_of(
    rf"""
    \b(?:can|may|could|shall|should|might) i (?:\w+ ){{0,2}}(?:help|assist)\b
    \b(?:can|may|could|shall|should) i (?:get|bring|offer|show) you\b
    \b(?:how|what|anything)(?: else)? (?:can|may|could) i do\b
    \banything (?:else )?i (?:can|could|may|should|might)\b
    \banything (?:else )?you(?:'d| would)? (?:like|need)\b(?! from me)
    \b(?:happy|glad|here|able|ready) to (?:help|assist)\b
    \bi can (?:help|assist)(?: you)?\b
    \bwould you (?:like|prefer)\b
    \b(?:do|did) you (?:want|need) (?:any|help)\b
    \b(?:is|would|will) there (?:be )?anything else\W*$
    \b(?:works?|suits?) (?:\w+ )?(?:for )?you\b[^.!]*\?
    \bglad (?:that )?i could\b
    \bhere(?:'s| is) (?:a|the|your) (?:draft|list|summary|update)\b
    {I_WILL}{SERVE} {THAT}\b(?!.*\bmyself\b)
    {I_WILL}{SERVE_ANY}\b(?! you\b)(?!.*\bmyself\b)
    \b(?:can|may|shall|should) i (?:go ahead|proceed)\b
    \byou're (?:very )?welcome\b
    \b(?:thanks|thank you) for (?:reaching out|contacting|your patience)\b
    \bneed (?:\w+ ){{0,3}}(?:more|some|further) (?:details?|info(?:rmation)?)\b
    \b(?:to|before i) {DO}\b[^.?!]*, (?:i(?:'ll| will)? need|(?:could|can|would) you)\b
    \bbefore i (?:send|set|delete|create|do) (?:it|that|this)\b
    (?:\bplease |\b(?:can|could|would) you (?:please )?)(?:provide|specify|clarify)\b
    \b(?:let|tell) (?:me|us)(?: know)? (?:\w+ )*?(?:{_YOU_MEAN}|to {DO})\b
    \b(?:what|which|who|when|where)\b[^.?!]* (?:should|shall) (?:the|your) {THING}\b
    (?:{BEGINS}i(?:'ll| will) |\blet me |\blet's ){_NOT_SAY}\w+ [^.?!]*{OF_THE_PHONE}\b
    \bi can do (?:it|that|this)\b(?!.*\bmyself\b)
    \bconfirm the details\b
    \bon your list\b
    \bask me for\b
    \bdo you have (?:a|any) (?:\w+ )?(?:specific|particular|preferred|preference)\b
    (?<!if )\byou(?:'d| would)? (?:want|like|wish) to (?:{DO}|include|proceed)\b
    \bplease (?:share|tell me|give me|enter|choose|select) (?:\w+ ){{1,3}}?{_DETAILS}\b
    {_MAY_I} (?!have|get|see|know)\w+ {_A}(?:{THING}|number)\b[^.!]*\?
    \bget back to you\b
    \bi'll (?:make sure|handle)\b
    \bi(?:'m| am) on it\b
    \b(?:how about|what if) i {DO}\b
    \bhelp you\?|\bready when you are\b|\ballow me to\b
    \bconfirm (?:that|if|whether) i (?:should|can|may|shall)\b
    \b(?:okay|ok|all right|alright|fine|mind) if i (?:{DO}|{DONE})\b(?! (?:my|myself)\b)
    \b(?:shall|should|can|may|could) i (?:also|now|then|just) (?:{DO}|let)\b[^.!]*\?
    \b(?:moment|second|minute|sec) (?:to|while i) (?:{SERVE_ANY}|{SERVE} {THAT})
    \b(?:glad|happy|pleased|delighted) to (?:{DO})\b(?!.*\bmyself\b)
    \blove to (?:help|assist)\b
    {I_WILL}(?:go ahead|proceed|get (?:started|to work)|search)\b
    \bis there (?:something|anything) (?:specific|in particular)\b
    \bi(?:'m| am) (?:now )?(?:searching|checking|processing) (?:your|it|that|this)\b
    \bi(?:'m| am) (?:now )?looking (?:at|into|through|up) (?:your|it|that|this)\b
    \bhere(?:'s| is) what i can\b
    \b(?:tell me|let me know) what you (?:need|want)\b
    \bas your (?:\w+ )?assistant\b
    \b(?:do|did) you (?:need|want) (?:\w+ )?(?:help|assistance)\b
    \bmay i (?:have|ask|know) (?:for )?(?:your|the (?:name|number|date|time|text|title|address))\b
    \bi(?:'ll)? need your (?:confirmation|permission)\b
    \bwhat(?:'s| is) the recipient
    \bi(?:'m| am) (?:always )?here (?:if|to|when\w*) you\b
    \b(?:apologi[sz]e|apologies|sorry) for (?:the|any) (?:inconvenience|trouble|confusion)\b
    \bplease (?:hold|wait)\b[^.?!]*\bwhile i\b
    {BEGINS}i(?:'ll| will) (?:remind you|get (?:right )?on (?:it|that))\b
    \bpleasure (?:assisting|helping|serving)\b
    \bwant me to\?
    \b(?:feel free|hesitate|reach out|at your service)\b
    \b(?:of|any|further|additional|more) (?:\w+ )?(?:help|assistance|service)\b
    \b(?:like|want|need|prefer|wish) me to {DO}\b[^.!]*\?
    \byou(?:'d| would)? (?:like|want|need|prefer) me to\b
    \b(?:which|what|who|whom|when|where)\b[^.?!]*\bshould i (?!do\b){DO}\b
    \blet me know if (?:you need|there is|there's|you(?:'d| would) like) (?:anything|any|me)\b
    \bi(?:'m| am) (?:unable|not able) to (?:access|assist|help)\b
    \bi don't have (?:access to|the ability)\b
    \b(?:shall|should|can|may|could) i {DO}\b[^.?!]*\b(?:you|your)\b
    \bi(?: can|'ll| will| could|'d be)\b[^.?!]{{0,40}}\bfor you\b
    \bi(?: can|'ll| will) (?:set|look|take care of|handle|bring|pull)(?: (?:that|this|it))(?: up)?\b
    \blet me (?:\w+ )?(?:{DO}|get)\b
    """
)
