"""Whether a user tells of its instructions."""

from __future__ import annotations

from typing import Final

from pytest_toolsandbox.matchers.normal_text import split, typewritten
from pytest_toolsandbox.matchers.statements.acts import any_of

from .by_tools import INSTRUCTION as BY_TOOLS
from .paper import INSTRUCTION as PAPER
from .situation import Situation, words
from .utterance import Utterance

LEAKED_RUN: Final = 6
"""Words in a row of the instruction that show that it is repeated."""


def leaks(said: Utterance, situation: Situation) -> str | None:
    """Say what is wrong with a text that tells of the instructions."""
    text = typewritten(said.text or "")
    behind = {one.removesuffix("'s") for one in words(text)} & _BEHIND_THE_SCENES - {
        *situation.words
    }
    if behind or _INSIDE.search(text) or _RUNS & _runs(text):
        return "That tells of your instructions, which nobody may hear of."
    return None


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
    developer developers benchmark evaluation evaluator transcript demonstration graded
    configured designers backstory creator reveal boundary boundaries specified stated milestone
    milestones minefield minefields
    """)
)
"""Words that a person only uses who was told of them."""
_PART: Final = r"(?:goal|task|assignment|role|character|background|brief|knowledge|boundary)s?"
_TOLD_TO: Final = (
    r"\bi(?:'m| am| was| have been|'ve been) (?:\w+ )?"
    r"(?:told|asked|instructed|prompted|supposed|allowed|meant|pretending)"
    r"(?: not| never)? to"
)
_SOURCE: Final = (
    r"(?:sheet|card|description|context|notes?|file|data|info\w*|knowledge|instructions?)"
)
_CONTAINS: Final = (
    r"(?:has|have|go|says?|mentions?|ends?|includes?|covers?|contains?|names?|gives?|forbids?)"
)
_IN_TALKS: Final = (
    r"(?:agree|ask|say|tell|mention|reveal|share|play|act|pretend|answer|know|invent|stop here"
    r"|give out|make (?:no|any|up)|keep quiet|wait (?:until|till) you|stick to|bring up|think of"
    r"|find (?:it |that )?out|turn down|decline|refuse)"
)
_INSIDE: Final = any_of(
    rf"""
    \b(?:User [AB]|end_conversation|tool_calls?)\b|\bsystem (?:message|prompt)s?\b
    \b(?:pass|passe[sd]|fail|fails|failed) the test\b|\bthis test\b|\b(?:in|during|by) the test\b
    \bexpected (?:answer|reply|result|outcome|response|value)\b|\bi get to {_IN_TALKS}\b
    \b(?:repl\w+|answers|lines|facts) i have (?:say|tell|only)\b|\bmy next (?:line|reply|turn)\b
    \bi was told that (?:this|it) (?:can't|cannot|can not|won't|is not|isn't)\b
    \bknowledge (?:section|part|base|list|field)\b|\bmy (?:reply|answer|fact)s? (?:list|sheet)\b
    \bexample (?:dialogue|conversation|chat)\b|\bhow this (?:task|test|game) (?:is|was|works)\b
    \bend(?:ing|s)? (?:of )?(?:the )?(?:conversation|chat|dialogue)\b|\bacting as (?:an?|the)\b
    \bi (?:was|am|have been) told (?:beforehand|in advance|at the start|up front)\b
    \bi've been told (?:beforehand|in advance|at the start|up front)\b
    \bsupposed to be (?:an? )?(?:some(?:one|body)|person|man|woman|customer)\b
    \b(?:task|role|character|scenario|user) (?:description|sheet|card|brief|outline|notes?)\b
    \b(?:description|answer|line|wording|fact)s? (?:that )?i(?: was|'ve been| have been) given\b
    \b(?:message|text|line)s? (?:that )?i(?: was|'ve been| have been) given for (?:this|that|it)\b
    \bi(?:'m| am) to (?:only |just )?(?:tell|say|answer|mention|reveal|admit|confirm)\b
    \bi(?:'m| am) (?:playing|portraying) (?-i:[A-Z][a-z]+ [A-Z])|\bonly on request\b
    \b(?:have|has) no (?:function|tool)s?\b|\b(?:you|i) (?:were|was) given (?:the |no )?tools?\b
    \b(?:part|section|paragraph|line) (?:about|on) me\b
    \bnot a real (?:person|human|user)\b|\b(?:the|this|your) (?:user|agent)\b
    \bthe (?:person|customer) (?:is|wants?|needs?|asks?|knows?)\b
    \bmy {_SOURCE} (?:only |also |doesn't |does not |don't )?{_CONTAINS}\b
    \baccording to (?:the|my) {_PART}\b|\bstep (?:one|two|three|four|\d)\b|\bgiven facts\b
    \bi was given (?:a list|no|only)\b|\bthe test (?:ends|stops|will)\b
    \baccording to the (?:context|information|facts)\b
    \bthey (?:only|just) told me (?:not )?to (?:say|tell|mention|reveal|answer)\b
    \bmy (?:\w+ )?{_PART}(?: here| now)? (?:is|are|says?|tells?|wants?|knows?|lets?|only)\b
    \b(?:as|according to|in|from|part of|by|per|within|outside) my (?:\w+ )?{_PART}\b
    \bmy (?:\w+ )?character\b
    \b(?:a|the|this|in) test(?:[- ](?:case|scenario|run))\b|\bpurposes? of (?:the|this) test\b
    \bthe system (?:says?|said|tells?|told|wants?)\b
    \b(?:text|description|information|note|paragraph)s? above\b|\btask (?:number|no\.?) ?\w+
    \b(?:info\w*|knowledge|details?|facts?|role|text|data) (?:that )?(?:i (?:was|have been) )?given
    \b(?:info\w*|knowledge|details?|facts?|role|text|data) (?:that )?i've been given\b
    \b(?:info\w*|details?|facts?|data)\b[^.?!]* (?:given|handed|provided|supplied) to me\b
    \bwants? me to (?:check|test|see) (?:if|whether) you\b|\bhere to see (?:if|whether) you\b|```
    <\||\|>|###|\*\*|\b(?-i:[A-Z]{{3,}}_[A-Z]+)\b
    ^\W*(?:(?:my|the|final|possible|draft|suggested) )*(?:answer|output|message|speaker)\s*:
    \b(?:as|i'm|i am) an? llm\b|\bspeaking as\b|\bthe rules (?:say|forbid|allow)\b
    \bthe test (?:expects|wants|requires|needs)\b
    \b(?:materials?|text|background|details) (?:that )?i (?:was|got|have been|am)\b
    ^\W*(?:(?:my|the|internal|side) )*(?:human|person|customer|note)\s*:
    \bhere(?:'s| is) (?:my|the|a) (?:\w+ )?(?:reply|response|answer)\b
    \b(?:should|must|will|need to|let us|let's) (?:reply|respond|answer)\b(?! you\b)
    \bi (?:was|am) (?:only )?(?:created|designed|made|programmed|trained|built|modell?ed) \w+
    \b(?:conversation|dialogue|exchange|chat|interaction) (?:can|could|should|is|may|will|has)\b
    \b(?:in|for|of) (?:this|the) (?:situation|conversation|dialogue|role|context|exchange|task)\b
    \b(?:playing|portraying|acting as) (?:an? |the )?\w+ who\b|\bnot (?:been )?specified\b
    \bin (?:what|everything|all) i (?:know|was told|have been told)\b|\bmake (?:it|one|things) up\b
    \bnotes? to (?:my)?self\b
    \b(?:in|per|according to|by) (?:my|the) description\b
    \b(?:per|according to|by) (?:my|the) notes\b
    \bi (?:say|answer|reply):|\bas (?:this|that|the) person\b
    \btold to (?:specify|clarify|disclose)\b|\bi (?:do not|don't) exist\b
    \btold to be (?:\w+ but )?(?:short|brief)
    \bi(?:'m| am) (?:(?:only|not|never|just) told|told (?:that )?i)\b
    \ball the (?:background|context) i\b|\bto my role\b|\bmy part is\b|\bother participant\b
    ^testing (?:if|whether) you\b|\bwhat i(?:'m| am| was|'ve been) (?:told about m|given|allowed)
    \b(?:the|this) {_PART} (?:description )?(?:only )?(?:says?|tells?|wants?|gives?|names?)\b
    \b(?:my|the|these|those|of) facts\b(?! about\b)|\bmy background\b|\bmy (?:own )?rules\b
    \b(?:rules?|part|person|one) (?:that |who |whom )?i(?:'m| am)? (?:follow|play)(?:ing)?\b
    \btold (?:me )?(?:that )?i (?:don't|do not|can't|cannot|only) know\b
    \bi (?:must|may) (?:(?:not|only) \w|(?:now )?{_IN_TALKS}\b)|\bi(?:'m| am) restricted to\b
    \b(?:breaking|against) the rules\b|\bhave no data\b
    \b(?:when|if|once) (?:i'm |i am )?asked\b|\bwith (?:this|the) (?:dialogue|exchange|task)\b
    \blist of tasks\b
    \bi (?:wasn't|was not|haven't been|have not been) (?:given|provided|supplied)\b
    \b(?:conclud|complet|finish|fulfil|satisf)\w+ (?:the|my|this|that) (?:task|assignment|test)\b
    \b(?:condition|limit|constraint|rule|criteri\w+|requirement)s? (?:that )?i (?:was|have been)\b
    \b(?:info\w*|details|facts|data) i have (?:doesn't |does not |only )?(?:include|contain|mention)
    ^\W*(?:thoughts?|thinking|reasoning|reply|user|assistant|agent|action|response|goal)\s*:
    {_TOLD_TO} (?:only )?{_IN_TALKS}\b|\brole[- ]?play\w*
    \b(?:pretend|play)(?:ing)? (?:to be|the (?:role|part) of)\b
    \b(?:as|i'm|i am|just|being) an? (?:\w+ )?(?:ai|bot|language model|virtual \w+)\b
    \bit says here\b
    \b(?:isn't|not|nothing) (?:\w+ ){{0,2}}in (?:my|the) (?:list|facts?|info\w*|notes?|context)\b
    </?\w+>
    """
)
