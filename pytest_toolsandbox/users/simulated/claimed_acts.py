"""Whether a user claims to do what only the agent can do."""

from __future__ import annotations

import re
from typing import Final

from .deeds import (
    ACT,
    ACTED,
    ACTING,
    BY_NOW,
    CHANGED,
    HAPPENED,
    IT,
    LIVED,
    NOT_OWN,
    OFF,
    THING,
    phrases,
)
from .situation import Situation


def claims_an_act(plain: str, situation: Situation) -> bool:
    """Whether clauses tell of an action that only the agent can take, or have taken.

    What the user knows that it did itself, it may tell.
    """
    told = {*_OWN_PAST.findall(situation.knowledge.text.casefold())}
    found = (one[0] for one in _CLAIMS.finditer(plain))
    return any(one.startswith("i have ") or told.isdisjoint(one.split()) for one in found)


_OWN_PAST: Final = re.compile(
    r"\b(?<!if )(?:i|you)(?:'ve| have)? (\w+ed|sent|set|found|made|put|took|wrote|told|rang|gave"
    r"|sold|paid)\b"
)
_HEARD: Final = r"(?<!got )(?<!saw )(?<!read )(?<!for )(?<!see )"
_HAS_BEEN: Final = r"(?:is|are|was|were|has been|have been|went|has|have|got)"
_NOT_I: Final = r"(?!(?:i|it|you)\b)"
_TO_COME: Final = (
    r"(?:if|once|when|whether|until|unless|after|has|have|i|you|nothing|nobody|who|what)"
)
_DET: Final = r"(?:the|a|your|her|his|that) "
_WITH_IT: Final = r"(?:him|her|them|it|both|everyone|this|that|all|(?:my|the) \w+)"
_NOT_WHOM: Final = (
    r"(?:you|me|myself|for|it(?! and)|that|if|whether|to|about|what|which|how|when|who|where|by"
    r"|from|in|on|at|off)"
)
_LISTED: Final = r"(?:list|phone|contacts|calendar|schedule)"
_DID_SO: Final = (
    rf"(?:(?:called|rang|rung) (?!{_NOT_WHOM}\b)\w"
    rf"|told (?!{_NOT_WHOM}\b)(?:\w+ )?\w+(?: (?:the|that i am) [^\n]*)?$"
    r"|(?:gave|dropped) (?:\S+ ){1,3}(?:an? )?(?:ring|call|buzz|line|note)\b"
    rf"|(?:rang|bought|booked|paid) (?:{IT}|the|an?|two|three|some|more)\b"
    rf"|(?:sold|did|done|went on(?:line|to)?) (?:{IT}|the|an?|some|their)\b"
    r"|(?:put|wrote|read|typed|entered|moved) [^\n]*\b(?:(?:into|over) (?:the|your)"
    rf"|in (?:the|your) {THING}|(?:in|into|on) my {_LISTED})\b"
    rf"|(?:put|typed|entered) (?:[^\n]*\b(?:down|myself)$|(?:the|an?) {THING}\b)"
    r"|(?:hit|pressed|tapped|clicked) (?:on )?(?:send|save|delete|the)\b"
    r"|looked (?:on|into|online)\b)"
)
"""What only an agent does with its phone, after "I", in the words of anybody."""
_AND_SO: Final = (
    rf"(?:(?:sent|found|{ACTED}|(?:hit|pressed|tapped) \w+)\b"
    rf"|(?:booked|put|set|(?!{LIVED}\b)\w+ed) (?:{IT}|the|an?)\b)"
)

_CLAIMS: Final = phrases(
    rf"""
    i (?:have |did )?{BY_NOW}(?!{LIVED}\b)\w{{2,}}ed\b(?! you\b)
    i (?:have |did )?{BY_NOW}(?:got rid|did an?|went through|looked (?:in(?! my\b)|at|through\
    |\w+ up|up)|opened|ran)\b
    (?:[\w']+ ){{0,3}}{THING} (?:\w+ed|set|sent)(?: and\b[^\n]*)?$
    i (?:have |did )?{BY_NOW}{ACTED}\b(?! you\b)
    i (?:have )?{ACTED} [^\n]*\byou (?:set|sent|asked|wrote|mentioned|wanted|made|gave|told)\b
    i (?:have )?{BY_NOW}{CHANGED} {OFF}(?:{IT}|(?:the|a|an|your|that) (?:\w+ )?{THING})\b
    i (?:have )?{BY_NOW}(?:turned|switched) (?:(?:back )?o(?:n|ff) )?(?:wifi|cellular|location\
    |low battery)
    i have {BY_NOW}(?!{LIVED}\b)(?:\w+ed|sent|set|put|found|made|undone|taken|rung|written|let\
    |shot) {OFF}(?:{IT}|the|a|an|your|low|[a-z]+ as)\b
    i (?:have )?{BY_NOW}(?!{LIVED}\b)(?:\w+ed|found|put|took|went|ran\
    |sought) (?:(?!my\b)\S+ ){{0,4}}{THING}\b
    i did {BY_NOW}(?:send|set|text|add|tell)\b
    i (?:have )?{BY_NOW}(?:{_DID_SO}|[^\n]* and {_AND_SO})
    i (?:have )?(?:texted|told) (?:\w+ ){{1,4}}?(?:too|earlier|myself|about)\b
    i (?:have )?(?:read (?:it|them|that) (?:out|to|aloud)|given you (?:permission|access)\
    |gave (?:it|them|that) (?:an?|another)|(?:got |had )?(?:\w+ ){{1,2}}on the (?:line|phone))\b
    i (?:have )?(?:took|taken) (?:\S+ ){{1,4}}?off (?:the|my|your) {_LISTED}\b
    (?:i )?(?:have )?{BY_NOW}(?:had|took|taken) a (?:\w+ )?(?:look|peek) (?:at|in|through|on)\b
    (?:texted|messaged|emailed|pinged|notified|forwarded) (?!{_NOT_WHOM}\b)\w
    (?:{ACTED}|cleared|called|checked|added|removed|saved) {_WITH_IT}\b(?!.*\?)
    i have {BY_NOW}(?:saved|added|stored|listed|put|set) you\b
    i have {BY_NOW}(?:turned|cancelled|looked up|made the|finished setting) \w+
    i have (?:checked\b(?! (?:my|there|with))|searched\b)
    i (?:have )?{BY_NOW}(?:wrote|written) to (?!(?:him|her|them|you)\b)
    i (?:have )?let (?:\S+ ){{1,3}}know\b|i (?:have )?{BY_NOW}changed (?:the|your) settings?
    i have changed (?:the|your) \w+ to\b|i (?:have )?(?:gone|went|looked|searched) through the\b
    i (?:have )?(?:made sure|ensured|taken the liberty|went ahead|gone ahead|managed to\
    |seen to it)\b
    i (?:have )?{BY_NOW}(?:did|done|taken care of|took care of) (?:it|that|this)\b
    i have done what you\b|i (?:have )?{BY_NOW}(?:went|gone) and \w+
    i have confirmed (?:that|the|it)\b
    i (?!have (?:an?|the|got|some|one|no)\b|got\b|am\b|know\b)[^?\n]* for you\b
    (?:i )?could not {NOT_OWN}(?:find|locate|see) (?:anyone|anything|any|a contact)\b
    i (?:was able|tried) to {NOT_OWN}(?:send|set|add|create|delete|update|change|turn|switch\
    |search)\b
    i (?:was|am|were) (?:not able|unable) to (?:{ACT}|reach)\b
    (?:i )?(?:can|could) not (?:access|browse|perform)\b
    i (?:had|needed) to {NOT_OWN}(?:enable|disable|activate|(?:turn|switch) o(?:n|ff))\b
    i (?:see|found|am seeing|have found|have got|located) (?:\w+ ){{0,2}}(?:contacts?\
    |match(?:es)?|entr|rec)
    (?:i|we) (?:have )?came? up with\b|i (?:got|received|ran into|encountered) an? (?:\w+ )?error\b
    i have the results?\b|i (?:ran|called|invoked|used) (?:a|the) (?:tool|function|search|api)\b
    no (?:contacts?|results?|match(?:es)?|entries|messages|reminders) (?:match|found|were|came\
    |with|called)
    there (?:is|are|was|were) no (?:results?|match(?:es)?|contacts?|entr|such)
    (?:texted|messaged|notified|informed|sent|forwarded|enabled|disabled|rescheduled|deleted\
    |updated|removed)(?: (?:it|her|him|them|that|this|off|the|your)\b[^\n]*)?$
    (?:added|created|saved|set|turned|switched|moved) (?:it|them|that)\b|mission accomplished
    (?:\w{{2,}}ed|sent|set|found) [^\n]*\bfor you\b
    (?:delivered|activated|deactivated|done$|all (?:set|done|sorted|arranged|taken care of))
    {_NOT_I}(?!{_TO_COME}\b|maybe\b|perhaps\b){NOT_OWN}(?:[\w']+ ){{0,2}}?{THING} (?:is|are\
    |(?:should|will) be) (?:back )?(?:on|off|working|up|enabled|disabled|ready|active|running\
    |loading)\b(?! (?:to|for) me\b)
    (?:[\w']+ ){{1,4}}?can not be (?:\w+ed|sent|set)\b[^?\n]* by me\b
    (?:the|your|her|his) {THING} (?:to \w+ )?could not be\b|you (?:are all|has been) set
    (?:the|your|her|his) {THING} is in (?:h\w+|their|the)\b
    i (?:can )?see (?:an?(?! lot)|one|two|three|several)\b(?!.*\b(?:here|way|reason|problem)\b)
    (?:the |your |her |his |new )?{THING} (?:\w+ed|sent|set)(?: (?:off|out|up|to|in|on)\b[^?\n]*)?$
    (?:it|that|this|everything) is (?:all )?(?:arranged|sorted|taken care of|set up|sent|handled\
    |done$)
    (?:it|that) (?:is|has) been (?!(?:moved|delayed|postponed|changed|cancelled|pushed|long\
    |a)\b)\w+
    {NOT_OWN}(?:{_DET})?(?:[\w']+ ){{0,2}}?{THING}(?: (?:to|for|about) \w+)? {_HAS_BEEN} (?:all \
    |been |back )?(?:{ACTED}|{CHANGED}|out|through|back on|gone|delivered|done)\b(?! (?:for|by|in\
    |at) (?!you\b)\w+)
    {NOT_OWN}(?!{_TO_COME}\b)(?:\S+ ){{1,12}}?(?:has|have) been (?:all )?(?:told\
    |(?!{HAPPENED}\b)(?:\w+ed|set|sent|put))\b
    (?:the|your) (?:[\w']+ ){{0,2}}?{THING} (?:has|have) been \w+ed\b|i tried {ACTING}\b
    nothing (?:came|turned|showed) (?:back|up)\b
    {NOT_OWN}(?!{_TO_COME}\b)(?:\w+ ){{1,4}}?(?:updated|deleted|(?:re)?scheduled|enabled|disabled\
    |activated|modified|renamed|forwarded) (?:for|to|from|in|on|as)\b
    (?:all|both|everything)\b[^?\n]* (?:{ACTED}|{CHANGED})$|{NOT_OWN}\w+ (?:complete|successful)$
    {NOT_OWN}(?:[\w']+ ){{1,5}}?(?:is|are) (?:complete|in place|up to date)$
    (?:according to|based on) (?:my|the) (?:search|calculation|result|record|contact|data)
    {NOT_OWN}[^?\n]*\b(?:list|contacts|inbox|search|records?|calendar)\b (?:\S+ )*?(?:shows?|has\
    |returns?|returned|gives?|contains?|turned up|lists?) (?:no|nothing|none|one|two)\b
    (?:the|your|that) (?:request|operation|attempt|call|search|query|action) (?:failed|timed\
    |returned|came)
    {_NOT_I}(?:your )?\w+(?: \w+)? {_HAS_BEEN} (?:been )?(?:texted|messaged|notified|informed)\b
    {_NOT_I}\w+(?: \w+)? (?:knows|has been told|is aware) (?:that )?you\b
    """,
    rf"""
    {_HEARD}(?!your message did)your {THING}\b|successfully\b|my (?:attempt|search)\w*\b
    (?:on your behalf|at your request|per your request|as requested)\b
    {_DET}(?:\w+ )?{THING}(?: list)? (?:is|are|was|were|has|have)(?: being\
    | been)? (?!changed\b)(?:\w+ed|sent|set|out)\b
    {_DET}{THING}(?: (?:to|with|about) (?:\S+ ){{0,3}}?\S+)? (?:went (?:out|through|to)|has gone\
    |(?:is|are) on (?:its|their) way)
    (?:the|a|my) (?:tool|function|api|search|query)s? (?:\S+ ){{0,4}}?(?:gave|returned|failed\
    |found|says?|came|turned)\b
    """,
    unless=r"(?!.*\?$)",
)
