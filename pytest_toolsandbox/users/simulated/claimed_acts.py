"""Whether a user claims to do what only the agent can do."""

from __future__ import annotations

import re
from typing import Final

from pytest_toolsandbox.matchers.statements.acts import any_of

from .deeds import BEGINS, CLOSED_BY, DID, DO, DONE, OF_THE_PHONE, PLACE, THING
from .situation import Situation


def claims_an_act(text: str, situation: Situation) -> bool:
    """Whether a text tells of an action that only the agent can take, or have taken."""
    return bool(_ACTS.search(text)) or _acted(text, situation)


def _acted(text: str, situation: Situation) -> bool:
    """Whether it tells, in the past, of an action that only the agent can have done."""
    told = {one.casefold() for one in _OWN_PAST.findall(situation.knowledge.text)}
    verbs = (found["verb"].casefold() for one in _ACTED for found in one.finditer(text))
    return any(verb not in told for verb in verbs)


_ONLY_AGENTS: Final = (
    r"(?:sent|forwarded|enabled|disabled|activated|deactivated|scheduled|rescheduled|deleted|renamed"
    r"|updated|modified|converted|calculated|retrieved|located)"
)
_TOLD: Final = r"(?:texted|messaged|notified|informed|told|reminded|e-?mailed)"
_HAVE: Final = rf"{BEGINS}i(?:'ve| have)? (?:just |now |already |\w+ly )*"
_HAVE_NOW: Final = rf"{BEGINS}i(?:(?:'ve| have) (?:(?:just|now|already) )?| (?:just|already|now) )"
_ACTED: Final = (
    re.compile(
        rf"{_HAVE}(?P<verb>sent|texted|wrote|written|turned"
        r"|switched|set|looked|searched|checked|deleted|updated|renamed|scheduled|enabled|added)"
        r"(?: (?:it|on|off|up)\b| (?:a |the )?(?:text|message|note|reminder)\b| to [A-Z+\d])",
        re.IGNORECASE,
    ),
    re.compile(
        rf"{_HAVE}(?:also )?(?P<verb>{DID}) (?:(?!my\b)[^\s.,!?]+ ){{0,4}}{OF_THE_PHONE}\b[^?]*$",
        re.IGNORECASE,
    ),
)
"""What a first person did: with some verbs whatever it is, with others a thing of the phone."""
_OWN_PAST: Final = re.compile(r"\b(?:I|you)(?:'ve| have)? (\w+)", re.IGNORECASE)
_CLOSED: Final = r"^(?:done|all set|okay|ok|sure)[.!,]"
_IS: Final = r"(?:is|are|was|were|has|have)"
_NOW: Final = r"(?:(?:now|being|been|already) )*"
_IT: Final = r"(?:it|that|this|he|she|they|the \w+)"
_OFF: Final = r"(?:went out|has gone|went through|(?:is|are) on (?:its|their) way)"
_RESULTS: Final = r"(?:gave|returned|failed|found|says?|came)"
_HEARD: Final = r"(?<!got )(?<!saw )(?<!read )(?<!for )(?<!see )"
_ACTS: Final = any_of(
    rf"""
    {_HAVE}(?:{DONE}|searched|found|checked|looked)\b.*\b(?:for you|you asked)\b
    {_HAVE}{DONE}\b (?:on |off |up )?your\b
    \bi\b[^.?!]* (?:in|from|on|through|to|up|at|check\w*|search\w*) your {PLACE}\b
    {_HAVE_NOW}{_TOLD} (?!you\b)
    {_HAVE_NOW}{DONE} (?:it|them|that|this|him|her|everything|both|all|his|your)\b
    {_HAVE_NOW}{DONE} (?:\S+ ){{0,3}}(?:the|that|a|your) (?:\w+ )?{THING}\b
    \bi(?:'ve| have)? (?:went ahead|gone ahead|managed to)\b
    {_HAVE}(?:\w+ed|put|bought) [^.!?]*\bfor you\b
    \bsuccessfully\b
    \byour (?:\w+ ){{1,2}}(?:(?:has|have) been|(?:is|are) now) (?:\w+ly )?{DONE}\b
    {_HAVE}looked (?:it|that|this) up\b
    {_HAVE}(?:completed|finished) (?:the|your) (?:task|request)
    {_HAVE}found (?:\w+ ){{1,2}}(?:messages?|contacts?|reminders?|results?|entries|matches)\b
    {_HAVE}turned (?:the|your) {THING}(?: back)? (?:on|off)\b
    {_HAVE_NOW}(?:changed|updated|set) (?:the|your) \w+ to\b
    \b(?:was|were|been) (?:added|saved|moved) to your\b
    {_HAVE}(?:gone|went|looked|searched) through the\b
    {_HAVE}let (?:\S+ ){{1,3}}know\b
    {_HAVE_NOW}checked\b|\bdone what you\b|{_HAVE}(?:replied|responded) to\b
    \b(?:the|a|your|her|his) (?:\w+ )?{THING}(?: list)? {_IS} {_NOW}(?:\w+ed|sent|set|out)\b[^?]*$
    {_HEARD}\byour (?:{THING}|request)\b[^?]*$
    {BEGINS}(?:it's|it is|that's) (?:done|been (?:done|sent|set))\b
    \bmy attempts?\b|\bi (?:cannot|can't|could not|couldn't) access\b|\bsearch came\b
    {_HAVE}(?:taken|took) care of\b|{_HAVE}passed (?:\S+ ){{1,4}}on\b
    \b(?:on your behalf|at your request|per your request|as requested)\b
    \bas you(?:'ve| have)? (?:asked|requested|instructed)\b
    ^(?!no\b|my\b)(?:\w+,? )?{_IT}(?:'s| has| have) been {CLOSED_BY}\b[^?]*$
    \b(?:the|your|that) {THING}(?: to \w+)? {_OFF}
    \b(?:the|your|that) {THING} (?:could|can)(?: not|n't|not) be {DONE}\b[^?]*$
    \bi (?:was|am|were)(?: not able| unable|n't able) to {DO}\b
    \bi tried to (?:send|set|add|create|delete|update|turn|search)\b
    \b(?:the|a|my) (?:tool|function|api|search|query)s? (?:\w+ )?{_RESULTS}\b
    \bi (?:ran|called|invoked|used) (?:a|the) (?:tool|function|search|api)\b
    \bi (?:got|received|ran into|encountered) an? (?:\w+ )?error\b
    {_HAVE_NOW}(?:saved|added|updated|created|confirmed|cancelled) (?:an?|the|h(?:er|is)|it|that)\b
    {_HAVE_NOW}put (?:\S+ ){{1,3}}(?:in|into|on) (?:your|the (?:calendar|list))\b
    {_HAVE_NOW}{_ONLY_AGENTS} (?!you\b)
    \byour {THING} (?:is|are|was|were|has been|have been) (?:now )?(?:\w+ly )?(?:on|off|{DONE})\b
    \bthe {THING} (?:has|have) been (?:\w+ly )?{DONE}\b
    ^(?:done|all set|all done|sent)[.!,]
    {BEGINS}{THING} {DONE}(?: to \w+)?\W*$
    {BEGINS}i (?:also )?{_ONLY_AGENTS}\b(?! you\b)(?!.*\b(?:once|last|ago|yesterday|before|when)\b)
    {_CLOSED} i(?:'ve| have)? {DONE}\b
    {_CLOSED} (?:your|the) \w+ (?:is|has been) (?:now )?(?:on|off|{DONE})\b
    """
)
