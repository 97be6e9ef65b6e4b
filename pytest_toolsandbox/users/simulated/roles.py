"""Whether a user falls out of its role: it tells of its instructions, or acts as the assistant."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import Final

from pytest_toolsandbox.matchers.normal_text import split, typewritten
from pytest_toolsandbox.matchers.statements.acts import any_of

from .by_tools import INSTRUCTION as BY_TOOLS
from .paper import INSTRUCTION as PAPER
from .situation import Situation, words
from .utterance import Utterance

LEAKED_RUN: Final = 6
"""Words in a row of the instruction that show that it is repeated."""
REPEATED: Final = 0.9
"""How like the agent's own message a text is that repeats it, from 0 to 1."""
SHORTEST_QUESTION: Final = 4
"""Words of the shortest question of the agent that nobody echoes by chance."""


def leaks(said: Utterance, situation: Situation) -> str | None:
    """Say what is wrong with a text that tells of the instructions."""
    text = typewritten(said.text or "")
    behind = {*words(text)} & _BEHIND_THE_SCENES - {*words(situation.known)}
    if behind or _INSIDE.search(text) or _RUNS & _runs(text):
        return "That tells of your instructions, which nobody may hear of."
    return None


def swaps_roles(said: Utterance, situation: Situation) -> str | None:
    """Say what is wrong with a text that offers help, claims an action, or repeats the agent."""
    text = typewritten(said.text or "")
    if _OFFERS.search(text):
        return "You offer help: that is the other one's part. You are who wants something."
    if _ACTS.search(text) or _acted(text, situation):
        return "You claim to act: only the other one can. Say what you want, or what you know."
    if _repeats(text, situation):
        return "You repeat the other one's words. Say what you want, or what you know."
    return None


def _acted(text: str, situation: Situation) -> bool:
    """Whether it tells, in the past, of an action that only the agent can have done."""
    told = {one.casefold() for one in _OWN_PAST.findall(situation.knowledge.text)}
    return any(match["verb"].casefold() not in told for match in _ACTED.finditer(text))


def _repeats(text: str, situation: Situation) -> bool:
    own = words(text)
    asked = [words(one.text) for one in situation.turn.asked]
    if text.rstrip().endswith("?") and len(own) >= SHORTEST_QUESTION and own in asked:
        return True
    is_long = len(own) >= LEAKED_RUN
    return is_long and any(_is_like(own, words(one)) for one in situation.heard)


def _is_like(own: list[str], other: list[str]) -> bool:
    return SequenceMatcher(None, own, other, autojunk=False).ratio() >= REPEATED


def _runs(text: str) -> frozenset[str]:
    found = words(text)
    return frozenset(
        " ".join(found[start : start + LEAKED_RUN]) for start in range(len(found) - LEAKED_RUN + 1)
    )


_RUNS: Final = _runs(PAPER) | _runs(BY_TOOLS)
_BEHIND_THE_SCENES: Final = frozenset(
    split("""
    user instruction instructions instructed prompt prompts scenario simulation simulated simulating
    roleplay persona character script scripted brief briefing briefed objective objectives goal
    goals guideline guidelines profile exercise setup permitted forbidden provided assigned
    developer developers benchmark evaluation evaluator
    """)
)
"""Words that a person only uses who was told of them."""
_PART: Final = r"(?:goal|task|role|character|background|brief|knowledge|boundary)s?"
_TOLD_TO: Final = (
    r"\bi(?:'m| am| was| have been|'ve been) (?:\w+ )?"
    r"(?:told|asked|instructed|prompted|supposed|allowed|meant|pretending)"
    r"(?: not| never)? to"
)
_INSIDE: Final = any_of(
    rf"""
    \b(?:User [AB]|end_conversation|tool_calls?)\b
    \bknowledge boundar(?:y|ies)\b
    \b(?:in|out of|break) character\b
    \bsystem (?:message|prompt)s?\b
    \b(?:pass|passe[sd]|fail|fails|failed) the test\b
    \bend(?:ing|s)? (?:the|this) conversation\b
    \b(?:automated|simulated|fictional) (?:user|caller|customer|person)\b
    \bas (?:the|a) user\b|\buser goals?\b
    \bi(?:'ve| have) been given (?:no|only)\b
    \boutside (?:of )?(?:the|my) (?:information|knowledge|instructions)\b
    \baccording to the (?:context|information|facts)\b
    \bthey (?:only|just) told me (?:not )?to (?:say|tell|mention|reveal|answer)\b
    \bmy (?:\w+ )?{_PART}(?: here| now)? (?:is|are|says?|tells?|wants?|knows?|lets?|only)\b
    \bmy (?:\w+ )?{_PART}(?::|'s\b)
    \b(?:as|according to|in|from|part of|by) my (?:\w+ )?{_PART}\b
    \bmy (?:\w+ )?character\b
    \b(?:a|the|this|in) test(?:[- ](?:case|scenario|run))\b
    \bthe system (?:says?|said|tells?|told|wants?)\b
    \b(?:text|description|information|note|paragraph)s? above\b|\babove (?:text|description)
    \bmy notes? (?:says?|tells?)\b
    \bmy (?:first|second|third|next) request (?:is|was)\b
    \btask (?:number|no\.?) ?\w+
    \b(?:information|knowledge|details?|facts?) (?:that )?(?:i was |i(?:'ve| have) been )?given\b
    \bwhat i(?:'m| am| was|'ve been) (?:told about m|given|allowed)
    \b(?:the|this) {_PART} (?:says?|tells?|wants?)\b
    {_TOLD_TO} (?:only )?(?:ask|say|tell|mention|reveal|share|play|act|pretend|answer|know)\b
    \b(?:may|must|should|can) only (?:say|tell|mention|reveal) (?:it|that|this)\b
    \brole[- ]?play\w*
    \b(?:pretend|play)(?:ing)? (?:to be|the (?:role|part) of)\b
    \b(?:as|i'm|i am|just) an? (?:\w+ )?(?:ai|bot|language model|virtual \w+)\b
    \bplaying an? \w+
    \bit says here\b
    \b(?:isn't|not|nothing) (?:\w+ ){{0,2}}in (?:my|the) (?:list|facts?|info\w*|notes?)\b
    \bmy role (?:here|is)\b
    </?\w+>
    """
)
_DO: Final = (
    r"(?:send|set|add|create|delete|remove|update|change|turn|search|find|check|look|text|message"
    r"|draft|write|move|rename|convert|calculate|remind|schedule|book|order|call|pull|take|do)"
)
_SERVE: Final = r"(?:send|set|adjust|schedule|create|rename|update|delete|turn|add|change|look up)"
_BEGINS: Final = r"(?:^|[.!?;,\n-] ?|\b(?:and|so|ok|okay|but|now|yes|no) )"
_SERVE_ANY: Final = (
    r"(?:text|message|send|notify|look (?:\w+ )?up|convert|calculate|(?:re)?schedule|delete|rename"
    r"|set (?:up|a|an|the)|turn o(?:n|ff)|find (?:the|your)|take care)"
)
_I_WILL: Final = (
    rf"{_BEGINS}i(?:'ll| will| can| could|(?:'m| am) going to) (?:now |also |then |just )?"
)
_THAT: Final = r"(?:it|that|this|them|your)"
_OFFERS: Final = any_of(
    rf"""
    \b(?:can|may|could|shall|should|might) i (?:\w+ ){{0,2}}(?:help|assist)\b
    \b(?:can|may|could|shall|should) i (?:get|bring|offer|show) you\b
    \b(?:how|what|anything)(?: else)? (?:can|may|could) i do\b
    \banything (?:else )?i (?:can|could|may|should|might)\b
    \banything (?:else )?you(?:'d| would)? (?:like|need)\b
    \b(?:happy|glad|here|able) to (?:help|assist)\b
    \bi can (?:help|assist)(?: you)?\b
    \bwould you (?:like|prefer)\b
    \b(?:do|did) you (?:want|need) (?:any|help)\b
    \b(?:is|would|will) there (?:be )?anything else\W*$
    \b(?:works?|suits?) (?:\w+ )?(?:for )?you\b[^.!]*\?
    \bglad (?:that )?i could\b
    \bhere(?:'s| is) (?:a|the|your) (?:draft|list|summary|update)\b
    {_I_WILL}{_SERVE} {_THAT}\b(?!.*\bmyself\b)
    {_I_WILL}{_SERVE_ANY}\b(?! you\b)(?!.*\bmyself\b)
    \b(?:can|may|shall|should) i (?:go ahead|proceed)\b
    \byou're (?:very )?welcome\b
    \b(?:thanks|thank you) for (?:reaching out|contacting|your patience)\b
    \bi need (?:more|some|further|a few more) (?:details?|information)\b
    \bis there (?:something|anything) (?:specific|in particular)\b
    \bi(?:'m| am) (?:now )?(?:searching|checking|processing) (?:your|it|that|this)\b
    \bi(?:'m| am) (?:now )?looking (?:at|into|through|up) (?:your|it|that|this)\b
    \bhere(?:'s| is) what i can\b
    \b(?:tell me|let me know) what you(?:'d like| need| want)\b
    \bas your (?:\w+ )?assistant\b
    \b(?:do|did) you (?:need|want) (?:\w+ )?(?:help|assistance)\b
    \bmay i (?:have|ask|know) (?:for )?your\b
    \bi(?:'ll)? need your (?:confirmation|permission)\b
    \bwhat(?:'s| is) the recipient
    \btell me (?:which|what) \w+ you mean\b
    \bi(?:'m| am) (?:always )?here (?:if|to|when\w*) you\b
    \b(?:apologi[sz]e|apologies|sorry) for (?:the|any) (?:inconvenience|trouble|confusion)\b
    \bplease (?:hold|wait)\b[^.?!]*\bwhile i\b
    {_BEGINS}i(?:'ll| will) (?:remind you|get (?:right )?on (?:it|that))\b
    \bpleasure (?:assisting|helping|serving)\b
    \bwant me to\?
    \b(?:feel free|hesitate|reach out|at your service)\b
    \b(?:of|any|further|additional|more) (?:\w+ )?(?:help|assistance|service)\b
    \b(?:like|want|need|prefer) me to {_DO}\b[^.!]*\?
    \byou(?:'d| would)? (?:like|want|need|prefer) me to\b
    \b(?:which|what|who|whom|when|where)\b[^.?!]*\bshould i (?!do\b){_DO}\b
    \blet me know if (?:you need|there is|there's|you(?:'d| would) like) (?:anything|any|me)\b
    \bi(?:'m| am) (?:unable|not able) to (?:access|assist|help)\b
    \bi don't have (?:access to|the ability)\b
    \b(?:shall|should|can|may|could) i {_DO}\b[^.?!]*\b(?:you|your)\b
    \bi(?: can|'ll| will| could|'d be)\b[^.?!]{{0,40}}\bfor you\b
    \bi(?: can|'ll| will) (?:set|look|take care of|handle|bring|pull)(?: (?:that|this|it))(?: up)?\b
    \blet me (?:\w+ )?(?:{_DO}|get)\b
    """
)
_DONE: Final = (
    r"(?:sent|set|added|created|deleted|removed|updated|changed|turned|enabled|disabled|saved"
    r"|scheduled|rescheduled|moved|renamed|corrected|converted|calculated"
    r"|texted|messaged|notified|informed|activated)"
)
_ONLY_AGENTS: Final = (
    r"(?:sent|forwarded|enabled|disabled|activated|deactivated|scheduled|rescheduled|deleted|renamed"
    r"|updated|modified|converted|calculated|retrieved|located)"
)
_TOLD: Final = r"(?:texted|messaged|notified|informed|told|reminded|e-?mailed)"
_HAVE: Final = rf"{_BEGINS}i(?:'ve| have)? (?:just |now |already |\w+ly )*"
_HAVE_NOW: Final = rf"{_BEGINS}i(?:(?:'ve| have) (?:(?:just|now|already) )?| (?:just|already|now) )"
_THING: Final = (
    r"(?:message|text|reminder|contact|alarm|wi-?fi|cellular\w*|location service\w*|settings?)s?"
)
_ACTED: Final = re.compile(
    rf"{_BEGINS}i(?:'ve| have)? (?:just |now |already )?(?P<verb>sent|texted|wrote|written|turned"
    r"|switched|set|looked|searched|checked|deleted|updated|renamed|scheduled|enabled|added)"
    r"(?: (?:it|on|off|up) | (?:a |the )?(?:text|message|note|reminder)\b| to [A-Z+\d])",
    re.IGNORECASE,
)
_OWN_PAST: Final = re.compile(r"\b(?:I|you)(?:'ve| have)? (\w+)", re.IGNORECASE)
_CLOSED: Final = r"^(?:done|all set|okay|ok|sure)[.!,]"
_ACTS: Final = any_of(
    rf"""
    {_HAVE}(?:{_DONE}|searched|found|checked|looked)\b.*\b(?:for you|you asked)\b
    {_HAVE}{_DONE}\b (?:on |off |up )?your\b
    {_HAVE}(?:searched|checked|looked (?:up|at|in|into|through)) (?:\w+ )?your\b
    {_HAVE_NOW}{_TOLD} (?!you\b)
    {_HAVE_NOW}{_DONE} (?:it|them|that|this|him|her|everything|both|all|his|your)\b
    {_HAVE_NOW}{_DONE} (?:\S+ ){{0,3}}(?:the|that|a|your) (?:\w+ )?{_THING}\b
    \bi(?:'ve| have)? (?:went ahead|gone ahead|managed to)\b
    {_HAVE}(?:\w+ed|put|bought) [^.!?]*\bfor you\b
    \bsuccessfully\b
    \byour (?:\w+ ){{1,2}}(?:(?:has|have) been|(?:is|are) now) (?:\w+ly )?{_DONE}\b
    {_HAVE}looked (?:it|that|this) up\b
    {_HAVE}(?:completed|finished) (?:the|your) (?:task|request)
    {_HAVE}found (?:\w+ ){{1,2}}(?:messages?|contacts?|reminders?|results?|entries|matches)\b
    {_HAVE}turned (?:the|your) {_THING}(?: back)? (?:on|off)\b
    {_HAVE_NOW}(?:changed|updated|set) (?:the|your) \w+ to\b
    \b(?:was|were|been) (?:added|saved|moved) to your\b
    {_HAVE}(?:gone|went|looked|searched) through (?:the|your)\b
    {_HAVE_NOW}let (?:\S+ ){{1,3}}know\b
    {_HAVE_NOW}put (?:\S+ ){{1,3}}(?:in|into|on) (?:your|the (?:calendar|list))\b
    {_HAVE_NOW}{_ONLY_AGENTS} (?!you\b)
    \byour {_THING} (?:is|are|was|were|has been|have been) (?:now )?(?:\w+ly )?(?:on|off|{_DONE})\b
    \bthe {_THING} (?:has|have) been (?:\w+ly )?{_DONE}\b
    ^(?:done|all set|all done|sent)[.!,]
    {_BEGINS}{_THING} {_DONE}(?: to \w+)?\W*$
    {_BEGINS}i (?:also )?{_ONLY_AGENTS}\b(?! you\b)(?!.*\b(?:once|last|ago|yesterday|before|when)\b)
    {_CLOSED} i(?:'ve| have)? {_DONE}\b
    {_CLOSED} (?:your|the) \w+ (?:is|has been) (?:now )?(?:on|off|{_DONE})\b
    """
)
